import { makePackageDenial } from './endowments/denial.js';
import type { EndowmentCapabilities, HostCapability } from './endowments/endowment.js';
import type { PackageShare } from './endowments/endow.js';
import type { LoadedPackage } from './wire/methods.js';
import { OWN_UNIT } from './wire/units.js';

/** The part of the plugin's endowments that a package gets. `env` is by name: see `environmentOfPackage`. */
export function shareOf({ network, ...grant }: LoadedPackage): PackageShare {
  const kinds = ['time', 'random', 'fs', 'storage', 'powers'] as const;
  // guard: package-grant-listed
  const granted = kinds.filter((kind) => grant[kind] === true);
  return {
    granted: new Set(network === undefined ? granted : [...granted, 'network' as const]),
    hosts: network === true ? undefined : network,
  };
}

/**
 * The capabilities of a plugin as a package has them: denials name the package, and it reaches no host. `packageNow`:
 * the package whose code runs.
 */
export function capabilitiesOfPackage(
  packageNow: () => string | undefined,
  capabilities: EndowmentCapabilities,
): EndowmentCapabilities {
  const denial: EndowmentCapabilities['denial'] = (permission, wanted) => {
    const now = packageNow();
    // The plugin's own code may call what a package offers, and that code's grant is another one.
    const path = now === OWN_UNIT ? undefined : now;
    const error = makePackageDenial(capabilities.plugin, path)(permission, wanted);
    capabilities.denied(permission, wanted, error, path);
    return error;
  };
  // Inherits the getters, whose values may change.
  const own: EndowmentCapabilities = Object.create(capabilities, {
    denial: { value: denial },
    host: { value: NO_HOST },
  });
  return own;
}

const refuse = (): never => {
  throw new Error('A package has no host of its own');
};

const NO_HOST: HostCapability = {
  request: refuse,
  requestNow: refuse,
  notify: refuse,
  notifyAlways: refuse,
  openStream: refuse,
  acceptStream: refuse,
};

/** Whether packages with this grant may share a compartment: what it gives is the same for all of them. */
export function isShareable(grant: LoadedPackage, held: EndowmentCapabilities['grant']): boolean {
  const { time, random, env = [], open: _, importsOnly: __, imports: ___, ...more } = grant;
  // Nothing can be added to a shared compartment when the plugin gets more.
  if ((time === true && !held.time) || (random === true && !held.random)) return false;
  // guard: shared-packages-hold-nothing
  return (
    env.length === 0 && Object.values(more).every((value) => value === undefined || value === false)
  );
}

/** `env` with the names of one package. Reading another name of the plugin's is a denial, and gives `undefined`. */
export function environmentOfPackage(
  names: readonly string[],
  { grant, denial }: EndowmentCapabilities,
  whole: unknown,
): { readonly env?: object } {
  if (!isEnvironment(whole)) return {};
  const held = grant.env ?? {};
  const env = {
    get: (key: unknown): string | undefined => {
      const name = String(key);
      // guard: package-variable-named
      if (names.includes(name)) return whole.get(name);
      if (Object.hasOwn(held, name)) denial('env', name);
      return undefined;
    },
  };
  return { env: harden(env) };
}

function isEnvironment(
  value: unknown,
): value is { readonly get: (name: string) => string | undefined } {
  return typeof value === 'object' && value !== null && 'get' in value;
}
