import { offer } from './denied.js';
import { always } from './compartment-globals.js';

type Callback = (...args: unknown[]) => void;

export function setImmediate(callback: Callback, ...args: unknown[]): unknown {
  return always('setTimeout')(callback, 0, ...args);
}

export function clearImmediate(handle: unknown): void {
  always('clearTimeout')(handle);
}

export const builtin: object = offer('timers', {
  setTimeout: (callback: Callback, delay?: number, ...args: unknown[]): unknown =>
    always('setTimeout')(callback, delay, ...args),
  clearTimeout: (handle: unknown): void => always('clearTimeout')(handle),
  setInterval: (callback: Callback, delay?: number, ...args: unknown[]): unknown =>
    always('setInterval')(callback, delay, ...args),
  clearInterval: (handle: unknown): void => always('clearInterval')(handle),
  setImmediate,
  clearImmediate,
});
