import type { GuestGrant, PackageHost } from '../wire/methods.js';
import type { Endowed, Endowment, EndowmentCapabilities } from './endowment.js';
import { defineLazily } from './lazy-record.js';
import { makeOverridable } from './overridable.js';
import { endowments } from './table.js';

/** The endowments of one compartment, and the way to revoke them. */
export interface CompartmentEndowments {
  /** All values are hardened. Define them on the compartment's global before it evaluates code. */
  readonly globals: Readonly<Record<string, unknown>>;
  /** Replacements of globals for code of dependencies, hardened. Those of a package are made when they are first read. */
  readonly forDependencies: Readonly<Record<string, unknown>>;
  /** Global names that are absent because their permission is not granted. */
  readonly withheldNames: readonly string[];
  /**
   * Revokes one permission's endowments, or all. References that plugin code holds stop working.
   */
  revoke(permission?: keyof GuestGrant): void;
  /**
   * Applies a changed `capabilities.grant`: revokes what was removed and restores what was added.
   * Returns the hardened globals that were absent before.
   */
  updateGrant(): Readonly<Record<string, unknown>>;
  /**
   * The endowments of a package in the plugin: those without a permission and those of `share`, the same objects as
   * the plugin's own unless its hosts are fewer. The others are withheld. `capabilities`: those of the package, which
   * name it in denials.
   */
  forPackage(share: PackageShare, capabilities: EndowmentCapabilities): PackageEndowments;
  /** Only the replacements of globals for code of dependencies, as one package has them. */
  forDependenciesOf(
    share: Pick<PackageShare, 'granted'>,
    capabilities: EndowmentCapabilities,
  ): Readonly<Record<string, unknown>>;
}

/** The part of the plugin's endowments that a package gets. */
export interface PackageShare {
  readonly granted: ReadonlySet<keyof GuestGrant>;
  /** The hosts that it may reach. `undefined`: those of the plugin. */
  readonly hosts: readonly PackageHost[] | undefined;
}

/** The endowments of one package. */
export type PackageEndowments = Pick<
  CompartmentEndowments,
  'globals' | 'forDependencies' | 'withheldNames'
