import type { Command } from 'commander';
import type { ConfigFile } from '../../http/config-file.js';
import type { Listening } from '../../http/listen.js';
import { makeMetricsServer } from '../../http/metrics.js';
import { type RunningServer, startServer } from '../../http/server.js';
import { type Engine, type Logger, makePendingApprovals } from '../../index.js';
import type { RunCommand } from '../call.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import type { CliPowers } from '../powers.js';
import { jsonLine } from '../visible.js';
import { makeServerLog, tellEmpty } from './log.js';
import { engineOptionsFor, readConfigFile, readIdentity, serverOptionsFor } from './options.js';
import { makeRereading, readAgain } from './rereading.js';
import { addServeOptions, type ServeSettings } from './settings.js';

export function addServe(program: Command, run: RunCommand): void {
  const command = program
    .command('serve')
    .description('serve the tools of plugins over HTTP, until told to stop');
  addServeOptions(command).action((settings: ServeSettings) =>
    run((powers) => runServe(settings, powers), { endsWhenInterrupted: true }),
  );
}

/**
 * Serves until it is interrupted. Then it takes no more requests, lets those under way finish, and
 * exits with 0; with 6 where some had to be cut off. SIGHUP has the configuration and the plugins read
 * again.
 */
export async function runServe(settings: ServeSettings, powers: CliPowers): Promise<ExitCode> {
  const logger = makeServerLog(powers.stderr, () => new Date());
  const file = await readConfigFile(settings, powers);
  const rereading = makeRereading(file, settings, powers);
  const approvals = settings.approvals === true ? makePendingApprovals() : undefined;
  const options = {
    ...serverOptionsFor(settings, file, powers),
    ...(approvals === undefined ? {} : { approvals }),
  };
  let url = options.publicUrl ?? '';
  const metrics = settings.metrics === undefined ? undefined : makeMetricsServer();
  const engine = await powers.createEngine({
    ...engineOptionsFor(settings, file, logger, powers),
    ...rereading.policies,
    ...(approvals === undefined || settings.yes === true ? {} : { approve: approvals.approve }),
    ...(metrics === undefined ? {} : { onEvent: metrics.listener }),
    identity: await readIdentity(file, () => url, powers),
  });
  let scraped: Listening | undefined;
  try {
    const named = [...(settings.plugins ?? []), ...(file.plugins ?? [])];
    await tellEmpty(named, engine, powers, logger);
    if (settings.metrics !== undefined) {
      scraped = await metrics?.listen(settings.metrics);
      logger.info({ url: `${scraped?.url ?? ''}/metrics` }, 'serving metrics');
    }
    const server = await startServer(engine, options, logger);
    url = server.url;
    const reload = async (next: ConfigFile): Promise<void> => {
      const { token, tokens } = serverOptionsFor(settings, next, powers);
      const { plugins } = engineOptionsFor(settings, next, logger, powers);
      await server.reload({ plugins, token, ...(tokens === undefined ? {} : { tokens }) });
    };
    const forget = powers.onHangup(() => void readAgain(rereading, reload, logger));
    await tellStarted(settings, server, engine, powers, logger);
    if ((options.tokens?.jwks ?? []).length === 0) {
      logger.warn({}, 'no issuer is trusted, so no tool can be called: name one with --jwks');
    } else if ((options.tokens?.audience ?? []).length === 0) {
      logger.warn({}, 'no --audience is set: tokens made for other servers are believed here, too');
    }
    await interrupted(powers.interrupted);
    forget();
    logger.info({}, 'stopping: calls under way may finish');
    const finished = await server.stop();
    if (!finished) logger.warn({}, 'some calls did not finish in time and were cut off');
    logger.info({}, 'stopped');
    return finished ? EXIT.ok : EXIT.timeout;
  } finally {
    await scraped?.close(false);
    await engine.close();
  }
}

async function tellStarted(
  { json }: ServeSettings,
  { url, token }: RunningServer,
  engine: Engine,
  { stdout }: CliPowers,
  logger: Logger,
): Promise<void> {
  const tools = engine.catalog.list().length;
  await stdout.write(json === true ? jsonLine({ url, token }) : `${url}\ntoken: ${token}\n`);
  logger.info({ url, tools }, 'serving');
}

function interrupted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
