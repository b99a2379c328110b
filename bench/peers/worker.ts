import { Worker } from 'node:worker_threads';
import { ECHO, type OpenPeer, type Peer } from './peer.js';

const SOURCE = `
import 'ses';
import { parentPort } from 'node:worker_threads';
lockdown({ errorTaming: 'safe', overrideTaming: 'severe' });
const run = new Compartment().evaluate(${JSON.stringify(ECHO)});
parentPort.on('message', async ({ id, input }) => {
  parentPort.postMessage({ id, value: await run(input) });
});
parentPort.postMessage({ ready: true });
`;

/** A worker thread with SES: the shortest way that keeps a loop off the host's own thread. */
export const worker: Peer = {
  name: 'worker thread + SES',
  containment: "the host's process",
  open: async (): Promise<OpenPeer> => {
    const thread = new Worker(
      // Beside this file, so that it finds ses.
      new URL(`data:text/javascript,${encodeURIComponent(absolute(SOURCE))}`),
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
  return source.replace("'ses'", JSON.stringify(import.meta.resolve('ses')));
}
