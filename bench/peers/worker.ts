import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { type OpenPeer, type Peer, SOURCES } from './peer.js';

const threadOf = (source: string): string => `
import 'ses';
import { parentPort } from 'node:worker_threads';
lockdown({ errorTaming: 'safe', overrideTaming: 'severe' });
const run = new Compartment().evaluate(${JSON.stringify(source)});
parentPort.on('message', async ({ id, input }) => {
  parentPort.postMessage({ id, value: await run(input) });
});
parentPort.postMessage({ ready: true });
`;

/** Bulkhead's own version: the peers install an older one. */
const ROOT = new URL('../../package.json', import.meta.url).href;
const ses = createRequire(ROOT).resolve('ses');

/** A worker thread with SES: the simplest way to run a loop outside the host's thread. */
export const worker: Peer = {
  name: 'worker thread and SES',
  isolation: "SES in a thread of the host's process",
  ownProcess: false,
  package: 'ses',
  beside: ROOT,
  open: async (work): Promise<OpenPeer> => {
    const thread = new Worker(
      // Beside this file, so that it finds ses.
      new URL(`data:text/javascript,${encodeURIComponent(absolute(threadOf(SOURCES[work])))}`),
    );
    const waiting = new Map<number, (value: unknown) => void>();
    let lastId = 0;
    await new Promise<void>((resolve, reject) => {
      thread.once('error', reject);
      thread.on('message', (message: { ready?: true; id: number; value: unknown }) => {
        if (message.ready === true) return resolve();
        waiting.get(message.id)?.(message.value);
        waiting.delete(message.id);
      });
    });
    return {
      call: (input) =>
        new Promise((resolve) => {
          lastId += 1;
          waiting.set(lastId, resolve);
          // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has none
          thread.postMessage({ id: lastId, input });
        }),
      close: async () => {
        await thread.terminate();
      },
    };
  },
};

/** A module without a place of its own imports by full address. */
function absolute(source: string): string {
  return source.replace("'ses'", JSON.stringify(pathToFileURL(ses).href));
}
