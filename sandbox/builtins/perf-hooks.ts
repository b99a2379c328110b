import { offer } from './denied.js';

/** The argument of a bundle. */
declare const $bulkhead: { readonly missing?: (name: string) => unknown } | undefined;

interface Clock {
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

export const performance: object = {
  get timeOrigin(): number {
    return clock().timeOrigin;
  },
  now: (): number => clock().now(),
  mark: (name: string): object => ({ name, entryType: 'mark', startTime: 0, duration: 0 }),
  measure: (name: string): object => ({ name, entryType: 'measure', startTime: 0, duration: 0 }),
  clearMarks: (): void => undefined,
  clearMeasures: (): void => undefined,
  getEntries: (): object[] => [],
  getEntriesByName: (): object[] => [],
  getEntriesByType: (): object[] => [],
  toJSON: (): object => ({}),
};

export const builtin: object = offer('perf_hooks', { performance, constants: {} });
