import type { Command } from 'commander';
import { explainTarget, type Stop, type StopTarget } from '../stops/stop.js';
import { visible } from '../visible.js';
import type { RunCommand } from './call.js';
import type { CliCapabilities } from './capabilities.js';
import { EXIT, type ExitCode } from './exit-codes.js';
import { usageError } from './failure.js';
import { operatorName } from './lock/options.js';
import { formatTable, print } from './output.js';

interface StopSettings {
  readonly everything?: boolean;
  readonly tenant?: string;
  readonly reason?: string;
  readonly storageDirectory?: string;
  readonly json?: boolean;
}

/** The kill switch: `stop` and `resume`. */
export function addStops(program: Command, run: RunCommand): void {
  withTarget(
    program
      .command('stop')
      .description(
        'stop everything, one plugin or one tenant at once, also after a restart; without arguments: list what is stopped',
      ),
  )
    .option('--reason <TEXT>', 'reason, for the other operators and the audit log')
    .action((plugin: string | undefined, settings: StopSettings) =>
      run((capabilities) => stop(plugin, settings, capabilities)),
    );
  withTarget(
    program.command('resume').description('allow again what `bulkhead stop` stopped'),
  ).action((plugin: string | undefined, settings: StopSettings) =>
    run((capabilities) => resume(plugin, settings, capabilities)),
  );
}

function withTarget(command: Command): Command {
  return command
    .argument('[plugin]', 'id of the plugin or remote server')
    .option('--everything', 'all plugins, remote servers and programs')
    .option('--tenant <NAME>', 'the calls and programs of one tenant')
    .option(
      '--storage-directory <DIR>',
      "the storage directory of the engines (default: that of the user's data directory)",
    )
    .option('--json', 'print one line of JSON');
}

async function stop(
  plugin: string | undefined,
  settings: StopSettings,
  capabilities: CliCapabilities,
): Promise<ExitCode> {
  const target = targetOf(plugin, settings);
  const stops = capabilities.openStops(settings.storageDirectory);
  if (target === undefined) {
    if (settings.reason !== undefined) throw missing('stop');
    const list = stops.list();
    await print(settings, capabilities, { ok: true, stops: list }, formatStops(list));
    return EXIT.ok;
  }
  const { reason } = settings;
  await stops.stop(target, {
    by: operatorName(capabilities),
    ...(reason === undefined ? {} : { reason }),
  });
  await print(
    settings,
    capabilities,
    { ok: true, stopped: target },
    `stopped ${visible(explainTarget(target))}; engines with this storage directory apply it within 250 ms\n`,
  );
  return EXIT.ok;
}

async function resume(
  plugin: string | undefined,
  settings: StopSettings,
  capabilities: CliCapabilities,
): Promise<ExitCode> {
  const target = targetOf(plugin, settings);
  if (target === undefined) throw missing('resume');
  const stops = capabilities.openStops(settings.storageDirectory);
  if (!(await stops.resume(target, { by: operatorName(capabilities) }))) {
    throw usageError(
      'plugin',
      `${visible(explainTarget(target))} is not stopped; \`bulkhead stop\` lists what is stopped`,
    );
  }
  await print(
    settings,
    capabilities,
    { ok: true, resumed: target },
    `resumed ${visible(explainTarget(target))}\n`,
  );
  return EXIT.ok;
}

function targetOf(
  plugin: string | undefined,
  { everything, tenant }: StopSettings,
): StopTarget | undefined {
  const targets: StopTarget[] = [
    ...(everything === true ? [{ everything } as const] : []),
    ...(plugin === undefined ? [] : [{ plugin }]),
    ...(tenant === undefined ? [] : [{ tenant }]),
  ];
  if (targets.length < 2) return targets[0];
  throw usageError(
    'plugin',
    'name a plugin, or --tenant, or --everything, and not several of them',
  );
}

function missing(command: string) {
  return usageError(
    'plugin',
    `name what to ${command}: a plugin, or --tenant NAME, or --everything`,
  );
}

function formatStops(stops: readonly Stop[]): string {
  if (stops.length === 0) return 'nothing is stopped\n';
  return formatTable([
    ['STOPPED', 'BY', 'SINCE', 'REASON'],
    ...stops.map(({ target, by, atMs, reason }) =>
      [explainTarget(target), by, new Date(atMs).toISOString(), reason ?? ''].map(visible),
    ),
  ]);
}
