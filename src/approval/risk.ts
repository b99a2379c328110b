import type { PermissionName, Permissions } from '../permissions/kind.js';
import { scopesOf } from '../permissions/permissions.js';
import { permissionNames } from '../permissions/table.js';
import { exceeds, higherBand, type RiskBand } from '../plugin/risk.js';

/** `proven`: the author's declaration can only raise the band. `author`: the declaration decides. */
export type RiskPolicy = 'proven' | 'author';

export interface RiskFacts {
  /** The band that the author declares. */
  readonly declared: RiskBand;
  /** The tool's granted permissions, or that Bulkhead does not confine its code. */
  readonly reach: Permissions | 'remote' | 'unconfined';
  /** Whether the operator trusts this plugin's hints. */
  readonly trusted: boolean;
  readonly policy: RiskPolicy;
  /** The host's band for a power. Default: medium. */
  readonly riskOfPower?: (permission: string) => RiskBand | undefined;
}

export interface Risk {
  readonly band: RiskBand;
  /** The reason for the band, for people. */
  readonly why: string;
}

/**
 * The higher of two bands: the declared one, and the one that the granted permissions make possible.
 * A declared "low" applies if the granted permissions cannot change anything outside the plugin.
 */
export function effectiveRisk(facts: RiskFacts): Risk {
  const { declared, policy } = facts;
  const why = `its author declares it ${declared}`;
  if (policy === 'author') return { band: declared, why };
  const floor = floorOf(facts);
  return exceeds(floor.band, declared) ? floor : { band: declared, why };
}

function floorOf({ reach, trusted, riskOfPower }: RiskFacts): Risk {
  if (reach === 'unconfined') {
    return trusted
      ? { band: 'low', why: 'it runs unconfined, and the operator trusts its hints' }
      : { band: 'high', why: 'it runs unconfined' };
  }
  if (reach === 'remote') {
    return { band: 'medium', why: 'it runs on a remote server, which Bulkhead cannot check' };
  }
  return permissionNames
    .map((name) => FLOORS[name](scopesOf(reach, name), trusted, riskOfPower))
    .reduce((floor, next) => (higherBand(floor.band, next.band) === floor.band ? floor : next));
}

const HARMLESS: Risk = {
  band: 'low',
  why: 'its permissions cannot change anything outside the plugin',
};

/** The lowest band that the scopes of each kind allow. */
const FLOORS: Readonly<
  Record<
    PermissionName,
    (scopes: readonly string[], trusted: boolean, riskOfPower: RiskFacts['riskOfPower']) => Risk
  >
> = {
  time: () => HARMLESS,
  random: () => HARMLESS,
  // The guest gets a copy of the variables.
  env: () => HARMLESS,
  fs: (scopes) =>
    scopes.some((scope) => scope.endsWith(':rw'))
      ? { band: 'medium', why: "it can change the host's files" }
      : HARMLESS,
  // Only the plugin uses the directory.
  storage: () => HARMLESS,
  network: networkFloor,
  powers: (names, _, riskOfPower) =>
    names
      .map((name): Risk => {
        const band = riskOfPower?.(name) ?? 'medium';
        return band === 'low' ? HARMLESS : { band, why: `it can use the host's power ${name}` };
      })
      .reduce((worst, next) => (exceeds(next.band, worst.band) ? next : worst), HARMLESS),
};

function networkFloor(scopes: readonly string[], trusted: boolean): Risk {
  if (scopes.length === 0) return HARMLESS;
  if (scopes.some((scope) => scope.includes('*.'))) {
    return { band: 'medium', why: 'it can send requests to every subdomain of a host' };
  }
  // A server may also change data on a GET.
  return trusted ? HARMLESS : { band: 'medium', why: 'it can send requests over the network' };
}
