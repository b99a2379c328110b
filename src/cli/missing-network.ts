import type { Engine } from '../engine/engine-api.js';
import type { CliCapabilities } from './capabilities.js';
import type { Failure } from './failure.js';
import type { FailedCall } from './place-failure.js';
import { thrownIn } from './source-spot.js';

/**
 * Adds to the failure of a package that its plugin may not use the network, if the code of the package does.
 * Without the permission there is no `fetch`, and packages that test for it fail with messages of their own. It
 * reads the code, so it takes as long as a build.
 */
export async function explainMissingNetwork(
  failure: Failure,
  engine: Engine,
  { directory, denied = [] }: Omit<FailedCall, 'tool'>,
  { suggestPermissions }: Pick<CliCapabilities, 'suggestPermissions'>,
): Promise<Failure> {
  const [, name] = PACKAGE.exec(thrownIn(failure)?.file ?? '') ?? [];
  if (failure.code !== 'TOOL_FAILED' || name === undefined || denied.length > 0) return failure;
  const entries = engine.plugins().flatMap((plugin) => plugin.entries);
  if (entries.some(({ effective }) => effective.network.length > 0)) return failure;
  const suggestion = await suggestPermissions(directory).catch(() => undefined);
  const uses = [...(suggestion?.items ?? []), ...(suggestion?.open ?? [])].some(
    ({ permission, at }) => permission === 'network' && at.includes(`node_modules/${name}/`),
  );
  if (!uses) return failure;
  return {
    ...failure,
    fix: `${name} uses the network, which the plugin may not: grant the hosts that it calls (--allow network:HOST). A manifest that declares permissions must name them in "network" too. If it needs no network here, check the input.`,
  };
}

/** The package of a file, from its last directory of packages. */
const PACKAGE = /^(?:.*\/)?node_modules\/((?:@[^/]+\/)?[^/]+)\//;