> & {
  /** The globals of the package among those that a change of the plugin's grant has added to the plugin. */
  readonly partOf: (later: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;
};

/** Endowments of one compartment, each made without a grant. */
export type Prebuilt = ReadonlyMap<Endowment, Endowed>;

/** Makes a compartment's ungranted endowments before its plugin is known. */
export function prebuildEndowments(capabilities: EndowmentCapabilities): Prebuilt {
  const made = new Map<Endowment, Endowed>();
  for (const endowment of Object.values(endowments)) {
    const endowed = makeOrWithhold(endowment, capabilities, endowment.permission === undefined);
    if (endowed === undefined) continue;
    // guard: prebuilt-endowments-hardened
    harden(finish(endowed.globals));
    harden(finish(endowed.forDependencies ?? {}));
    made.set(endowment, endowed);
  }
  return made;
}

/**
 * Makes the endowments of one compartment from its grant alone. It reuses a `prebuilt` endowment,
 * made with the same capabilities, if the grant does not change it.
 */
export function endow(
  capabilities: EndowmentCapabilities,
  prebuilt?: Prebuilt,
): CompartmentEndowments {
  const globals: Record<string, unknown> = {};
  const forDependencies: Record<string, unknown> = {};
  const absent = new Set<string>();
  const given: Given[] = [];
  for (const endowment of Object.values(endowments)) {
    const { permission, globals: names } = endowment;
    // guard: endowment-granted
    const held = permission === undefined || isGranted(capabilities.grant, permission);
    const ready = held && permission !== undefined ? undefined : prebuilt?.get(endowment);
    const endowed = ready ?? makeOrWithhold(endowment, capabilities, held);
    // guard: endowments-hardened
    Object.assign(globals, ready?.globals ?? harden(finish(endowed?.globals ?? {})));
    Object.assign(
      forDependencies,
      ready?.forDependencies ?? harden(finish(endowed?.forDependencies ?? {})),
    );
    given.push({ endowment, endowed, held });
    if (!held) {
      const present = Object.keys(endowed?.globals ?? {});
      for (const name of names) if (!present.includes(name)) absent.add(name);
    }
  }
  return {
    // The values are hardened already. Hardening the record would walk them all again.
    globals: Object.freeze(globals),
    forDependencies: Object.freeze(forDependencies),
    get withheldNames() {
      return [...absent];
    },
    revoke: (permission) => {
      for (const { endowment, endowed } of given) {
        if (permission === undefined || permission === endowment.permission) endowed?.revoke();
      }
    },
    updateGrant: () => {
      const later: Record<string, unknown> = {};
      for (const entry of given) Object.assign(later, finish(updateOne(entry, capabilities)));
      for (const name of Object.keys(later)) absent.delete(name);
      return harden(later);
    },
    forPackage: (share, own) => endowPackage(given, share, own),
    forDependenciesOf: ({ granted }, own) => {
      const replaced = {};
      for (const one of given) {
        const { permission, withheldInPackage } = one.endowment;
        const held = permission === undefined || granted.has(permission);
        addDependencies(replaced, held ? one.endowed : withheldInPackage?.(own), held);
      }
      return replaced;
    },
  };
}

/** Adds the replacements of globals for one package. If they are its own, they are not `ready`. */
function addDependencies(
  target: Record<string, unknown>,
  endowed: Pick<Endowed, 'forDependencies'> | undefined,
  ready: boolean,
): void {
  const { forDependencies = {} } = endowed ?? {};
  if (ready) {
    Object.assign(target, forDependencies);
    return;
  }
  for (const name of Object.keys(forDependencies)) {
    // guard: package-dependencies-hardened
    defineLazily(target, name, () => harden(finishOne(name, forDependencies[name])));
  }
}

function endowPackage(
  given: readonly Given[],
  { granted, hosts }: PackageShare,
  capabilities: EndowmentCapabilities,
): PackageEndowments {
  const globals: Record<string, unknown> = {};
  const forDependencies: Record<string, unknown> = {};
  const absent = new Set<string>();
  const mayGet = new Set<string>();
  /** `undefined`: the plugin's own objects serve. */
  const narrow = ({ endowed }: Given): Readonly<Record<string, unknown>> | undefined => {
    if (hosts === undefined || endowed?.narrow === undefined) return undefined;
    const denial = (wanted: string): Error => capabilities.denial('network', wanted);
    // guard: narrowed-endowments-hardened
    return harden(finish(endowed.narrow({ hosts, denial })));
  };
  for (const one of given) {
    const { permission, globals: names } = one.endowment;
    // guard: package-endowment-granted
    const held = permission === undefined || granted.has(permission);
    // Those without a replacement ask the host, which decides by the plugin's grant.
    const made = held ? undefined : one.endowment.withheldInPackage?.(capabilities);
    const present = held
      ? (narrow(one) ?? one.endowed?.globals ?? {})
      : harden(finish({ ...made?.globals }));
    Object.assign(globals, present);
    addDependencies(forDependencies, held ? one.endowed : made, held);
    for (const name of names) {
      if (held) mayGet.add(name);
      if (!Object.hasOwn(present, name)) absent.add(name);
    }
  }
  return {
    globals: Object.freeze(globals),
    forDependencies,
    withheldNames: [...absent],
    partOf: (later) => {
      // guard: later-endowment-granted
      const names = Object.keys(later).filter((name) => mayGet.has(name));
      return Object.fromEntries(
        names.map((name) => {
          const one = given.find(({ endowment }) => endowment.globals.includes(name));
          return [name, (one && narrow(one)?.[name]) ?? later[name]];
        }),
      );
    },
  };
}

function makeOrWithhold(
  { make, withheld }: Endowment,
  capabilities: EndowmentCapabilities,
  held: boolean,
): Endowed | undefined {
  return held ? make(capabilities) : withheld?.(capabilities);
}

interface Given {
  readonly endowment: Endowment;
  /** The endowment or its replacement. Absent if the permission only removes names. */
  endowed: Endowed | undefined;
  held: boolean;
}

/** Revokes or restores one endowment. Returns the globals that are new. */
function updateOne(
  entry: Given,
  capabilities: EndowmentCapabilities,
): Readonly<Record<string, unknown>> {
  const { permission, make } = entry.endowment;
  if (permission === undefined) return {};
  const held = isGranted(capabilities.grant, permission);
  const before = entry.held;
  entry.held = held;
  if (!held) {
    if (before) entry.endowed?.revoke();
    return {};
  }
  if (entry.endowed !== undefined) return entry.endowed.restore?.() ?? {};
  entry.endowed = make(capabilities);
  return entry.endowed.globals;
}

function finish(globals: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  for (const [name, value] of Object.entries(globals)) finishOne(name, value);
  return globals;
}

function finishOne(name: string, value: unknown): unknown {
  nameAfter(name, value);
  makeOverridable(value);
  return value;
}

/**
 * Gives a function the name of its global, which libraries read as `constructor.name`. The bundler
 * may have renamed it.
 */
function nameAfter(name: string, value: unknown): void {
  if (typeof value === 'function' && value.name !== name) {
    Object.defineProperty(value, 'name', { value: name });
  }
}

function isGranted(grant: GuestGrant, permission: keyof GuestGrant): boolean {
  const held = grant[permission];
  return typeof held === 'boolean' ? held : held !== undefined;
}
