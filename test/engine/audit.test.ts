import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeJsonlStore } from '../../src/audit/disk/jsonl-store.js';
import type { AuditRecord } from '../../src/audit/record.js';
import { explainCall } from '../../src/audit/why.js';
import { gather, typesOf } from '../audit/logs.js';
import { makeDirectory, makePlugin, startEngine } from './plugin-on-disk.js';

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
      declared: { filesystem: ['data'] },
      granted: { filesystem: ['data'] },
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
      { type: 'capability-denied', permission: 'filesystem', wanted: '"/etc/passwd"' },
      { type: 'call-ended', code: 'FILESYSTEM_DENIED' },
    ]);
    await engine.close();
    const store = makeJsonlStore(path);
    const lines = (await gather(store.read())).map(({ line }) => line).join('\n');
    expect(lines).toContain('"type":"guest-ended"');
    expect(lines).toContain('"type":"log-closed"');
    expect(await engine.audit.verify()).toMatchObject({ ok: true });
  });

  it('does not say whose doing it was where two calls were under way, but between which', async () => {
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

  it('says that there is none where the host wants none', async () => {
    const engine = await startEngine([makePlugin({ tools: { run: '() => 1' } })]);
    expect(() => engine.audit.query()).toThrow(/createEngine the option audit/);
    await engine.close();
  });
});
