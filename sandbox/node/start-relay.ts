import { Worker } from 'node:worker_threads';

/** The text of `inspector-relay-entry.ts`, from the build. */
declare const RELAY: string;

// Its realm is its own: the guest's main thread gives up nothing later than without it.
new Worker(RELAY, { eval: true, env: {}, execArgv: [] }).unref();
