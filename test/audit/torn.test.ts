import { spawn } from 'node:child_process';
import { appendFileSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeJsonlStore } from '../../src/audit/disk/jsonl-store.js';
import { queryStore } from '../../src/audit/query.js';
import { verify } from '../../src/audit/verify.js';
import { ROOT } from '../architecture/sources.js';
import { callEvents, freshDirectory, gather, openLog, typesOf } from './logs.js';

async function writtenLog(): Promise<string> {
  const path = join(freshDirectory(), 'audit.jsonl');
  const log = await openLog(makeJsonlStore(path));
  for (const event of callEvents('a')) log.listener(event);
  await log.close();
  return path;
}

async function reopen(path: string): Promise<void> {
  const log = await openLog(makeJsonlStore(path));
  await log.close();
}

describe('a torn write', () => {
  it('is removed when the log is opened again, and recorded', async () => {
    const path = await writtenLog();
    appendFileSync(path, '{"atMs":12,"type":"call-sta');
    expect(await verify(makeJsonlStore(path).read())).toMatchObject({ ok: true, records: 5 });
    await reopen(path);
    const records = await gather(queryStore(makeJsonlStore(path), { afterSeq: 5 }));
    expect(typesOf(records)).toEqual(['log-opened', 'log-repaired', 'log-closed']);
    expect(records[1]).toMatchObject({ bytes: 27 });
    const verdict = await verify(makeJsonlStore(path).read());
    expect(verdict).toMatchObject({ ok: true, records: 8 });
    expect(verdict.ok && verdict.notes.join()).toContain('27 bytes of a torn write');
  });

  it('is repaired at every possible length', async () => {
    const whole = readFileSync(await writtenLog());
    for (let size = 0; size <= whole.length; size += 7) {
      const path = join(freshDirectory(), 'audit.jsonl');
      mkdirSync(join(path, '..'));
      writeFileSync(path, whole);
      truncateSync(path, size);
      await reopen(path);
      expect(await verify(makeJsonlStore(path).read())).toMatchObject({ ok: true });
    }
  });

  it('is removed if the file has zeros in its place', async () => {
    const path = await writtenLog();
    appendFileSync(path, Buffer.alloc(4_096));
    await reopen(path);
    expect(await verify(makeJsonlStore(path).read())).toMatchObject({ ok: true, records: 8 });
  });

  it('differs from a changed record, after which the log is not continued', async () => {
    const path = await writtenLog();
    writeFileSync(path, readFileSync(path, 'utf8').replace('"log-closed"', '"log-cl0sed"'));
    await reopen(path);
    const records = await gather(queryStore(makeJsonlStore(path), {}));
    expect(typesOf(records)).toEqual(['log-opened', 'segment-started', 'log-closed']);
  });
});

/** Writes calls until it is killed, and prints after each flush how many are on the disk. */
const WRITER = `
  const { openAuditLog } = await import(process.argv[1] + '/dist/src/audit/log.js');
  const { makeJsonlStore } = await import(process.argv[1] + '/dist/src/audit/disk/jsonl-store.js');
  const log = await openAuditLog({
    store: makeJsonlStore(process.argv[2], { maxFileBytes: 64 * 1024 }),
    policy: { inputs: 'none', redact: [] }, sync: 'never', pid: process.pid, now: Date.now,
    onFailure: (error) => { throw error; },
  });
  for (let call = 0; ; call += 1) {
    for (let n = 0; n < 50; n += 1) {
      log.listener({ atMs: 1, type: 'call-ended', call: call + '-' + n, plugin: 'p', tool: 't', outcome: 'ok', durationMs: 1 });
    }
    await log.flush();
    process.stdout.write(call + '\\n');
  }
`;

describe('a process that is killed while it writes the audit log', () => {
  it.each([1, 2, 3])(
    'leaves a log with every flushed record, which can be continued (%i)',
    async (n) => {
      const path = join(freshDirectory(), 'audit.jsonl');
      const child = spawn(process.execPath, ['--input-type=module', '-e', WRITER, ROOT, path], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let printed = '';
      await new Promise<void>((resolve) => {
        child.stdout.on('data', (text: Buffer) => {
          printed += text.toString();
          // At any point of its work.
          if (printed.split('\n').length > 20 * n) child.kill('SIGKILL');
        });
        child.on('close', () => resolve());
      });
      const flushed = Number(printed.trimEnd().split('\n').at(-1));
      await reopen(path);
      expect(await verify(makeJsonlStore(path).read())).toMatchObject({ ok: true });
      const calls = await gather(queryStore(makeJsonlStore(path), { types: ['call-ended'] }));
      expect(calls.length).toBeGreaterThanOrEqual((flushed + 1) * 50);
    },
  );
});
