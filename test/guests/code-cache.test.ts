import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { makeCodeCache, type CodeCache } from '../../src/guests/code-cache.js';
import { guestCommand, ownFlags } from '../../src/guests/command.js';
import { DEFAULT_WALLS } from '../../src/guests/walls/optional.js';
import { startGuest } from '../../src/guests/guest.js';
import { inspectMachine } from '../../src/guests/machine.js';

const directory = mkdtempSync(join(tmpdir(), 'bulkhead-code-'));
const script = createRequire(import.meta.url).resolve('#sandbox/guest.cjs');
const machine = await inspectMachine(script);
const limits = { memoryMb: 64, cpuSeconds: 60 };
const flags = ownFlags(machine, limits, DEFAULT_WALLS);
const open = (): CodeCache =>
  makeCodeCache({ directory: join(directory, 'code'), node: process.execPath, flags, script });
let file = '';

beforeAll(async () => {
  const cache = open();
  await vi.waitUntil(() => cache.descriptor() !== undefined, { timeout: 20_000 });
  cache.close();
  const [name = ''] = readdirSync(join(directory, 'code'));
  file = join(directory, 'code', name);
});

afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** What a guest says of itself that is started with what is kept. */
async function startWith(cache: CodeCache): Promise<unknown> {
  const codeCache = cache.descriptor();
  expect(codeCache).toBeTypeOf('number');
  const command = guestCommand(machine, limits, script, [script], DEFAULT_WALLS, {
    kind: 'alone',
    codeCache,
  });
  const guest = startGuest(command, 20_000);
  try {
    const report = await guest.ready;
    const held = readdirSync(`/proc/${guest.pid}/fd`).map((name) =>
      readlinkSync(`/proc/${guest.pid}/fd/${name}`),
    );
    expect(held).not.toContain(file);
    return report;
  } finally {
    guest.kill({ cause: 'closed', detail: '' });
    cache.close();
  }
}

describe('what V8 compiled of the guest’s code', () => {
  it('is stored for its owner alone, and nothing beside it', () => {
    expect(statSync(file).mode & 0o077).toBe(0);
    expect(readdirSync(join(directory, 'code'))).toHaveLength(1);
  });

  it('is accepted by V8 if it is started as guests are', () => {
    const ask = `
      const { Script } = require('node:vm');
      const { readFileSync } = require('node:fs');
      const code = eval(/^const code = (.*);$/m.exec(readFileSync(${JSON.stringify(script)}, 'utf8'))[1]);
      const cachedData = readFileSync(${JSON.stringify(file)}).subarray(0, -32);
      console.log(new Script(code, { filename: 'guest.js', cachedData }).cachedDataRejected);
      console.log(new Script(code + ' ', { filename: 'guest.js', cachedData }).cachedDataRejected);`;
    const { stdout } = spawnSync(process.execPath, [...flags, '-e', ask], { encoding: 'utf8' });
    expect(stdout).toBe('false\ntrue\n');
  });

  it('is what several guests start with, each of which closes it', async () => {
    const reports = await Promise.all([startWith(open()), startWith(open())]);
    for (const report of reports) expect(report).toMatchObject({ lockdown: true, scuttled: true });
  });

  it.each<[string, (kept: Buffer) => Buffer]>([
    ['cut short', (kept) => kept.subarray(0, 1_000)],
    ['empty', () => Buffer.alloc(0)],
    [
      'of wrong bytes',
      (kept) =>
        Buffer.from(kept.map((byte, at) => (at > 100_000 && at < 150_000 ? byte ^ 255 : byte))),
    ],
    ['something else', () => Buffer.from('x'.repeat(5_000))],
  ])('is created again if it is %s', async (_, spoil) => {
    const kept = readFileSync(file);
    writeFileSync(file, spoil(kept));
    const cache = open();
    expect(cache.descriptor()).toBeUndefined();
    await expect.poll(() => cache.descriptor(), { timeout: 20_000 }).toBeTypeOf('number');
    cache.close();
    expect(await startWith(open())).toMatchObject({ lockdown: true });
  });

  it('is not taken from a file that others can write', async () => {
    chmodSync(file, 0o620);
    const cache = open();
    expect(cache.descriptor()).toBeUndefined();
    await expect.poll(() => cache.descriptor(), { timeout: 20_000 }).toBeTypeOf('number');
    cache.close();
    expect(statSync(file).mode & 0o077).toBe(0);
  });

  it('has another name for other flags', () => {
    const other = makeCodeCache({
      directory: join(directory, 'other'),
      node: join(directory, 'no-such-node'),
      flags: ['--jitless'],
      script,
    });
    expect(other.descriptor()).toBeUndefined();
    other.close();
    expect(existsSync(file)).toBe(true);
  });
});
