import type { EndowmentCapabilities } from './endowment.js';

/**
 * A value that several endowments of one compartment share (a class, the running timers), made once
 * for each set of capabilities. Plugin code then sees one `DOMException`.
 */
export function perCompartment<Made>(
  make: (capabilities: EndowmentCapabilities) => Made,
): (capabilities: EndowmentCapabilities) => Made {
  const made = new WeakMap<EndowmentCapabilities, { readonly value: Made }>();
  return (capabilities) => {
    let entry = made.get(capabilities);
    if (entry === undefined) {
      entry = { value: make(capabilities) };
      made.set(capabilities, entry);
    }
    return entry.value;
  };
}
