import { clock } from './clock.js';
import { offer } from './denied.js';

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
