import { didYouMean } from '../../did-you-mean.js';
import type { FleetOperator } from '../../fleet/operator.js';
import type { RunnerStatus } from '../../fleet/options.js';
import { visible } from '../../visible.js';
import type { CliCapabilities } from '../capabilities.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { usageError } from '../failure.js';
import { requireLockFile } from '../lock/options.js';
import { print } from '../output.js';
import type { FleetSettings } from './settings.js';

export interface MoveArguments {
  readonly plugin: string | undefined;
  readonly runner: string | undefined;
}

/** `bulkhead fleet move`: sends the calls of a plugin with state to another runner. */
export async function movePlugin(
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
