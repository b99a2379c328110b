import { rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { makeFilesystemBroker } from '../../src/brokers/filesystem/broker.js';
import { makeNetworkBroker } from '../../src/brokers/network/broker.js';
import { makeOutputs } from '../../src/engine/instance/in-flight.js';
import { makeService } from '../../src/engine/instance/service.js';
import { type BulkheadEvent, makeEventBus } from '../../src/events.js';
import { type Guest, startGuest } from '../../src/guests/guest.js';
import { afterEachTest } from '../tidying.js';
import { fixture } from './attempt.js';
import { makeScratch } from '../run-directory.js';

const script = join(fixture('rogue-guest'), 'main.cjs');

interface Acts {
  readonly names: Readonly<Record<'violations' | 'oddities' | 'floods', readonly string[]>>;
}
export const { names }: Acts = createRequire(import.meta.url)(
  join(fixture('rogue-guest'), 'acts.cjs'),
);

const plugin = { id: 'rogue', manifest: 'pandora.manifest.json' };
const refuse = (): never => {
  throw new Error('no test leaves this machine');
};

/** What a plugin has that was granted one host, which no server has, and the files of a directory. */
function openBrokers(directory: string) {
  return {
    network: makeNetworkBroker({
      plugin,
      granted: ['api.example.com'],
      allows: (url) => url.host === 'api.example.com',
      resolve: () => Promise.reject(new Error('no such host')),
      connect: refuse,
    }),
    filesystem: makeFilesystemBroker({ plugin, directory, granted: ['.'] }),
    storage: undefined,
    powers: undefined,
  };
}

export interface Rogue extends Guest {
  readonly events: readonly BulkheadEvent[];
  readonly lines: () => readonly string[];
}

const directory = makeScratch('rogue');
writeFileSync(join(directory, 'granted.txt'), 'a file that it may read');
writeFileSync(join(directory, 'large.bin'), Buffer.alloc(30 * 1024 * 1024));
process.once('exit', () => rmSync(directory, { recursive: true, force: true }));

const started = new Set<Guest>();
afterEachTest(async () => {
  for (const guest of started) guest.kill({ cause: 'closed', detail: 'the test is over' });
  await Promise.all([...started].map(({ ended }) => ended));
  started.clear();
});

/** Starts a process that is no guest of ours, and has no owner yet, and lets it act. */
export function startBlankRogue(act: string, ...args: readonly string[]): Guest {
  const command = { file: process.execPath, args: [script, act, ...args], env: {} };
  const guest = startGuest(command, 10_000);
  started.add(guest);
  return guest;
}

/** Starts one that is served as if it were a guest of ours. */
export async function startRogue(act: string): Promise<Rogue> {
  const guest = startBlankRogue(act);
  const bus = makeEventBus(Date.now);
  const events: BulkheadEvent[] = [];
  bus.on((event) => events.push(event));
  guest.serve(
    makeService({
      gate: {
        plugin: plugin.id,
        brokers: openBrokers(directory),
        mode: { name: 'live' },
        attributionOf: () => ({}),
        attribute: () => () => {},
      },
      onAct: () => {},
      listeners: { outputs: makeOutputs(), mapStack: (stack) => stack, broadcast: () => {} },
      events: bus,
      maxLogLinesPerSecond: 100,
      now: Date.now,
    })(guest.peer),
  );
  await guest.ready;
  return Object.assign(guest, {
    events,
    lines: () => events.flatMap((event) => (event.type === 'log' ? [event.text] : [])),
  });
}
