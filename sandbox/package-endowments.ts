import { makePackageDenial } from './endowments/denial.js';
import type { EndowmentCapabilities, HostCapability } from './endowments/endowment.js';
import type { PackageShare } from './endowments/endow.js';
import type { LoadedPackage } from './wire/methods.js';

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

/** The capabilities of a plugin as one of its packages has them: denials name the package, and it reaches no host. */
export function capabilitiesOfPackage(
  path: string,
  capabilities: EndowmentCapabilities,
): EndowmentCapabilities {
  const denial: EndowmentCapabilities['denial'] = (permission, wanted) => {
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
