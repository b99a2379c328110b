import type { Command } from 'commander';
import type { EngineOptions, Logger } from '../engine/types/options.js';
import { freeMemory } from '../engine/node/free-memory.js';
import type { RunnerOptions } from '../fleet/options.js';
import type { Runner } from '../fleet/runner-api.js';
import { BULKHEAD_VERSION } from '../fleet/version.js';
import type { ConfigFile } from '../http/config.js';
import { completeCredentials } from '../http/credentials.js';
import type { HttpListener } from '../http/listen.js';
import type { MetricsServer } from '../http/metrics.js';
import type { MeteredRunner } from '../metrics/meter.js';
import type { RunCommand } from './call.js';
import { collect } from './arguments.js';
import type { CliCapabilities } from './capabilities.js';
import { addEngineOptions, auditOf, type EngineSettings } from './engine-options.js';
import { EXIT, type ExitCode } from './exit-codes.js';
import { usageError } from './failure.js';
import { print } from './output.js';
import { readPowerModules } from './power-modules.js';
import { readConfigFile } from './serve/config-file.js';
import { engineOptionsFor, type HostAndPort, parseHostAndPort } from './serve/options.js';
import { makeServerLog } from './serve/log.js';

interface RunnerSettings extends EngineSettings {
  readonly server?: readonly string[];
  readonly name?: string;
  readonly gatewayKey?: readonly string[];
  readonly state?: string;
  readonly cell?: string;
  readonly nkey?: string;
  readonly credentials?: string;
  readonly ca?: string;
  readonly allowPlaintext?: boolean;
  readonly tenant?: readonly string[];
  readonly maxCalls?: number;
  readonly metrics?: HostAndPort;
  /** The configuration file. */
  readonly config?: string;
  readonly json?: boolean;
}

export function addRunner(program: Command, run: RunCommand): void {
  const command = program
    .command('runner')
    .description(
      'run the calls that gateways send over NATS, until interrupted: see docs/fleet.md',
    );
  addEngineOptions(command)
    .option(
      '--config <FILE>',
      "the gateways' configuration file: what it says about plugins counts here too (default: none)",
    )
    .option('--server <URL>', 'a NATS server, e.g. tls://nats:4222; repeatable', collect)
    .option('--name <NAME>', "this runner's name, unique in its cell")
    .option(
      '--gateway-key <FILE>',
      'public keys of the gateways that may send calls; repeatable',
      collect,
    )
    .option('--state <DIR>', 'directory for the ids of calls that ran')
    .option('--cell <NAME>', 'the cell of gateways and runners (default: main)')
    .option('--nkey <FILE>', 'seed of the NKey for NATS (default: none)')
    .option('--credentials <FILE>', 'credentials (.creds) for NATS (default: none)')
    .option('--ca <FILE>', "certificate authorities of the NATS servers (default: Node's)")
    .option('--allow-plaintext', 'allow nats:// to other hosts than loopback')
    .option('--tenant <NAME>', 'serve this tenant alone; repeatable (default: all)', collect)
    .option('--max-calls <N>', 'calls that run at once (default: 64)', parseCount)
    .option(
      '--metrics <HOST:PORT>',
      'serve Prometheus metrics of this runner there, under /metrics, for the token BULKHEAD_VIEW_TOKEN (default: none)',
      parseHostAndPort,
    )
    .option('--json', 'print JSON')
    .action((settings: RunnerSettings) =>
      run((capabilities) => serveCalls(settings, capabilities), { endsWhenInterrupted: true }),
    );
}

