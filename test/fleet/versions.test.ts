import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { textOf } from '../../src/index.js';
import type { Gateway } from '../../src/entry-points/fleet.js';
import { openEnvelope, sealEnvelope } from '../../src/fleet/envelope.js';
import { openEpoch, sealEpoch } from '../../src/fleet/epoch.js';
import { sealFrame } from '../../src/fleet/frame.js';
import { readHeartbeat } from '../../src/fleet/heartbeat.js';
import { BULKHEAD_VERSION } from '../../src/fleet/version.js';
import { makeSigningKey, parseSigningKey } from '../../src/keys/signing-key.js';
import { makeDirectory } from '../engine/plugin-on-disk.js';
import { type Cell, heardOf, makeCell } from './cell.js';
import { hasNats, startNats } from './nats-server.js';
import { startRunnerProcess } from './runner-process.js';

const SAMPLE = {
  id: 'sample',
  tools: {
    echo: '(input) => input',
    wait: '({ ms }) => new Promise((resolve) => setTimeout(() => resolve(ms), ms))',
  },
};
const NOTES = {
  id: 'notes',
  permissions: { storage: true },
  tools: { put: "({ text }) => storage.write('note', text)" },
};

/** Lets a process believe that it has another version: replaces the constant while the module is loaded. */
function versionHook(version: string): string {
  const hook = `export async function load(url, context, next) {
    const loaded = await next(url, context);
    if (!url.includes('/dist/lib/') || loaded.source == null) return loaded;
    const source = String(loaded.source);
    return { ...loaded, source: source.replace(/BULKHEAD_VERSION = "[^"]+"/, 'BULKHEAD_VERSION = "${version}"') };
  }`;
  const file = join(makeDirectory(), 'version.mjs');
  const url = `data:text/javascript,${encodeURIComponent(hook)}`;
  writeFileSync(
    file,
    `import { register } from 'node:module';\nregister(${JSON.stringify(url)});\n`,
  );
  return file;
}

describe.skipIf(!hasNats)('a gateway and runners of other versions', () => {
  let cell: Cell;
  let gateway: Gateway;
  beforeAll(async () => {
    cell = await makeCell((await startNats()).url, [SAMPLE, NOTES]);
    gateway = await cell.gateway();
  });

  const start = (name: string, version: string): ReturnType<typeof startRunnerProcess> =>
    startRunnerProcess(cell, name, { nodeWords: [`--import=${versionHook(version)}`] });
  const ended = async (runner: Awaited<ReturnType<typeof start>>): Promise<void> => {
    runner.kill('SIGTERM');
    await expect.poll(() => runner.exitCode, { timeout: 20_000 }).toBe(0);
  };

  it('lose no call while runners are replaced one after the other, by newer and older ones', async () => {
    let old = await start('runner-1', '0.0.9');
    await heardOf(gateway, 'runner-1');
    expect(gateway.runners()[0]?.version).toBe('0.0.9');
    const end = new AbortController();
    const codes: (string | undefined)[] = [];
    const caller = async (): Promise<void> => {
      while (!end.signal.aborted) codes.push((await gateway.call('wait', { ms: 20 })).code);
    };
    const callers = [1, 2, 3].map(caller);
    for (const [name, version] of [
      ['runner-2', '0.99.0'],
      ['runner-3', BULKHEAD_VERSION],
      ['runner-4', '0.0.1'],
    ] as const) {
      const next = await start(name, version);
      await heardOf(gateway, name);
      await ended(old);
      old = next;
    }
    end.abort();
    await Promise.all(callers);
    expect(codes.length).toBeGreaterThan(10);
    expect(codes.filter((code) => code !== undefined)).toEqual([]);
    await ended(old);
  });

  it('refuse calls if the first number differs, and say both versions', async () => {
    const runner = await start('runner-5', '1.0.0');
    await heardOf(gateway, 'runner-5');
    for (const tool of ['echo', 'put']) {
      const { code, content } = await gateway.call(tool, { text: 'a' });
      expect(code).toBe('FLEET_FAILED');
      expect(textOf(content)).toContain(
        `runner-5 has version 1.0.0, and the gateway has ${BULKHEAD_VERSION}. Give both the same major version`,
      );
    }
    await ended(runner);
  });
});

describe('a message of a newer version', () => {
  const made = makeSigningKey();
  const key = parseSigningKey(made.privatePem, 'gateway.pem');
  const keys = new Map([[key.id, made.publicKey]]);
  const more = { addedLater: { by: 'a newer version' } };

  it('is read if it has further members', () => {
    const heartbeat = {
      runner: 'runner-1',
      instance: 'i',
      version: '0.99.0',
      artifacts: [],
      callsUnderWay: 0,
      maxCalls: 1,
      freeMemory: 1,
      leaving: false,
      hears: [],
      session: 's',
      sessions: [],
    };
    expect(readHeartbeat(JSON.stringify({ ...heartbeat, ...more }))).toEqual(heartbeat);
    const epoch = {
      gateway: 'g',
      cell: 'main',
      number: 1,
      session: 's',
      revoked: [],
      disabled: [],
    };
    expect(openEpoch(keys, sealEpoch(key, { ...epoch, ...more }))).toEqual({
      ...epoch,
      key: key.id,
    });
    const head = {
      version: '0.99.0',
      gateway: 'g',
      cell: 'main',
      audience: '*',
      call: `call_${'0'.repeat(32)}`,
      attempt: 0,
      tool: 'sample:echo',
      artifact: 'a',
      digest: 'd',
      epoch: 1,
      expiresAtMs: 1,
      timeoutMs: 1,
      isolation: 'plugin',
    } as const;
    expect(openEnvelope(keys, sealEnvelope(key, { ...head, ...more }, '{}'))).toMatchObject(head);
  });

  it('is refused if it has another number of the protocol, because it must not be ignored', () => {
    const text = JSON.stringify({ protocol: 2, key: key.id });
    expect(openEnvelope(keys, sealFrame(key, 'call', text))).toBe('version');
  });
});
