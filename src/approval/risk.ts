import type { PermissionName, Permissions } from '../permissions/kind.js';
import { scopesOf } from '../permissions/permissions.js';
import { permissionNames } from '../permissions/table.js';
import { exceeds, higherBand, type RiskBand } from '../plugin/risk.js';

/** `proven`: an author's word may raise a band and lowers none. `author`: the author's word counts. */
export type RiskPolicy = 'proven' | 'author';

export interface RiskFacts {
  /** The author's word, as the format's document reads it. */
  readonly declared: RiskBand;
  /** What the tool's code can reach: what it was granted, or something that we do not confine. */
  readonly reach: Permissions | 'remote' | 'unconfined';
  /** Whether the operator said once that it trusts this plugin's hints. */
  readonly trusted: boolean;
  readonly policy: RiskPolicy;
  /** What the host says of the powers that it lends under a name; without its word: medium. */
  readonly riskOfPower?: (permission: string) => RiskBand | undefined;
}

export interface Risk {
  readonly band: RiskBand;
  /** For a person: what made it that band. */
  readonly why: string;
}

/**
 * The band that counts: the declared one, or the one that the granted permissions prove possible,
 * whichever is higher. Where nothing that was granted changes anything outside of the plugin, its
 * author's "low" is proven, and counts.
 */
export function effectiveRisk(facts: RiskFacts): Risk {
  const { declared, policy } = facts;
  const said = `its author declares it ${declared}`;
  if (policy === 'author') return { band: declared, why: said };
  const floor = floorOf(facts);
  return exceeds(floor.band, declared) ? floor : { band: declared, why: said };
}

function floorOf({ reach, trusted, riskOfPower }: RiskFacts): Risk {
  if (reach === 'unconfined') {
    return trusted
      ? { band: 'low', why: 'it runs unconfined, and its hints are trusted' }
      : { band: 'high', why: 'it runs unconfined' };
  }
  if (reach === 'remote') {
    return { band: 'medium', why: 'it runs elsewhere, where nothing of it can be checked' };
  }
  return permissionNames
    .map((name) => FLOORS[name](scopesOf(reach, name), trusted, riskOfPower))
    .reduce((floor, next) => (higherBand(floor.band, next.band) === floor.band ? floor : next));
}

const HARMLESS: Risk = { band: 'low', why: 'what it was granted changes nothing outside of it' };

/** What holding scopes of a kind makes possible. */
const FLOORS: Readonly<
  Record<
    PermissionName,
    (scopes: readonly string[], trusted: boolean, riskOfPower: RiskFacts['riskOfPower']) => Risk
  >
> = {
  time: () => HARMLESS,
  random: () => HARMLESS,
  // Read as it was when the guest loaded; nothing writes it back.
  environment: () => HARMLESS,
  // Nothing writes below the paths that are granted.
  filesystem: () => HARMLESS,
  // A directory that is the plugin's alone: what it changes there is nobody else's.
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
  // A GET, too, can have effects on a server that means it to.
  return trusted ? HARMLESS : { band: 'medium', why: 'it can send requests over the network' };
}