/** Runs calls until interrupted. Then it takes no more calls, and finishes those that run. */
async function serveCalls(
  settings: RunnerSettings,
  capabilities: CliCapabilities,
): Promise<ExitCode> {
  const file = settings.config === undefined ? {} : await readConfigFile(settings, capabilities);
  const lock = required(settings.lock ?? file.lockFile, '--lock FILE');
  const fleet = fleetOf(settings);
  await capabilities.readFile(lock).catch(() => {
    throw usageError('--lock', `the lock file ${lock} does not exist; copy it from a gateway`);
  });
  const logger = makeServerLog(capabilities.stderr, () => new Date());
  const options: RunnerOptions = {
    ...engineOf(settings, file, logger, capabilities),
    powers: await readPowerModules(settings.power, capabilities),
    // Without a file, the log is in NATS.
    ...auditOf(settings, {}),
    lockFile: lock,
    fleet,
  };
  const { startRunner } = await import('../fleet/start-runner.js');
  const view = capabilities.environment['BULKHEAD_VIEW_TOKEN'];
  if (settings.metrics !== undefined && (view === undefined || view === '')) {
    throw usageError(
      '--metrics',
      '--metrics needs a token for who reads them; set the variable BULKHEAD_VIEW_TOKEN',
    );
  }
  const metrics =
    settings.metrics === undefined
      ? undefined
      : await (
          await import('../http/metrics.js')
        ).makeMetricsServer({
          runners: () => (runner === undefined ? [] : [meteredOf(runner)]),
          build: { version: BULKHEAD_VERSION, node: capabilities.machine.node },
        });
  let runner: Runner | undefined;
  runner = await startRunner({
    ...options,
    ...(metrics === undefined ? {} : { onEvent: metrics.listener }),
  });
  const scraped = await listenForMetrics(metrics, settings.metrics, view, logger);
  for (const { plugin, message } of runner.problems()) logger.warn({ plugin }, message);
  const removeListener = capabilities.onHangup(() => {
    runner.reload().then(
      () => logger.info({}, 'reloaded the lock file'),
      (error: unknown) => logger.error({ why: String(error) }, 'the reload failed'),
    );
  });
  const { name } = fleet;
  await print(settings, capabilities, { runner: name }, `runner ${name} is ready\n`);
  await interrupted(capabilities.interrupted);
  removeListener();
  logger.info({ calls: runner.callsUnderWay }, 'stopping; running calls may finish');
  await runner.drain();
  await scraped?.close(false);
  logger.info({}, 'stopped');
  return EXIT.ok;
}

/** The engine's options: those of the gateways for plugins, without what runs on a gateway. */
function engineOf(
  settings: RunnerSettings,
  file: ConfigFile,
  logger: Logger,
  capabilities: CliCapabilities,
): EngineOptions {
  const { auditKey: _key, auditAnchor: _anchor, ...own } = settings;
  const { plugins: _plugins, remotes: _remotes, audit: _audit, ...shared } = file;
  return engineOptionsFor(own, shared, logger, capabilities);
}

async function listenForMetrics(
  metrics: MetricsServer | undefined,
  at: HostAndPort | undefined,
  view: string | undefined,
  logger: ReturnType<typeof makeServerLog>,
): Promise<HttpListener | undefined> {
  if (metrics === undefined || at === undefined || view === undefined) return undefined;
  const door = { credentials: completeCredentials({ view }), openLoopback: false };
  const listener = await metrics.listen(at, door);
  logger.info({ url: `${listener.url}/metrics` }, 'serving metrics');
  return listener;
}

function meteredOf({ name, state, callsUnderWay, maxCalls }: Runner): MeteredRunner {
  return { name, state, callsUnderWay, maxCalls, freeMemory: freeMemory() };
}

function fleetOf(settings: RunnerSettings): RunnerOptions['fleet'] {
  const { cell, nkey, credentials, ca, tenant, allowPlaintext, maxCalls } = settings;
  return {
    servers: required(settings.server, '--server URL'),
    name: required(settings.name, '--name NAME'),
    gatewayKeys: required(settings.gatewayKey, '--gateway-key FILE'),
    stateDirectory: required(settings.state, '--state DIR'),
    ...(cell === undefined ? {} : { cell }),
    ...(nkey === undefined ? {} : { nkeyFile: nkey }),
    ...(credentials === undefined ? {} : { credentialsFile: credentials }),
    ...(ca === undefined ? {} : { caFile: ca }),
    ...(allowPlaintext === undefined ? {} : { allowPlaintext }),
    ...(tenant === undefined ? {} : { tenants: tenant }),
    ...(maxCalls === undefined ? {} : { maxCalls }),
  };
}

function required<Value>(value: Value | undefined, option: string): Value {
  if (value !== undefined) return value;
  const [name = option] = option.split(' ');
  throw usageError(name, `A runner needs ${name}. Add ${option}; docs/fleet.md has an example.`);
}

function parseCount(text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count > 0) return count;
  throw usageError('--max-calls', `--max-calls takes a whole number above 0, not ${text}`);
}

function interrupted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
