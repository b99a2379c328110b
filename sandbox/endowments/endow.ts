import type { GuestGrant } from '../wire/methods.js';
import type { Endowed, Endowment, EndowmentPowers } from './endowment.js';
import { makeOverridable } from './overridable.js';
import { endowments } from './table.js';

/** What one compartment gets, and the way to take it back. */
export interface CompartmentEndowments {
  /** Every value is hardened. Fix them on the compartment's global before it evaluates anything. */
  readonly globals: Readonly<Record<string, unknown>>;
  /** Global names that are absent because their permission was not granted. */
  readonly withheldNames: readonly string[];
  /** Takes back what one permission gave, or everything: what plugin code has kept stops working. */
  revoke(permission?: keyof GuestGrant): void;
  /**
   * Follows `powers.grant` after it has changed: takes back what is no longer held, and gives what
   * newly is. Answers the hardened globals that were absent before.
   */
  follow(): Readonly<Record<string, unknown>>;
}

/** Endowments of one compartment, each made as if nothing were granted. */
export type Ahead = ReadonlyMap<Endowment, Endowed>;

/** Makes what a compartment is endowed with where nothing is granted, before anybody knows whose it is. */
export function endowAhead(powers: EndowmentPowers): Ahead {
  const made = new Map<Endowment, Endowed>();
  for (const endowment of Object.values(endowments)) {
    const endowed = makeOrWithhold(endowment, powers, endowment.permission === undefined);
    if (endowed === undefined) continue;
    harden(finish(endowed.globals));
    made.set(endowment, endowed);
  }
  return made;
}

/**
 * Makes the endowments of one compartment from its grant, and from nothing else. What was made `ahead`
 * with the same powers is used where it comes to the same.
 */
export function endow(powers: EndowmentPowers, ahead?: Ahead): CompartmentEndowments {
  const globals: Record<string, unknown> = {};
  const absent = new Set<string>();
  const given: Given[] = [];
  for (const endowment of Object.values(endowments)) {
    const { permission, globals: names } = endowment;
    const held = permission === undefined || isGranted(powers.grant, permission);
    const ready = held && permission !== undefined ? undefined : ahead?.get(endowment);
    const endowed = ready ?? makeOrWithhold(endowment, powers, held);
    Object.assign(globals, ready?.globals ?? harden(finish(endowed?.globals ?? {})));
    given.push({ endowment, endowed, held });
    if (!held) {
      const present = Object.keys(endowed?.globals ?? {});
      for (const name of names) if (!present.includes(name)) absent.add(name);
    }
  }
  return {
    // What it holds is hardened already, one by one: to look through all of it again takes time.
    globals: Object.freeze(globals),
    get withheldNames() {
      return [...absent];
    },
    revoke: (permission) => {
      for (const { endowment, endowed } of given) {
        if (permission === undefined || permission === endowment.permission) endowed?.revoke();
      }
    },
    follow: () => {
      const later: Record<string, unknown> = {};
      for (const entry of given) Object.assign(later, finish(followOne(entry, powers)));
      for (const name of Object.keys(later)) absent.delete(name);
      return harden(later);
    },
  };
}

function makeOrWithhold(
  { make, withheld }: Endowment,
  powers: EndowmentPowers,
  held: boolean,
): Endowed | undefined {
  return held ? make(powers) : withheld?.(powers);
}

interface Given {
  readonly endowment: Endowment;
  /** What was made of it, or what stands in for it; nothing where it has only absent names. */
  endowed: Endowed | undefined;
  held: boolean;
}

/** Takes back or gives what one endowment is about; answers the globals that are there only now. */
function followOne(entry: Given, powers: EndowmentPowers): Readonly<Record<string, unknown>> {
  const { permission, make } = entry.endowment;
  if (permission === undefined) return {};
  const held = isGranted(powers.grant, permission);
  const before = entry.held;
  entry.held = held;
  if (!held) {
    if (before) entry.endowed?.revoke();
    return {};
  }
  if (entry.endowed !== undefined) return entry.endowed.restore?.() ?? {};
  entry.endowed = make(powers);
  return entry.endowed.globals;
}

function finish(globals: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  for (const [name, value] of Object.entries(globals)) {
    nameAfter(name, value);
    makeOverridable(value);
  }
  return globals;
}

/**
 * Lets a function be called what its global is called, as libraries that look at
 * `constructor.name` expect: a bundler may have renamed it on the way here.
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
