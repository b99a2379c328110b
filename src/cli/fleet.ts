import type { Command } from 'commander';
import type { AuditVerdict } from '../audit/verify.js';
import { didYouMean } from '../did-you-mean.js';
import type { RunnerAudit } from '../fleet/audit-watch.js';
import type { FleetOperator } from '../fleet/operator.js';
import type { RunnerStatus } from '../fleet/options.js';
import type { Pin } from '../fleet/pins.js';
import { visible } from '../visible.js';
import { collect } from './arguments.js';
import type { RunCommand } from './call.js';
import type { CliCapabilities } from './capabilities.js';
import { EXIT, type ExitCode } from './exit-codes.js';
import { usageError } from './failure.js';
import { requireLockFile } from './lock/options.js';
import { formatTable, makePaint, print } from './output.js';
import { DEFAULT_FILE, readConfigFile } from './serve/config-file.js';

interface FleetSettings {
  readonly config?: string;
  readonly lock?: string | undefined;
  readonly tenant?: string;
  readonly storageCopied?: boolean;
  readonly key?: readonly string[];
  readonly json?: boolean;
}

export function addFleet(program: Command, run: RunCommand): void {
  program
    .command('fleet')
    .description(
      "show the runners of a gateway's cell, move a plugin with state to another runner, or verify the runners' audit logs: see docs/fleet.md",
    )
    .argument('[action]', 'status, move or verify', 'status')
    .argument('[plugin]', 'move: id of the plugin')
    .argument('[runner]', 'move: the runner that has its storage now')
    .option('--config <FILE>', `the gateway's configuration, with fleet (default: ${DEFAULT_FILE})`)
    .option('--lock <FILE>', 'move: the lock file (default: that of the configuration)')
    .option('--tenant <NAME>', 'move: only the calls of this tenant (default: those without one)')
    .option(
      '--storage-copied',
      'move, although the former runner is there: it did not run while its storage was copied',
    )
    .option(
      '--key <FILE>',
      'verify: fail unless records are signed with a public key of this file; repeatable',
      collect,
    )
    .option('--json', 'print one line of JSON')
    .action(
      (
        action: string,
        plugin: string | undefined,
        runner: string | undefined,
        settings: FleetSettings,
      ) => run((capabilities) => runFleet(action, { plugin, runner }, settings, capabilities)),
    );
}

interface MoveArguments {
  readonly plugin: string | undefined;
  readonly runner: string | undefined;
}

async function runFleet(
  action: string,
  move: MoveArguments,
  settings: FleetSettings,
  capabilities: CliCapabilities,
): Promise<ExitCode> {
  if (!['status', 'move', 'verify'].includes(action)) {
    throw usageError('action', `fleet takes status, move or verify, not ${visible(action)}`);
  }
  requireFitting(action, move, settings);
  const { fleet, lockFile } = await readConfigFile(settings, capabilities);
  if (fleet === undefined) {
    throw usageError(
      '--config',
      `${settings.config ?? DEFAULT_FILE} is missing or has no fleet; name the configuration of a gateway, as docs/fleet.md shows it`,
    );
  }
  const { openFleetOperator } = await import('../fleet/operator.js');
  await using operator = await openFleetOperator(fleet);
  if (action === 'verify') return await verify(operator, settings, capabilities);
  if (action === 'status') return await status(operator, settings, capabilities);
  return await movePlugin(operator, move, { lock: lockFile, ...settings }, capabilities);
}

/** Refuses what the action would not use. */
function requireFitting(action: string, move: MoveArguments, settings: FleetSettings): void {
  const { tenant, storageCopied, key, lock } = settings;
  if (action !== 'move') {
    const [unused] = [
      ...(move.plugin === undefined ? [] : [move.plugin]),
      ...(tenant === undefined ? [] : ['--tenant']),
      ...(storageCopied === true ? ['--storage-copied'] : []),
      ...(lock === undefined ? [] : ['--lock']),
    ];
    if (unused !== undefined) throw usageError('action', `${visible(unused)} needs \`fleet move\``);
  }
  if (action !== 'verify' && key !== undefined) {
    throw usageError('--key', '--key needs `fleet verify`');
  }
}

async function status(
  operator: FleetOperator,
  settings: FleetSettings,
  capabilities: CliCapabilities,
): Promise<ExitCode> {
  const [runners, pins] = await Promise.all([operator.runners(), operator.pins()]);
  const rows = runners.map((one) => [
    one.name,
    one.state,
    one.version,
    `${one.callsUnderWay} of ${one.maxCalls}`,
    `${Math.round(one.freeMemory / 1024 ** 2)} MiB`,
    String(one.artifacts.length),
    one.tenants?.map(visible).join(', ') ?? 'all',
  ]);
  const heading = ['RUNNER', 'STATE', 'VERSION', 'CALLS', 'FREE', 'PLUGINS', 'TENANTS'];
  const text =
    runners.length === 0
      ? 'no runner sent a heartbeat within 2.5 seconds\n'
      : formatTable([heading, ...rows.map((row) => row.map(visible))]);
  await print(settings, capabilities, { ok: true, runners, pins }, `${text}${formatPins(pins)}`);
  return EXIT.ok;
}

