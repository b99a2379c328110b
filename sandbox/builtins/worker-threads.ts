import { offer } from './denied.js';

/** What a program asks about the thread that it runs in, and the compartment's own channels. It starts no thread. */
export const builtin: object = offer('worker_threads', {
  isMainThread: true,
  parentPort: null,
  workerData: null,
  threadId: 0,
  resourceLimits: {},
  SHARE_ENV: Symbol.for('nodejs.worker_threads.SHARE_ENV'),
  markAsUntransferable: (): void => undefined,
  get MessageChannel(): unknown {
    return Reflect.get(globalThis, 'MessageChannel');
  },
  get MessagePort(): unknown {
    return Reflect.get(globalThis, 'MessagePort');
  },
});
