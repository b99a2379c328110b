import type { GuestGrant } from '../wire/methods.js';
import type { Endowed, EndowmentPowers } from './endowment.js';
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
}

/** Makes the endowments of one compartment from its grant, and from nothing else. */
export function endow(powers: EndowmentPowers): CompartmentEndowments {
  const globals: Record<string, unknown> = {};
  const withheldNames: string[] = [];
  const given: { readonly permission: keyof GuestGrant | undefined; readonly endowed: Endowed }[] =
    [];
  for (const { permission, globals: names, make, withheld } of Object.values(endowments)) {
    const granted = permission === undefined || isGranted(powers.grant, permission);
    const endowed = granted ? make(powers) : withheld?.(powers);
    if (endowed !== undefined) {
      for (const [name, value] of Object.entries(endowed.globals)) {
        nameAfter(name, value);
        makeOverridable(value);
        globals[name] = value;
      }
      given.push({ permission, endowed });
    }
    if (!granted) {
      const present = Object.keys(endowed?.globals ?? {});
      withheldNames.push(...names.filter((name) => !present.includes(name)));
    }
  }
  return {
    globals: harden(globals),
    withheldNames,
    revoke: (permission) => {
      for (const entry of given) {
        if (permission === undefined || permission === entry.permission) entry.endowed.revoke();
      }
    },
  };
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
