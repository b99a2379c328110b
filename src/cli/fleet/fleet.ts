import type { Command } from 'commander';
import type { FleetOperator } from '../../fleet/operator.js';
import type { Pin } from '../../fleet/pins.js';
import { visible } from '../../visible.js';
import { collect } from '../arguments.js';
import type { RunCommand } from '../call.js';
import type { CliCapabilities } from '../capabilities.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { usageError } from '../failure.js';
import { formatTable, print } from '../output.js';
import { DEFAULT_FILE, readConfigFile } from '../serve/config-file.js';
import { movePlugin, type MoveArguments } from './move.js';
import type { FleetSettings } from './settings.js';
import { printAnchors, verify } from './verify.js';

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
  const { openFleetOperator } = await import('../../fleet/operator.js');
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
