import type { Command } from 'commander';
import type { ConfigFile } from '../../http/config.js';
import type { Engine } from '../../agent/agent.js';
import type { Gateway } from '../../fleet/gateway.js';
import type { RunnerStatus } from '../../fleet/options.js';
import type { HttpListener } from '../../http/listen.js';
import type { Role } from '../../http/credentials.js';
import type { RunningServer, ServerOptions } from '../../http/server.js';
import { plural } from '../../report/words.js';
import type { RunCommand } from '../call.js';
import { readPowerModules } from '../power-modules.js';
import type { CliCapabilities } from '../capabilities.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { usageError } from '../failure.js';
import { print } from '../output.js';
import { auditOf } from '../engine-options.js';
import { makeConsoleUpdates } from './console-updates.js';
import { makeConfigReloader, reloadConfig } from './config-reloader.js';
import { findingsOf, logFindings } from './findings.js';
import { makeServerLog, warnIfEmpty } from './log.js';
import { readConfigFile, readIdentity } from './config-file.js';
import {
  type ServeSettings,
  addServeOptions,
  dropMissing,
  engineOptionsFor,
  REMOTES_WAIT_MS,
  serverOptionsFor,
} from './options.js';

export function addServe(program: Command, run: RunCommand): void {
  const command = program
    .command('serve')
    .description('serve the tools of plugins over HTTP until interrupted');
  addServeOptions(command).action((settings: ServeSettings) =>
    run(
      (capabilities) =>
        settings.checkConfig === true
          ? checkConfig(settings, capabilities)
          : runServe(settings, capabilities, program.version()),
      { endsWhenInterrupted: true },
    ),
  );
}

/** `bulkhead console`: `serve --console`, on a free port, and without a plugin if none is named. */
export function addConsole(program: Command, run: RunCommand): void {
  const command = program
    .command('console')
    .description("open the operator's page: approvals, plugins, calls, audit log and walls");
  addServeOptions(command).action((settings: ServeSettings) =>
    run(
      (capabilities) =>
        runServe({ port: 0, ...settings, console: true }, capabilities, program.version()),
      { endsWhenInterrupted: true },
    ),
  );
}

/**
 * Serves until interrupted. Then it accepts no more requests, waits for running ones, and exits with 0, or
 * with 6 if it aborted some. SIGHUP reloads the configuration and the plugins.
 */
