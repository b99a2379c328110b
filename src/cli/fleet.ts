import type { Command } from 'commander';
import { type Anchor, type AuditVerdict, formatAnchor, parseAnchors } from '../audit/verify.js';
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
import { formatTable, makePaint, type Paint, print } from './output.js';
import { DEFAULT_FILE, readConfigFile } from './serve/config-file.js';

interface FleetSettings {
  readonly config?: string;
  readonly lock?: string | undefined;
  readonly tenant?: string;
  readonly storageCopied?: boolean;
  readonly key?: readonly string[];
  readonly anchor?: readonly string[];
  readonly json?: boolean;
}

export function addFleet(program: Command, run: RunCommand): void {
  program
    .command('fleet')
    .description(
      "show the runners of a gateway's cell, move a plugin with state to another runner, verify the runners' audit logs, or print anchors of them: see docs/fleet.md",
    )
    .argument('[action]', 'status, move, verify or anchor', 'status')
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
    .option(
      '--anchor <RUNNER=TEXT>',
      'verify: fail unless the log of the runner contains these anchors; text, or @file; @file alone: what `fleet anchor` printed; repeatable',
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
  if (!['status', 'move', 'verify', 'anchor'].includes(action)) {
    throw usageError(
      'action',
      `fleet takes status, move, verify or anchor, not ${visible(action)}`,
    );
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
  if (action === 'anchor') return await printAnchors(operator, settings, capabilities);
  if (action === 'status') return await status(operator, settings, capabilities);
  return await movePlugin(operator, move, { lock: lockFile, ...settings }, capabilities);
}

/** Refuses what the action would not use. */
function requireFitting(action: string, move: MoveArguments, settings: FleetSettings): void {
  const { tenant, storageCopied, key, anchor, lock } = settings;
  if (action !== 'move') {
    const [unused] = [
      ...(move.plugin === undefined ? [] : [move.plugin]),
      ...(tenant === undefined ? [] : ['--tenant']),
      ...(storageCopied === true ? ['--storage-copied'] : []),
      ...(lock === undefined ? [] : ['--lock']),
    ];
    if (unused !== undefined) throw usageError('action', `${visible(unused)} needs \`fleet move\``);
  }
  if (action === 'verify') return;
  const [option] = [
    ...(key === undefined ? [] : ['--key']),
    ...(anchor === undefined ? [] : ['--anchor']),
  ];
  if (option !== undefined) throw usageError(option, `${option} needs \`fleet verify\``);
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
  const anchors = await anchorsOf(settings.anchor ?? [], capabilities);
  const logs = await operator.verifyAudit({ keys: settings.key, anchors });
  const ok = logs.every(({ verdict }) => verdict.ok);
  const isUnanchored = logs.some(({ verdict }) => verdict.ok && verdict.anchored === 0);
  const text = [
    ...(logs.length === 0 ? ['no runner has written a record yet\n'] : []),
    formatLogs(logs, makePaint(capabilities.stdout.colour)),
    ...(ok && isUnanchored ? UNANCHORED : []),
  ].join('');
  await print(settings, capabilities, { ok, logs }, text);
  return ok ? EXIT.ok : EXIT.findings;
}

const UNANCHORED = [
  'only an anchor detects records cut off at the end, or a log that was removed: store the output of\n',
  '`bulkhead fleet anchor` where NATS and the runners cannot write, and verify with --anchor @FILE\n',
];

/** Prints a line for each runner. It later proves that no earlier record of its log is missing. */
async function printAnchors(
  operator: FleetOperator,
  settings: FleetSettings,
  capabilities: CliCapabilities,
): Promise<ExitCode> {
  const { stderr } = capabilities;
  const logs = await operator.verifyAudit({});
  if (logs.some(({ verdict }) => !verdict.ok)) {
    await stderr.write(formatLogs(logs, makePaint(stderr.colour)));
    return EXIT.findings;
  }
  const anchors = logs.flatMap(({ runner, verdict }) =>
    verdict.ok ? [{ runner, ...verdict.head, anchor: formatAnchor(verdict.head) }] : [],
  );
  const text = anchors.map(({ runner, anchor }) => `${visible(runner)}=${anchor}\n`).join('');
  await print(settings, capabilities, { ok: true, anchors }, text);
  return EXIT.ok;
}

function formatLogs(logs: readonly RunnerAudit[], paint: Paint): string {
  return logs
    .flatMap(({ runner, verdict }) => [
      `${paint(verdict.ok ? 'green' : 'red', verdict.ok ? 'intact' : 'BROKEN')}  ${visible(runner)}: ${visible(explain(verdict))}\n`,
      ...(verdict.ok ? verdict.notes.map((note) => `  ${visible(note)}\n`) : []),
    ])
    .join('');
}

/** The anchors of `RUNNER=TEXT`, `RUNNER=@FILE` and `@FILE`, by runner. */
async function anchorsOf(
  given: readonly string[],
  { readFile }: CliCapabilities,
): Promise<ReadonlyMap<string, readonly Anchor[]>> {
  const read = (path: string): Promise<string> =>
    readFile(path).catch(() => {
      throw usageError('--anchor', `--anchor cannot read ${visible(path)}`);
    });
  const anchors = new Map<string, readonly Anchor[]>();
  const add = (runner: string, text: string): void => {
    anchors.set(runner, [...(anchors.get(runner) ?? []), ...parseAnchors(text)]);
  };
  for (const one of given) {
    const [, name = '', text = ''] = /^([a-z0-9-]*)=(.*)$/s.exec(one) ?? [];
    if (name !== '') {
      add(name, text.startsWith('@') ? await read(text.slice(1)) : text);
      continue;
    }
    const lines = one.startsWith('@') ? linesOf(await read(one.slice(1))) : [];
    if (lines.length === 0) {
      throw usageError(
        '--anchor',
        `--anchor takes RUNNER=bulkhead-audit:NUMBER:HASH, RUNNER=@FILE, or @FILE with the output of \`bulkhead fleet anchor\`, not ${visible(one)}`,
      );
    }
    for (const { runner, anchor } of lines) add(runner, anchor);
  }
  return anchors;
}

/** The lines that `fleet anchor` printed. */
function linesOf(text: string): readonly { readonly runner: string; readonly anchor: string }[] {
  return [...text.matchAll(/^(?<runner>[a-z0-9-]+)=(?<anchor>bulkhead-audit:\S+)$/gm)].map(
    ({ groups }) => ({ runner: groups?.['runner'] ?? '', anchor: groups?.['anchor'] ?? '' }),
  );
}

function explain(verdict: AuditVerdict): string {
  if (!verdict.ok) return `${verdict.message}; the ${verdict.records} records before it are intact`;
  const { records, head, anchored, attested } = verdict;
  const proven = anchored === 0 ? '' : `, ${anchored} anchored`;
  const signed = attested === undefined ? '' : `, ${attested} signed`;
  return `${records} records${proven}${signed}, the last is ${head.seq} ${head.hash.slice(0, 16)}`;
}
