import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Effort, Measure } from './measure.js';
import { withDirectory, writeEcho } from './plugins-on-disk.js';
import { inTurns, quantile } from './statistics.js';

const CONNECTIONS = 32;
const TOKEN = 'a token of the bench, 32 letters'.replaceAll(' ', '-');
const SERVER = fileURLToPath(new URL('door-server.mjs', import.meta.url));

/** Requests before any is counted. */
const WARM_UP = 3_000;

/**
 * `serve --mcp` against the official SDK's own server, which checks nothing, with the same tool: one
 * request after the other on each of 32 connections. The tool of the SDK runs in its server's process.
 */
export function measureDoor({ calls, rounds }: Effort): Promise<Measure[]> {
  return withDirectory(async (root) => {
    const plugin = join(root, 'door');
    writeEcho(plugin, 'door');
    const servers = {
      ours: await startServer([plugin, TOKEN, root], 'door__echo'),
      floor: await startServer(['sdk'], 'echo'),
    };
    try {
      const run =
        (name: 'ours' | 'floor', count: number) => async (): Promise<readonly number[]> => {
          const { send, usedUs } = servers[name];
          const [before, began] = [await usedUs(), performance.now()];
          await send(count);
          const seconds = (performance.now() - began) / 1_000;
          used[name].push(((await usedUs()) - before) / count);
          return [count / seconds];
        };
      const used = { ours: [] as number[], floor: [] as number[] };
      for (const name of ['ours', 'floor'] as const) await run(name, WARM_UP)();
      for (const samples of Object.values(used)) samples.splice(0);
      const rates = await inTurns(rounds, {
        ours: run('ours', calls * 4),
        floor: run('floor', calls * 2),
      });
      const [ours, floor] = [quantile(rates.ours, 0.5), quantile(rates.floor, 0.5)];
      const [oursUs, floorUs] = [quantile(used.ours, 0.5), quantile(used.floor, 0.5)];
      return [
        {
          work: `door: MCP calls, ${CONNECTIONS} connections, against the official SDK without checks`,
          unit: 'calls/s',
          ours,
          floor,
          ratio: ours / floor,
          goal: '≥ 4 × the SDK',
          met: ours >= 4 * floor,
        },
        {
          work: 'door: processor time of the server per MCP call',
          unit: 'µs',
          ours: oursUs,
          floor: floorUs,
          ratio: oursUs / floorUs,
        },
      ];
    } finally {
      for (const { stop } of Object.values(servers)) stop();
    }
  });
}

interface DoorServer {
  /** Sends that many requests, and waits for their answers. */
  readonly send: (count: number) => Promise<void>;
  /** Processor time of its process. */
  readonly usedUs: () => Promise<number>;
  readonly stop: () => void;
}

async function startServer(args: readonly string[], tool: string): Promise<DoorServer> {
  const child: ChildProcessByStdio<Writable, Readable, null> = spawn(
    process.execPath,
    [SERVER, ...args],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  const lines = createInterface({ input: child.stdout });
  const nextLine = async (): Promise<string> => {
    const [line]: unknown[] = await once(lines, 'line');
    return String(line);
  };
  const { port, host } = new URL(await nextLine());
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: tool, arguments: { text: 'hello' } },
  });
  const request = `POST /mcp HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${TOKEN}\r\naccept: application/json, text/event-stream\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
  return {
    send: async (count) => {
      let left = count;
      await Promise.all(
        Array.from({ length: CONNECTIONS }, async () => {
          const socket = new Socket().connect(Number(port), '127.0.0.1');
          await once(socket, 'connect');
          while (left > 0) {
            left -= 1;
            const answered = answerOn(socket);
            socket.write(request);
            await answered;
          }
          socket.destroy();
        }),
      );
    },
    usedUs: async () => {
      const line = nextLine();
      child.stdin.write('\n');
      return Number(await line);
    },
    stop: () => child.kill(),
  };
}

/** Resolves at the end of an answer. Rejects if it is not a result of the tool. */
function answerOn(socket: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    let text = '';
    const end = (problem?: string): void => {
      socket.off('data', read).off('close', closed);
      if (problem === undefined) resolve();
      else reject(new Error(`${problem}: ${text}`));
    };
    const closed = (): void => end('the connection was closed');
    const read = (chunk: Buffer): void => {
      text += chunk.toString('latin1');
      const head = text.indexOf('\r\n\r\n');
      if (head === -1) return;
      const length = /content-length: (\d+)/i.exec(text.slice(0, head))?.[1];
      const isWhole =
        length === undefined
          ? text.endsWith('0\r\n\r\n')
          : text.length >= head + 4 + Number(length);
      if (isWhole) end(text.includes('hello') ? undefined : 'not the answer of the tool');
    };
    socket.on('data', read).once('close', closed);
  });
}
