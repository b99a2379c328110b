import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeJsonlStore } from '../../src/audit/disk/jsonl-store.js';
import type { AuditRecord } from '../../src/audit/record.js';
import { parseAnchors } from '../../src/audit/verify.js';
import { explainCall } from '../../src/audit/why.js';
import { createKey } from '../../src/keys/new-keys.js';
import { gather, typesOf } from '../audit/logs.js';
import { makeDirectory, makePlugin, startEngine } from './plugin-on-disk.js';

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

const file = (): string => join(makeDirectory(), 'log', 'audit.jsonl');

describe('the audit log of an engine', () => {
  it('has what was granted, called, used and refused, and how it ended', async () => {
    const plugin = makePlugin({
      permissions: { fs: ['data'] },
      files: { 'data/a.txt': 'a' },
      tools: {
        read: `async () => readFile('data/a.txt')`,
        peek: `async () => {
          try { Date.now() } catch {}
          return readFile('/etc/passwd') }`,
      },
    });
    const path = file();
    const engine = await startEngine([plugin], { audit: { file: path } });
    const read = await engine.call('read', { n: 1 });
    const peek = await engine.call('peek', {});
    const records = await gather(engine.audit.query());
    expect(records.find(({ type }) => type === 'permissions-granted')).toMatchObject({
      plugin: 'sample',
      declared: { fs: ['data'] },
      granted: { fs: ['data'] },
    });
    const of = (call: string): AuditRecord[] =>
      records.filter((record) => 'call' in record && record.call === call);
    expect(typesOf(of(read.callId))).toEqual(['call-started', 'capability-used', 'call-ended']);
    expect(of(peek.callId)).toMatchObject([
      { type: 'call-started' },
      {
        type: 'capability-denied',
        permission: 'time',
        at: expect.stringMatching(/^index\.ts:\d+:\d+$/),
      },
      { type: 'capability-denied', permission: 'fs', wanted: '"/etc/passwd"' },
      { type: 'call-ended', code: 'FILESYSTEM_DENIED' },
    ]);
    await engine.close();
    const store = makeJsonlStore(path);
    const lines = (await gather(store.read())).map(({ line }) => line).join('\n');
    expect(lines).toContain('"type":"guest-ended"');
    expect(lines).toContain('"type":"log-closed"');
    expect(await engine.audit.verify()).toMatchObject({ ok: true });
  });

  it('names both candidates if two calls were running', async () => {
    const plugin = makePlugin({
      permissions: { fs: ['data'] },
      files: { 'data/a.txt': 'a' },
      tools: {
        read: `async () => {
          await new Promise((resolve) => setTimeout(resolve, 100));
          return readFile('data/a.txt') }`,
      },
    });
    const engine = await startEngine([plugin], { audit: { file: file() } });
    await engine.call('read', {});
    const [a, b] = await Promise.all([engine.call('read', {}), engine.call('read', {})]);
    const uses = (await gather(engine.audit.query({ types: ['capability-used'] }))).slice(1);
    const named = uses.flatMap((use) => ('among' in use ? [use.among] : []));
    expect(named[0]?.toSorted()).toEqual([a.callId, b.callId].toSorted());
    const account = await explainCall(engine.audit.query(), a.callId);
    expect(account?.steps.filter(({ sure }) => !sure).length).toBeGreaterThan(0);
    await engine.close();
  });

  const destructive = `export const tools = [{ id: 'drop', name: 'n', description: 'd',
    annotations: { destructiveHint: true }, execute: () => 'dropped' },
    { id: 'look', name: 'n', description: 'd', annotations: { readOnlyHint: true },
    execute: () => 'seen' }]`;

  it('is on the disk before a call of high risk begins, and does not hold up another', async () => {
    const store = makeJsonlStore(file());
    const order: string[] = [];
    const engine = await startEngine([makePlugin({ source: destructive })], {
      audit: {
        store: {
          ...store,
          append: async (records, durable) => {
            await store.append(records, durable);
            for (const { record } of records) order.push(`${record.type}${durable ? '!' : ''}`);
          },
        },
      },
      approve: () => 'once',
    });
    await engine.call('look', {});
    const dropping = engine.call('drop', {});
    await dropping;
    order.push('answered');
    await engine.audit.flush();
    const at = order.indexOf('answered');
    expect(order.slice(0, at)).toContain('call-started!');
    expect(order.lastIndexOf('call-ended')).toBeLessThan(order.length);
    await engine.close();
  });

  it('refuses a call of high risk that it cannot write down, and lets others run', async () => {
    const store = makeJsonlStore(file());
    let full = false;
    const engine = await startEngine([makePlugin({ source: destructive })], {
      audit: {
        store: {
          ...store,
          append: (records, durable) =>
            full ? Promise.reject(new Error('no space left')) : store.append(records, durable),
        },
      },
      approve: () => 'once',
    });
    full = true;
    expect(await engine.call('drop', {})).toMatchObject({ isError: true, code: 'AUDIT_FAILED' });
    expect(await engine.call('look', {})).toMatchObject({ isError: false, value: 'seen' });
    full = false;
    expect(await engine.call('drop', {})).toMatchObject({ value: 'dropped' });
    await engine.close();
  });

  it('refuses a call of low risk that was approved if it cannot write it down', async () => {
    const store = makeJsonlStore(file());
    let full = false;
    const plugin = makePlugin({
      tools: { look: "() => 'seen'" },
      entry: { requireApproval: true },
    });
    const engine = await startEngine([plugin], {
      audit: {
        store: {
          ...store,
          append: (records, durable) =>
            full ? Promise.reject(new Error('no space left')) : store.append(records, durable),
        },
      },
      approve: () => 'once',
    });
    expect(engine.catalog.list()[0]?.risk).toBe('low');
    expect(await engine.call('look', {})).toMatchObject({ value: 'seen' });
    full = true;
    expect(await engine.call('look', {})).toMatchObject({ isError: true, code: 'AUDIT_FAILED' });
    full = false;
    await engine.close();
  });

  it('refuses a call of medium risk that it cannot write down', async () => {
    const store = makeJsonlStore(file());
    let full = false;
    const source = `export const tools = [{ id: 'send', name: 'n', description: 'd',
      annotations: { readOnlyHint: true }, execute: () => 'sent' }]`;
    const plugin = makePlugin({ source, permissions: { network: ['api.test'] } });
    const engine = await startEngine([plugin], {
      audit: {
        store: {
          ...store,
          append: (records, durable) =>
            full ? Promise.reject(new Error('no space left')) : store.append(records, durable),
        },
      },
    });
    expect(engine.catalog.list()[0]?.risk).toBe('medium');
    expect(await engine.call('send', {})).toMatchObject({ value: 'sent' });
    full = true;
    const refused = await engine.call('send', {});
    expect(refused).toMatchObject({ isError: true, code: 'AUDIT_FAILED' });
    // A model reads it.
    expect(JSON.stringify(refused)).not.toContain('audit.jsonl');
    full = false;
    expect(await engine.call('send', {})).toMatchObject({ value: 'sent' });
    await engine.close();
  });

  it('is signed and anchored, names the exceptions of the host, and verifies itself', async () => {
    const path = file();
    const signKey = join(makeDirectory(), 'keys', 'sign.pem');
    createKey('sign', signKey);
    const anchors = join(makeDirectory(), 'anchors.txt');
    const engine = await startEngine([makePlugin({ tools: { run: '() => 1' } })], {
      audit: { file: path, signKey, anchors: [{ file: anchors }], exceptions: ['open-loopback'] },
    });
    await engine.call('run', {});
    const verdict = await engine.audit.verify();
    expect(verdict).toMatchObject({ ok: true, unattested: 0 });
    expect(verdict.ok && verdict.notes.join()).toContain('opened the log with open-loopback');
    await engine.close();
    expect(parseAnchors(readFileSync(anchors, 'utf8')).at(-1)?.hash).toBe(engine.audit.head.hash);
  });

  it('says so, loudly, if the log was changed, and starts a new segment', async () => {
    const path = file();
    const plugin = makePlugin({ tools: { run: '() => 1' } });
    const first = await startEngine([plugin], { audit: { file: path } });
    await first.call('run', {});
    await first.close();
    writeFileSync(path, readFileSync(path, 'utf8').replace('"sample"', '"simple"'));
    const said: string[] = [];
    const second = await startEngine([plugin], {
      audit: { file: path },
      logger: { ...silent, error: (_fields: object, message: string) => said.push(message) },
    });
    expect(said.join()).toMatch(/The audit log is not intact: line \d+ of .* It is audit\.broken-/);
    expect(await second.audit.verify()).toMatchObject({ ok: true });
    await second.close();
  });

  it('holds no value of a secret, and no text that a plugin logs', async () => {
    const plugin = makePlugin({
      permissions: { env: ['KEY'] },
      tools: {
        leak: `async (input, { env, logger }) => { logger.error(env.KEY); throw new Error(env.KEY) }`,
      },
    });
    const path = file();
    const engine = await startEngine([plugin], { audit: { file: path }, env: { KEY: 'hunter2' } });
    await engine.call('leak', {});
    await engine.close();
    const lines = (await gather(makeJsonlStore(path).read())).map(({ line }) => line);
    expect(lines.join('\n')).not.toContain('hunter2');
    expect(lines.length).toBeGreaterThan(4);
  });

  it('says that there is no log if the host wants none', async () => {
    const engine = await startEngine([makePlugin({ tools: { run: '() => 1' } })]);
    expect(() => engine.audit.query()).toThrow(/createEngine the option audit/);
    await engine.close();
  });
});
