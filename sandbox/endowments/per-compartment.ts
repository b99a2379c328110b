import type { EndowmentPowers } from './endowment.js';

/**
 * What several endowments of one compartment share (a class, the timers under way), made once for
 * each set of powers: plugin code finds one `DOMException`, whoever throws it.
 */
export function perCompartment<Made>(
  make: (powers: EndowmentPowers) => Made,
): (powers: EndowmentPowers) => Made {
  const made = new WeakMap<EndowmentPowers, { readonly value: Made }>();
  return (powers) => {
    let entry = made.get(powers);
    if (entry === undefined) {
      entry = { value: make(powers) };
      made.set(powers, entry);
    }
    return entry.value;
  };
}
