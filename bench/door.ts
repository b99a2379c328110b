import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Effort, Measure } from './measure.js';
import { withDirectory, writeEcho } from './plugins-on-disk.js';
import { inTurns, quantile } from './statistics.js';

const CONNECTIONS = 32;
const SERVER = fileURLToPath(new URL('door-server.mjs', import.meta.url));

/** Requests before any is counted. */
const WARM_UP = 3_000;

/** Two servers of the same tool, and the request that calls it. */
interface Contest {
  readonly works: { readonly calls: string; readonly time: string };
  readonly ours: string;
  readonly floor: string;
  /** How many times the rate of the floor. */
  readonly goal: number;
  readonly request: (name: string) => object;
  readonly nameOfOurs: string;
}

const MCP: Contest = {
  works: {
    calls: `door: MCP calls, ${CONNECTIONS} connections, against the official SDK without checks`,
    time: 'door: processor time of the server per MCP call',
  },
  ours: 'mcp',
  floor: 'mcp-sdk',
  goal: 4,
  request: (name) => ({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name, arguments: { text: 'hello' } },
  }),
  nameOfOurs: 'door__echo',
};

const VERTESIA: Contest = {
  works: {
    calls: `door: Vertesia's tool calls, ${CONNECTIONS} connections, against its own SDK, both with JWTs checked`,
    time: "door: processor time of the server per call of Vertesia's protocol",
  },
  ours: 'vertesia',
  floor: 'vertesia-sdk',
  goal: 2,
  request: (name) => ({ tool_use: { id: '1', tool_name: name, tool_input: { text: 'hello' } } }),
  nameOfOurs: 'door__echo',
};

/**
 * `serve --mcp` against the official SDK's own server, which checks nothing, and `serve --vertesia`
 * against Vertesia's, with the same tool: one request after the other on each of 32 connections. The
 * tool of an SDK runs in its server's process.
 */
export async function measureDoor(effort: Effort): Promise<Measure[]> {
  return [...(await measureContest(MCP, effort)), ...(await measureVertesia(effort))];
}

/** Vertesia's SDK is a peer: `npm run bench -- --install` gets it. */
async function measureVertesia(effort: Effort): Promise<Measure[]> {
  if (existsSync(fileURLToPath(new URL('node_modules/@vertesia/tools-sdk', import.meta.url)))) {
    return measureContest(VERTESIA, effort);
  }
  const missing = '@vertesia/tools-sdk is not installed: npm run bench -- --install';
  return [{ work: VERTESIA.works.calls, unit: 'calls/s', ours: 0, missing }];
}

function measureContest(contest: Contest, { calls, rounds }: Effort): Promise<Measure[]> {
  return withDirectory(async (root) => {
    const plugin = join(root, 'door');
    writeEcho(plugin, 'door');
    const servers = {
      ours: await startServer([contest.ours, plugin, root], contest.request(contest.nameOfOurs)),
      floor: await startServer([contest.floor], contest.request('echo')),
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
          work: contest.works.calls,
          unit: 'calls/s',
          ours,
          floor,
          ratio: ours / floor,
          goal: `≥ ${contest.goal} × the SDK`,
          met: ours >= contest.goal * floor,
        },
        {
          work: contest.works.time,
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

async function startServer(args: readonly string[], call: object): Promise<DoorServer> {
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
  const { url, token } = JSON.parse(await nextLine()) as { url: string; token: string };
  const { port, host, pathname } = new URL(url);
  const body = JSON.stringify(call);
  const request = `POST ${pathname} HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${token}\r\naccept: application/json, text/event-stream\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
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