export async function runServe(
  settings: ServeSettings,
  capabilities: CliCapabilities,
  version = '',
): Promise<ExitCode> {
  const logger = makeServerLog(capabilities.stderr, () => new Date());
  const file = await readConfigFile(settings, capabilities);
  const reloader = makeConfigReloader(file, settings, capabilities);
  const console = settings.console === true;
  const approvals = settings.approvals === true || console;
  const lockFile = settings.lock ?? file.lockFile;
  // Loaded here, because the other commands need no server.
  const { checkServerOptions, startServer } = await import('../../http/server.js');
  const metrics =
    settings.metrics === undefined
      ? undefined
      : await (
          await import('../../http/metrics.js')
        ).makeMetricsServer({
          remotes: () => remotesOf(engine),
          runners: () => runnersOf(engine),
          build: { version, node: capabilities.machine.node },
        });
  const options = {
    ...serverOptionsFor(settings, file, capabilities),
    approvals,
    ...(console
      ? {
          console: {
            operator: capabilities.operator,
            inputs: auditOf(settings, file.audit).audit,
            ...(file.fleet === undefined ? {} : { runners: () => runnersOf(engine) }),
            ...(file.recent === undefined ? {} : { recent: file.recent }),
            ...(lockFile === undefined
              ? {}
              : { updates: makeConsoleUpdates({ ...settings, lock: lockFile }, capabilities) }),
          },
        }
      : {}),
    ...(metrics === undefined ? {} : { onRequest: metrics.request }),
  };
  // Before the plugins are loaded, which may take long.
  checkServerOptions(options);
  let url = options.publicUrl ?? '';
  const engineOptions = await dropMissing(
    engineOptionsFor(settings, file, logger, capabilities),
    capabilities,
  );
  const createEngine = await engineMakerOf(file, capabilities);
  const engine: Engine = await createEngine({
    ...engineOptions,
    remotesWaitMs: REMOTES_WAIT_MS,
    powers: await readPowerModules(settings.power, capabilities),
    ...(engineOptions.audit !== undefined && options.openLoopback === true
      ? { audit: { ...engineOptions.audit, exceptions: ['open-loopback'] } }
      : {}),
    ...reloader.policies,
    // A person answers later, so undeclared writes are held as if the engine had an approver.
    ...(!approvals || settings.yes === true || settings.effects !== undefined
      ? {}
      : { effects: 'ask' as const }),
    ...(metrics === undefined ? {} : { onEvent: metrics.listener }),
    identity: await readIdentity(file, () => url, capabilities),
  });
  let scraped: HttpListener | undefined;
  try {
    const named = [...(settings.plugins ?? []), ...(file.plugins ?? [])];
    await warnIfEmpty(named, engine, capabilities, logger);
    // While there is a listener, calls wait for the answers.
    if (approvals) {
      engine.approvals.on('request', ({ approvalId, id, risk }) =>
        logger.info({ approval: approvalId, tool: id, risk }, 'a call waits for approval'),
      );
    }
    const server = await startServer(engine, options, logger);
    url = server.url;
    const { openLoopback = false } = options;
    if (settings.metrics !== undefined) {
      scraped = await metrics?.listen(settings.metrics, {
        get credentials() {
          return server.credentials;
        },
        openLoopback,
      });
      logger.info({ url: `${scraped?.url ?? ''}/metrics` }, 'serving metrics');
    }
    if (openLoopback) {
      logger.warn(
        { url },
        'every process of this machine can call and view without a token (--open-loopback)',
      );
    }
    const reload = async (next: ConfigFile): Promise<void> => {
      directories = [...(settings.plugins ?? []), ...(next.plugins ?? [])];
      const { credentials, tokens } = serverOptionsFor(settings, next, capabilities);
      const { plugins } = engineOptionsFor(settings, next, logger, capabilities);
      await server.reload({
        plugins,
        ...(credentials && { credentials }),
        ...(tokens === undefined ? {} : { tokens }),
      });
    };
    let directories = named;
    const failedNow = () => findingsOf(engine.plugins(), directories, capabilities);
    const removeListener = capabilities.onHangup(
      () => void reloadConfig(reloader, reload, logger, failedNow),
    );
    await printStarted(settings, server, options, capabilities);
    logger.info({ url, tools: engine.catalog.list().length }, 'serving');
    if ((options.tokens?.jwks ?? []).length === 0) {
      if (options.mcp === undefined && !console) {
        logger.warn(
          {},
          'no issuer is trusted and there is no MCP endpoint, so no tool can be called; add --jwks ISSUER=URL or --mcp /mcp',
        );
      }
    } else if ((options.tokens?.audience ?? []).length === 0) {
      logger.warn({}, 'without --audience, tokens for other servers are accepted too');
    }
    await interrupted(capabilities.interrupted);
    removeListener();
    logger.info({}, 'stopping; running calls may finish');
    const finished = await server.stop();
    if (!finished) logger.warn({}, 'some calls did not finish in time and were aborted');
    logger.info({}, 'stopped');
    return finished ? EXIT.ok : EXIT.timeout;
  } finally {
    await scraped?.close(false);
    await engine.close();
  }
}

/** Creates the engine of a server: with `fleet` in the configuration, one whose tools run on runners. */
async function engineMakerOf(
  { fleet }: ConfigFile,
  capabilities: CliCapabilities,
): Promise<CliCapabilities['createEngine']> {
  if (fleet === undefined) return capabilities.createEngine;
  const { createGateway } = await import('../../fleet/gateway.js');
  return (options) => {
    const { lockFile } = options;
    if (lockFile === undefined) {
      throw usageError('--lock', 'a fleet runs what a lock file accepts; add --lock FILE');
    }
    return createGateway({ ...options, lockFile, fleet });
  };
}