function formatPins(pins: readonly Pin[]): string {
  if (pins.length === 0) return '';
  const rows = pins.map(({ plugin, tenant, runner }) => [plugin, tenant ?? '-', runner]);
  return `\n${formatTable([['PLUGIN WITH STATE', 'TENANT', 'RUNNER'], ...rows.map((row) => row.map(visible))])}`;
}

async function movePlugin(
  operator: FleetOperator,
  { plugin, runner }: MoveArguments,
  settings: FleetSettings,
  capabilities: CliCapabilities,
): Promise<ExitCode> {
  if (plugin === undefined || runner === undefined) {
    throw usageError('plugin', 'name the plugin and the runner: bulkhead fleet move PLUGIN RUNNER');
  }
  const artifact = await artifactOf(plugin, settings, capabilities);
  const { tenant } = settings;
  const [runners, pins] = await Promise.all([operator.runners(), operator.pins()]);
  requireAble(runner, runners, { plugin, artifact, tenant });
  const from = pins.find((pin) => pin.plugin === plugin && pin.tenant === tenant)?.runner;
  const former = runners.find(({ name, state }) => name === from && state !== 'leaving');
  // guard: fleet-move-after-former-runner-stopped
  if (former !== undefined && from !== runner && settings.storageCopied !== true) {
    throw usageError(
      'runner',
      `${plugin} keeps its state on ${former.name}, which still runs; stop it, copy its storage directory to ${runner}, and run this again (or with --storage-copied, if you have copied it while ${former.name} did not run)`,
    );
  }
  await operator.move(plugin, runner, tenant);
  const whose = tenant === undefined ? 'without a tenant' : `of ${visible(tenant)}`;
  await print(
    settings,
    capabilities,
    {
      ok: true,
      plugin,
      runner,
      ...(tenant === undefined ? {} : { tenant }),
      ...(from === undefined ? {} : { from }),
    },
    `calls ${whose} of ${visible(plugin)} run on ${visible(runner)} from now on${from === undefined ? '' : `, not on ${visible(from)}`}\n`,
  );
  return EXIT.ok;
}

/** The artifact of a plugin. A misspelt plugin would be moved without an effect. */
async function artifactOf(
  plugin: string,
  { lock }: FleetSettings,
  capabilities: CliCapabilities,
): Promise<string> {
  if (lock === undefined) {
    throw usageError('--lock', "moving a plugin needs the gateway's lock file; add --lock FILE");
  }
  const file = capabilities.openLockfile(lock, { plugins: [] });
  await requireLockFile(file, capabilities);
  const { plugins } = file.read();
  const found = Object.hasOwn(plugins, plugin) ? plugins[plugin] : undefined;
  if (found !== undefined) return found.artifact;
  const ids = Object.keys(plugins);
  const meant = didYouMean(plugin, ids);
  const hint = meant === undefined ? `it has ${ids.join(', ')}` : `did you mean ${meant}?`;
  throw usageError('plugin', `${lock} has no plugin ${visible(plugin)}; ${visible(hint)}`);
}

interface Wanted {
  readonly plugin: string;
  readonly artifact: string;
  readonly tenant: string | undefined;
}

/** Refuses a runner to which calls could not be sent. */
function requireAble(
  runner: string,
  runners: readonly RunnerStatus[],
  { plugin, artifact, tenant }: Wanted,
): void {
  const found = runners.find(({ name }) => name === runner);
  const why =
    found === undefined
      ? `does not run; there are ${runners.map(({ name }) => name).join(', ') || 'no runners'}`
      : found.state === 'leaving'
        ? 'is leaving'
        : !found.artifacts.includes(artifact)
          ? `does not have the accepted version of ${plugin}; give it this lock file`
          : found.tenants !== undefined && !(tenant !== undefined && found.tenants.includes(tenant))
            ? `serves ${found.tenants.join(', ')} alone`
            : undefined;
  if (why !== undefined) throw usageError('runner', visible(`the runner ${runner} ${why}`));
}

async function verify(
  operator: FleetOperator,
  settings: FleetSettings,
  capabilities: CliCapabilities,
): Promise<ExitCode> {
  const logs = await operator.verifyAudit(settings.key);
  const ok = logs.every(({ verdict }) => verdict.ok);
  const paint = makePaint(capabilities.stdout.colour);
  const lineOf = ({ runner, verdict }: RunnerAudit): string =>
    `${paint(verdict.ok ? 'green' : 'red', verdict.ok ? 'intact' : 'BROKEN')}  ${visible(runner)}: ${visible(explain(verdict))}\n`;
  const text = logs.length === 0 ? 'no runner has written a record yet\n' : '';
  await print(settings, capabilities, { ok, logs }, text + logs.map(lineOf).join(''));
  return ok ? EXIT.ok : EXIT.findings;
}

function explain(verdict: AuditVerdict): string {
  if (!verdict.ok) return `${verdict.message}; the ${verdict.records} records before it are intact`;
  const { records, head, attested } = verdict;
  const signed = attested === undefined ? '' : `, ${attested} signed`;
  return `${records} records${signed}, the last is ${head.seq} ${head.hash.slice(0, 16)}`;
}
