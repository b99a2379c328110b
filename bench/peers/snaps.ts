import { fork } from 'node:child_process';
import { createRequire } from 'node:module';
import { type OpenPeer, type Peer, SOURCES } from './peer.js';

const snapOf = (source: string): string =>
  `module.exports.onRpcRequest = async ({ request }) => (${source})(request.params);`;

interface Answer {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

/**
 * MetaMask Snaps' own bundle for a Node process, spoken to as their service does: one channel of
 * JSON-RPC, multiplexed over the messages of a forked process.
 */
export const snaps: Peer = {
  name: 'MetaMask Snaps',
  isolation: 'SES in an ordinary process (their node-process bundle)',
  ownProcess: true,
  package: '@metamask/snaps-execution-environments',
  open: async (work): Promise<OpenPeer> => {
    const bundle = createRequire(import.meta.url).resolve(
      '@metamask/snaps-execution-environments/node-process',
    );
    const child = fork(bundle, [], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'], env: {} });
    const waiting = new Map<number, (answer: Answer) => void>();
    let lastId = 0;
    const send = (data: unknown): void => {
      child.send({ data });
    };
    const ready = new Promise<void>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', () => reject(new Error('it ended')));
      child.on('message', ({ data }: { data: unknown }) => {
        // Both ends greet each other before anything else is said.
        if (data === 'SYN') send('ACK');
        else if (data === 'ACK') resolve();
        else take(data);
      });
    });
    const take = (data: unknown): void => {
      const { name, data: answer } = data as { name: string; data: Answer };
      if (name !== 'command' || answer.id === undefined) return;
      waiting.get(answer.id)?.(answer);
      waiting.delete(answer.id);
    };
    const request = (method: string, params: object): Promise<unknown> =>
      new Promise((resolve, reject) => {
        lastId += 1;
        waiting.set(lastId, ({ result, error }) =>
          error === undefined ? resolve(result) : reject(new Error(error.message)),
        );
        send({ name: 'command', data: { jsonrpc: '2.0', id: lastId, method, params } });
      });

    send('SYN');
    await ready;
    const snapId = 'local:echo';
    await request('executeSnap', { snapId, sourceCode: snapOf(SOURCES[work]), endowments: [] });
    return {
      ...(child.pid !== undefined && { pid: child.pid }),
      call: (input) =>
        request('snapRpc', {
          snapId,
          handler: 'onRpcRequest',
          origin: 'https://example.com',
          request: { jsonrpc: '2.0', id: 1, method: 'echo', params: input },
        }),
      close: () => {
        child.kill('SIGKILL');
      },
    };
  },
};
