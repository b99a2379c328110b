import type { Command } from 'commander';
import type { ConfigFile } from '../../http/config.js';
import type { RunCommand } from '../call.js';
import { collect } from '../arguments.js';
import { CLIENTS } from '../client/clients.js';
import { type ImportSettings, importServers } from '../client/import.js';
import { changeClient, type InstallSettings } from '../client/install.js';
import { parseHours } from '../lock/fetch.js';
import { readPowerModules } from '../power-modules.js';
import type { CliCapabilities } from '../capabilities.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { makeConfigReloader, reloadConfig } from './config-reloader.js';
import { findingsOf } from './findings.js';
import { makeServerLog, warnIfEmpty } from './log.js';
import { readConfigFile, readIdentity } from './config-file.js';
import {
  type ServedSettings,
  addServedOptions,
  dropMissing,
  engineOptionsFor,
  REMOTES_WAIT_MS,
} from './options.js';

interface McpSettings extends Omit<ServedSettings, 'allow'>, InstallSettings, ImportSettings {
  readonly code?: boolean;
}

export function addMcp(program: Command, run: RunCommand): void {
  const command = program
    .command('mcp')
    .description('serve the tools of plugins as an MCP server on standard input and output')
    .argument('[plugin-dir...]', 'directories of plugins');
  addServedOptions(command, 'configuration file (default: none)')
    .option(
      '--code',
      'serve two tools: run_program, which runs TypeScript programs that call the other tools, and search_tools',
    )
    .option(
      '--install <CLIENT>',
      `write into the configuration of ${CLIENTS.join(', ')} how it starts this, and show that first`,
    )
    .option(
      '--import <CLIENT|FILE>',
      'offer to confine the npm servers that the client starts today; say first what would stop working',
    )
    .option('--server <NAME>', 'with --import: only this server; repeatable', collect)
    .option(
      '--min-age <HOURS>',
      'with --import: age that a version of npm must have (default: 24)',
      parseHours,
    )
    .option(
      '--uninstall <CLIENT>',
      'remove what --install wrote, and restore what --import replaced',
    )
    .option('--accept', 'write what --install, --import or --uninstall shows, without asking')
    .action((directories: string[], settings: McpSettings) =>
      run(
        (capabilities) =>
          settings.import !== undefined
            ? importServers(settings, capabilities)
            : settings.install !== undefined || settings.uninstall !== undefined || settings.accept
              ? changeClient(directories, settings, capabilities)
              : runMcp(directories, settings, capabilities),
        { endsWhenInterrupted: true },
      ),
    );
}

/** Serves until the client disconnects or the command is interrupted. Standard output carries only MCP. */
export async function runMcp(
  directories: readonly string[],
  settings: McpSettings,
  capabilities: CliCapabilities,
): Promise<ExitCode> {
  const logger = makeServerLog(capabilities.stderr, () => new Date());
  // A client starts this in its working directory, which may be an untrusted repository. A configuration
  // in that directory must not grant permissions or start programs.
  // guard: mcp-config-explicit
  const file = settings.config === undefined ? {} : await readConfigFile(settings, capabilities);
  const named = { ...settings, plugins: [...directories, ...(settings.plugins ?? [])] };
  const reloader = makeConfigReloader(file, named, capabilities);
  await using engine = await capabilities.createEngine({
    ...(await dropMissing(engineOptionsFor(named, file, logger, capabilities), capabilities)),
    ...(settings.code === true ? { programs: true } : {}),
    remotesWaitMs: REMOTES_WAIT_MS,
    powers: await readPowerModules(settings.power, capabilities),
    ...reloader.policies,
    identity: await readIdentity(file, () => 'http://127.0.0.1', capabilities),
  });
  const everywhere = [...named.plugins, ...(file.plugins ?? [])];
  await warnIfEmpty(everywhere, engine, capabilities, logger);
  const { path: _path, ...mcpOptions } = file.mcp ?? {};
  const onError = ({ message }: Error): void => logger.info({ why: message }, 'mcp');
  const { serveMcpStdio } = await import('../../adapters/mcp.js');
  const code = settings.code === true ? { tools: ['run_program', 'search_tools'] } : {};
  const stdio = await serveMcpStdio(engine, { onError, ...mcpOptions, ...code });
  const end = (): void => void stdio.close();
  const reload = (next: ConfigFile): Promise<void> => {
    const { plugins } = engineOptionsFor(named, next, logger, capabilities);
    return engine.reload({ plugins });
  };
  const failedNow = () => findingsOf(engine.plugins(), everywhere, capabilities);
  const removeListener = capabilities.onHangup(
    () => void reloadConfig(reloader, reload, logger, failedNow),
  );
  capabilities.interrupted.addEventListener('abort', end, { once: true });
  if (capabilities.interrupted.aborted) end();
  logger.info({ tools: engine.catalog.list().length }, 'serving');
  await stdio.closed;
  removeListener();
  return EXIT.ok;
}
