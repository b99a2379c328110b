import { addGlobals, makeCompartment } from './compartment.js';
import { makeAbortPair } from './endowments/abort.js';
import type { EndowmentPowers } from './endowments/endowment.js';
import { type Ahead, endow } from './endowments/endow.js';
import { explainWithheld } from './endowments/withheld.js';

/** Where a plugin's code is evaluated, and what it finds there. */
export interface Confinement {
  evaluate(code: string): unknown;
  /** An abort signal as that code knows them, and how to abort it. */
  makeSignal(): { readonly signal: unknown; readonly abort: (why: string) => void };
  /** The denial behind an error such as `fetch is not defined`, where that is what it is. */
  explain(error: unknown): Error | undefined;
  /** Takes all endowments back: what the plugin has kept of them stops working. */
  revoke(): void;
  /** Follows `powers.grant` after it has changed. */
  follow(): void;
}

export interface ConfinementSpec {
  readonly powers: EndowmentPowers;
  /** What of its endowments was made ahead. */
  readonly ahead?: Ahead | undefined;
  /** Global names that the code assigns to. */
  readonly assignedGlobals: readonly string[];
  /** Further globals, of the plugin's dialect; they come before those of the endowments. */
  readonly globals: Readonly<Record<string, unknown>>;
}

/** Confines a plugin to a compartment that holds what its grant endows, and nothing else. */
export function confine({ powers, ahead, assignedGlobals, globals }: ConfinementSpec): Confinement {
  const endowed = endow(powers, ahead);
  const compartment = makeCompartment({
    globals: { ...endowed.globals, ...harden(globals) },
    // What a dialect gives is fixed, whatever the code inside assigns.
    assigned: assignedGlobals.filter((name) => !Object.hasOwn(globals, name)),
  });
  return {
    evaluate: (code) => compartment.evaluate(code),
    makeSignal: () => makeAbortPair(powers),
    explain: (error) => explainWithheld(error, endowed.withheldNames, powers.denial),
    revoke: () => endowed.revoke(),
    follow: () => addGlobals(compartment, endowed.follow()),
  };
}