/** The runners of a gateway. Another engine has none. */
function runnersOf(engine: Engine | Gateway): readonly RunnerStatus[] {
  return 'runners' in engine ? engine.runners() : [];
}

/** The remote tool servers, and whether each answered when it was last asked. */
function remotesOf(
  engine: Pick<Engine, 'plugins'>,
): readonly { readonly id: string; readonly isUp: boolean }[] {
  return engine
    .plugins()
    .filter(({ format }) => format === 'mcp' || format === 'vertesia')
    .map(({ id, state }) => ({ id, isUp: state === 'active' }));
}

/**
 * Checks the configuration as `serve` would read it, without opening a port: prints what is wrong, and
 * exits with 1 if a plugin fails. A directory without a plugin is a warning.
 */
async function checkConfig(
  settings: ServeSettings,
  capabilities: CliCapabilities,
): Promise<ExitCode> {
  const file = await readConfigFile(settings, capabilities);
  const { checkServerOptions } = await import('../../http/server.js');
  checkServerOptions(serverOptionsFor(settings, file, capabilities));
  const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  const { policies } = makeConfigReloader(file, settings, capabilities);
  const options = await dropMissing(
    engineOptionsFor(settings, file, quiet, capabilities),
    capabilities,
  );
  const engine = await capabilities.createEngine({
    ...options,
    powers: await readPowerModules(settings.power, capabilities),
    ...policies,
  });
  try {
    const plugins = engine.plugins();
    const named = [...(settings.plugins ?? []), ...(file.plugins ?? [])];
    const findings = await findingsOf(plugins, named, capabilities);
    logFindings(
      findings,
      makeServerLog(capabilities.stderr, () => new Date()),
    );
    const failed = findings.filter(({ level }) => level === 'error').length;
    const summary = { ok: failed === 0, plugins: plugins.length, findings };
    await print(
      settings,
      capabilities,
      summary,
      failed === 0
        ? `The configuration is valid: ${plural(plugins.length, 'plugin')}, ${plural(engine.catalog.list().length, 'tool')}.\n`
        : `${plural(failed, 'problem')} in ${plural(plugins.length, 'plugin')}: see standard error.\n`,
    );
    return failed === 0 ? EXIT.ok : EXIT.usage;
  } finally {
    await engine.close();
  }
}

/** Prints the URL and the tokens that were generated. A token that the operator chose is never printed. */
async function printStarted(
  { json }: ServeSettings,
  { url, credentials, consoleLink }: RunningServer,
  { credentials: chosen = {}, mcp, approvals, console }: ServerOptions,
  { stdout }: CliCapabilities,
): Promise<void> {
  const inUse: Readonly<Record<Role, boolean>> = {
    call: mcp !== undefined,
    view: true,
    answer: approvals === true,
    administer: console !== undefined,
  };
  const generated = PRINTED.filter(
    // guard: chosen-token-not-printed
    ({ role }) => inUse[role] && chosen[role] === undefined,
  );
  await print(
    { json },
    { stdout },
    {
      url,
      ...(consoleLink === undefined ? {} : { console: consoleLink }),
      ...Object.fromEntries(generated.map(({ role, key }) => [key, credentials[role]])),
    },
    `${[url, ...(consoleLink === undefined ? [] : [`console (this link works once, for 5 minutes): ${consoleLink}`]), ...generated.map(({ role, text }) => `${text}: ${credentials[role]}`)].join('\n')}\n`,
  );
}

const PRINTED: readonly { readonly role: Role; readonly key: string; readonly text: string }[] = [
  { role: 'call', key: 'token', text: 'token' },
  { role: 'view', key: 'viewToken', text: 'token to view' },
  { role: 'answer', key: 'answerToken', text: 'token to answer approvals' },
  { role: 'administer', key: 'adminToken', text: 'token to administer the console' },
];

function interrupted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
