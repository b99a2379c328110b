import { offer } from './denied.js';

/** Time from the plugin's own clock. Without the time permission `Date.now` throws. */
export const performance: object = {
  timeOrigin: 0,
  now: (): number => Date.now(),
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
