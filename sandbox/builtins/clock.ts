/** The argument of a bundle. */
declare const $bulkhead: { readonly missing?: (name: string) => unknown } | undefined;

/** A reading of the clock in milliseconds, and when it began. */
export interface Clock {
  readonly now: () => number;
  readonly timeOrigin: number;
}

/** The plugin's clock. Without the permission `time` it is absent, and this throws the denial. */
export function clock(): Clock {
  const own: unknown = Reflect.get(globalThis, 'performance');
  if (isClock(own)) return own;
  if (typeof $bulkhead !== 'undefined') $bulkhead.missing?.('performance');
  // A package without the permission has a fixed `Date`.
  return { now: Date.now, timeOrigin: 0 };
}

function isClock(value: unknown): value is Clock {
  return typeof value === 'object' && value !== null && 'now' in value;
}
