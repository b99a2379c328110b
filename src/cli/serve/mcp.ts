import type { Command } from 'commander';
import { serveMcpStdio } from '../../adapters/mcp/stdio.js';
import type { ConfigFile } from '../../http/config-file.js';
import type { RunCommand } from '../call.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import type { CliPowers } from '../powers.js';
import { makeServerLog, tellEmpty } from './log.js';
import { engineOptionsFor, readConfigFile, readIdentity } from './options.js';
import { makeRereading, readAgain } from './rereading.js';
import { addEngineOptions, type EngineSettings } from './settings.js';

export function addMcp(program: Command, run: RunCommand): void {
  const command = program
    .command('mcp')
    .description(
      'serve the tools of plugins to the MCP client that starts this, over stdin and stdout',
    )
    .argument('[plugin-dir...]', 'directories of plugins');
  addEngineOptions(command, 'a configuration (default: none)').action(
    (directories: string[], settings: EngineSettings) =>
      run((powers) => runMcp(directories, settings, powers), { endsWhenInterrupted: true }),
  );
}

/** Serves until the client goes, or it is interrupted. Standard output is the protocol's alone. */
export async function runMcp(
  directories: readonly string[],
  settings: EngineSettings,
  powers: CliPowers,
): Promise<ExitCode> {
  const logger = makeServerLog(powers.stderr, () => new Date());
  // A client starts this wherever it works, which may be a stranger's repository: a configuration that
  // lies there would grant, and start programs, in the name of whoever cloned it.
  const file = settings.config === undefined ? {} : await readConfigFile(settings, powers);
  const named = { ...settings, plugins: [...directories, ...(settings.plugins ?? [])] };
  const rereading = makeRereading(file, named, powers);
  await using engine = await powers.createEngine({
    ...engineOptionsFor(named, file, logger, powers),
    ...rereading.policies,
    identity: await readIdentity(file, () => 'http://127.0.0.1', powers),
  });
  const everywhere = [...named.plugins, ...(file.plugins ?? [])];
  await tellEmpty(everywhere, engine, powers, logger);
  const { path: _path, ...said } = file.mcp ?? {};
  const onError = ({ message }: Error): void => logger.info({ why: message }, 'mcp');
  const stdio = await serveMcpStdio(engine, { onError, ...said });
  const end = (): void => void stdio.close();
  const reload = (next: ConfigFile): Promise<void> => {
    const { plugins } = engineOptionsFor(named, next, logger, powers);
    return engine.reload({ plugins });
  };
  const forget = powers.onHangup(() => void readAgain(rereading, reload, logger));
  powers.interrupted.addEventListener('abort', end, { once: true });
  if (powers.interrupted.aborted) end();
  logger.info({ tools: engine.catalog.list().length }, 'serving');
  await stdio.closed;
  forget();
  return EXIT.ok;
}
