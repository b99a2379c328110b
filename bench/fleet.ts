import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { connect } from '@nats-io/transport-node';
import { makeSigningKey } from '../src/keys/signing-key.js';
import { createGateway, openLockfile } from './built.js';
import { compare, type Effort, type Measure } from './measure.js';
import { withDirectory, writeEcho } from './plugins-on-disk.js';
import { inTurns, time, timeInFlight } from './statistics.js';
import { silent } from './subject.js';

const IN_FLIGHT = 50;
const WARM_UP = 1_000;
const INPUT = { text: 'x'.repeat(200) };
const WORKS = [
  'a call in a fleet, sequential',
  `a call in a fleet, ${IN_FLIGHT} in flight`,
] as const;

/** Calls through a gateway, a server and a runner, against bare requests to another process of the same server. */
export function measureFleet({ calls, rounds, share }: Effort): Promise<readonly Measure[]> {
  const [work, inFlight] = WORKS;
  if (spawnSync('nats-server', ['--version']).status !== 0) {
    const none = { ours: 0, missing: 'nats-server is not installed' };
    return Promise.resolve([
      { work, unit: 'µs', ...none },
      { work: inFlight, unit: 'calls/s', ...none },
    ]);
  }
  return withDirectory(async (root) => {
    const children: ChildProcess[] = [];
    const start = (command: string, words: readonly string[]): ChildProcess => {
      const child = spawn(command, words, { stdio: ['ignore', 'pipe', 'ignore'] });
      children.push(child);
      return child;
    };
    const url = await startServer(root, start);
    const echo = fileURLToPath(new URL('fleet-child.mjs', import.meta.url));
    await firstOutput(start(process.execPath, [echo, url]));
    const bare = await connect({ servers: url });
    const gateway = await startFleet(root, url, start);
    const floor = async (): Promise<void> => {
      JSON.parse((await bare.request('bench.echo', JSON.stringify(INPUT))).string());
    };
    const ours = async (): Promise<void> => {
      const { isError, code } = await gateway.call('sample:echo', INPUT);
      if (isError) throw new Error(`the call failed: ${code ?? ''}`);
    };
    try {
      for (const run of [floor, ours]) await time(WARM_UP, run);
      const each = Math.ceil(calls / 5);
      const one = await inTurns(rounds, {
        floor: () => time(each, floor),
        ours: () => time(each, ours),
      });
      const many = await inTurns(rounds, {
        floor: async () => [await timeInFlight(calls, IN_FLIGHT, floor)],
        ours: async () => [await timeInFlight(calls, IN_FLIGHT, ours)],
      });
      const latency = compare(one.ours, one.floor, share);
      const rate = compare(many.ours, many.floor, share);
      return [
        {
          work,
          unit: 'µs',
          ours: latency.ours * 1000,
          floor: latency.floor * 1000,
          ratio: latency.ratio,
          goal: '≤ 1.5 × a bare request of NATS',
          met: latency.ratio <= 1.5,
        },
        {
          work: inFlight,
          unit: 'calls/s',
          ours: 1000 / rate.ours,
          floor: 1000 / rate.floor,
          ratio: 1 / rate.ratio,
          goal: '≥ 0.5 × bare requests',
          met: 1 / rate.ratio >= 0.5,
        },
      ];
    } finally {
      await bare.close();
      await gateway.close();
      for (const child of children.toReversed()) child.kill('SIGKILL');
    }
  });
}

type Start = (command: string, words: readonly string[]) => ChildProcess;

async function firstOutput({ stdout }: ChildProcess): Promise<void> {
  if (stdout !== null) await once(stdout, 'data');
}

async function startServer(root: string, start: Start): Promise<string> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  const port = typeof address === 'object' && address !== null ? String(address.port) : '';
  await new Promise((resolve) => probe.close(resolve));
  start('nats-server', ['-a', '127.0.0.1', '-p', port, '-js', '-sd', join(root, 'nats')]);
  const url = `nats://127.0.0.1:${port}`;
  for (;;) {
    try {
      await (await connect({ servers: url, reconnect: false })).close();
      return url;
    } catch {
      await setTimeout(50);
    }
  }
}

/** A gateway in this process, and a runner with the same lock file in another one. */
async function startFleet(
  root: string,
  url: string,
  start: Start,
): Promise<Awaited<ReturnType<typeof createGateway>>> {
  const lockFile = join(root, 'bulkhead.lock.json');
  const common = { plugins: [], cacheDirectory: join(root, 'cache'), env: {}, logger: silent };
  const plugin = join(root, 'plugins', 'sample');
  mkdirSync(plugin, { recursive: true });
  writeEcho(plugin, 'sample');
  const book = openLockfile(lockFile, common);
  const inspected = await book.inspect(plugin);
  book.accept(inspected, { granted: inspected.declared, by: 'bench' });
  const { privatePem, publicKey } = makeSigningKey();
  const signKey = join(root, 'gateway.pem');
  writeFileSync(signKey, privatePem, { mode: 0o600 });
  writeFileSync(join(root, 'gateway.pub'), publicKey.pem);
  const gateway = await createGateway({
    ...common,
    lockFile,
    storageDirectory: join(root, 'gateway'),
    fleet: { servers: [url], name: 'gateway-1', signKey },
  });
  const cli = fileURLToPath(new URL('../dist/lib/cli/main.cjs', import.meta.url));
  const runner = start(process.execPath, [
    cli,
    'runner',
    `--server=${url}`,
    '--name=runner-1',
    `--lock=${lockFile}`,
    `--gateway-key=${join(root, 'gateway.pub')}`,
    `--state=${join(root, 'state')}`,
    '--json',
  ]);
  await firstOutput(runner);
  while (!gateway.runners().some(({ state }) => state === 'ready')) await setTimeout(50);
  return gateway;
}
