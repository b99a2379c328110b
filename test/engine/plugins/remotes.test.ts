import { describe, expect, it, vi } from 'vitest';
import type { BulkheadEvent } from '../../../src/index.js';
import { REMOTE_LIMITS } from '../../../src/remotes/limits.js';
import { serveLoud } from '../../remotes/mcp/loud-server.js';
import { serveTools, weather } from '../../remotes/vertesia/server.js';
import { makePlugin, startEngine } from '../plugin-on-disk.js';

describe('a server of tools that is registered', () => {
  it('has its tools in the catalog, beside those of plugins', async () => {
    const server = await serveTools({ title: 'CRM', description: 'd', tools: [weather] });
    const plugin = makePlugin({ id: 'sample', tools: { run: '() => 1' } });
    const engine = await startEngine([plugin], {
      remotes: [{ vertesia: server.url, id: 'crm', allowPrivate: true }],
    });
    expect(engine.catalog.list().map(({ name }) => name)).toEqual(['crm__weather', 'sample__run']);
    expect(engine.catalog.find('crm__weather')).toMatchObject({
      id: 'crm:weather',
      confinement: 'remote',
      declaredRisk: 'medium',
      risk: 'medium',
      background: false,
    });
    expect(engine.plugins()[1]).toMatchObject({
      id: 'crm',
      format: 'vertesia',
      directory: server.url,
      name: 'CRM',
      state: 'active',
      problems: [],
    });
  });

  it('is called like a plugin, and receives the run', async () => {
    const server = await serveTools({ tools: [weather] });
    const events: BulkheadEvent[] = [];
    const engine = await startEngine([], {
      remotes: [{ vertesia: server.url, id: 'crm', allowPrivate: true }],
      onEvent: (event) => events.push(event),
    });
    const context = { conversationId: 'run-1', metadata: { a: 1 } };
    const result = await engine.call('crm__weather', { city: 'Oslo' }, { context });
    expect(result).toMatchObject({
      isError: false,
      content: [{ type: 'text', text: 'Sunny' }],
      value: 'Sunny',
    });
    expect(server.posts()[0]?.body).toMatchObject({
      tool_use: { id: result.callId, tool_name: 'weather', tool_input: { city: 'Oslo' } },
      metadata: { run_id: 'run-1', a: 1 },
    });
    expect(events.filter(({ type }) => type.startsWith('call-'))).toMatchObject([
      { type: 'call-started', plugin: 'crm', tool: 'weather' },
      { type: 'call-ended', outcome: 'ok' },
    ]);
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'capability-used', plugin: 'crm', permission: 'network' }),
    );
  });

  it('does not get a call that a listener cancels in its event', async () => {
    const server = await serveTools({ tools: [weather] });
    const controller = new AbortController();
    const engine = await startEngine([], {
      remotes: [{ vertesia: server.url, id: 'crm', allowPrivate: true }],
      onEvent: ({ type }) => (type === 'call-started' ? controller.abort() : undefined),
    });
    const { signal } = controller;
    expect((await engine.call('crm__weather', { city: 'Oslo' }, { signal })).code).toBe(
      'CANCELLED',
    );
    expect(server.posts()).toEqual([]);
  });

  it('answers for its failures by results', async () => {
    const replies = [
      { status: 500, body: { error: 'it broke' } },
      { status: 404, body: {} },
      { body: { tool_use_id: 'x', content: 'y' } },
    ];
    const server = await serveTools({ tools: [weather] }, () => replies.shift() ?? 'hang');
    const engine = await startEngine([], {
      remotes: [{ vertesia: server.url, id: 'crm', allowPrivate: true }],
    });
    expect(await engine.call('crm__weather', {})).toMatchObject({
      isError: true,
      code: 'TOOL_FAILED',
    });
    expect(await engine.call('crm__weather', {})).toMatchObject({
      isError: true,
      code: 'TOOL_FAILED',
    });
    expect(await engine.call('crm__weather', {})).toMatchObject({ code: 'REMOTE_FAILED' });
    const late = await engine.call('crm__weather', {}, { timeoutMs: 100 });
    expect(late).toMatchObject({ isError: true, code: 'DEADLINE_EXCEEDED' });
    const given = AbortSignal.timeout(100);
    expect(await engine.call('crm__weather', {}, { signal: given })).toMatchObject({
      code: 'CANCELLED',
    });
  });

  it('does not block other plugins if it does not answer', async () => {
    const dead = await serveTools(() => ({ status: 500, body: {} }));
    const alive = await serveTools({ tools: [weather] });
    const engine = await startEngine([], {
      remotes: [
        { vertesia: dead.url, id: 'dead', allowPrivate: true },
        { vertesia: alive.url, id: 'alive', allowPrivate: true },
      ],
    });
    expect(engine.catalog.list().map(({ name }) => name)).toEqual(['alive__weather']);
    expect(engine.plugins()[0]).toMatchObject({ id: 'dead', state: 'failed' });
    await expect(engine.call('dead__weather', {})).rejects.toMatchObject({
      code: 'PLUGIN_INACTIVE',
    });
  });

  it('is asked again when the engine is, and after a while', async () => {
    let tools = [weather];
    const server = await serveTools(() => ({ body: { tools } }));
    const engine = await startEngine([], {
      remotes: [{ vertesia: server.url, id: 'crm', allowPrivate: true }],
    });
    tools = [{ ...weather, name: 'renamed' }];
    await engine.reload();
    expect(engine.plugins()[0]?.problems).toMatchObject([
      { code: 'REMOTE_CHANGED', toolId: 'renamed' },
    ]);
    await engine.accept('crm');
    expect(engine.catalog.list().map(({ name }) => name)).toEqual(['crm__renamed']);
    const set = vi.spyOn(globalThis, 'setInterval');
    await startEngine([], { remotes: [{ vertesia: server.url, allowPrivate: true }] });
    expect(set).toHaveBeenCalledWith(expect.any(Function), REMOTE_LIMITS.refreshMs);
    set.mockRestore();
  });

  it('is asked again at our own pace, however often it says that it has changed', async () => {
    const changed = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
    let told = 0;
    const began = performance.now();
    const server = await serveLoud((stream) => {
      const timer = setInterval(() => {
        told += 20;
        stream.write(`data: ${changed}\n\n`.repeat(20));
      }, 5);
      stream.on('close', () => clearInterval(timer));
    });
    const engine = await startEngine([], {
      remotes: [{ mcp: server.url, id: 'loud', allowPrivate: true }],
    });
    await vi.waitUntil(() => told > 0 && (server.asked.get('tools/list') ?? 0) >= 2, 20_000);
    await vi.waitUntil(() => told >= 3_000, 20_000);
    // Once at the start, once for the first that it says, and then each five seconds.
    const most = 2 + (performance.now() - began) / REMOTE_LIMITS.changedMs;
    expect(server.asked.get('tools/list')).toBeLessThanOrEqual(most);
    expect(engine.catalog.find('loud__say')).toMatchObject({ plugin: 'loud', tool: 'say' });
  });

  it('lists its tools once at a time, so that only its first list is pinned', async () => {
    let lists = 0;
    const server = await serveTools(() => {
      lists += 1;
      const tools = [{ ...weather, description: `List ${lists}` }];
      return lists === 1 ? { status: 500, body: {} } : { body: { tools } };
    });
    const engine = await startEngine([], {
      remotes: [{ vertesia: server.url, id: 'crm', allowPrivate: true }],
    });
    expect(engine.catalog.list()).toEqual([]);
    await Promise.all([engine.reload(), engine.reload(), engine.reload()]);
    // One for the first reload, and one for the two that came during it.
    expect(lists).toBe(3);
    expect(engine.catalog.list()).toEqual([]);
    expect(engine.plugins()[0]?.problems).toMatchObject([
      { code: 'REMOTE_CHANGED', message: /List 3/ },
    ]);
  });

  it('does not take the id of a plugin', async () => {
    const server = await serveTools({ tools: [weather] });
    const plugin = makePlugin({ id: 'crm', tools: { run: '() => 1' } });
    const engine = await startEngine([plugin], {
      remotes: [{ vertesia: server.url, id: 'crm', allowPrivate: true }],
    });
    expect(engine.catalog.list().map(({ name }) => name)).toEqual(['crm__run']);
    expect(engine.plugins()[1]).toMatchObject({
      state: 'failed',
      problems: [{ code: 'NAME_COLLISION' }],
    });
  });

  it('requires approval before it runs if it wants that', async () => {
    const tools = [{ ...weather, approval_class: 'requires_confirmation' }];
    const server = await serveTools({ tools });
    const remotes = [{ vertesia: server.url, id: 'crm', allowPrivate: true }];
    const unattended = await startEngine([], { remotes });
    expect(await unattended.call('crm__weather', {})).toMatchObject({ code: 'APPROVAL_REQUIRED' });
    const asked: string[] = [];
    const attended = await startEngine([], {
      remotes,
      approve: ({ bundle }) => (asked.push(bundle), 'once'),
    });
    expect(await attended.call('crm__weather', {})).toMatchObject({ isError: false });
    expect(asked[0]).toContain(server.url);
    expect(server.posts()).toHaveLength(1);
  });

  it.each([
    [[{ vertesia: 'ftp://x' }], 'is not the URL of a server'],
    [[{ vertesia: 'http://10.0.0.1/t' }], '"allowPrivate": true'],
    [[{ vertesia: 'http://localhost/t', allowPrivate: false }], '"allowPrivate": true'],
    [[{ vertesia: 'http://localhost.example/t' }], 'in the open'],
    [[{ vertesia: 'http://a.example/t', allowPrivate: true }], 'in the open'],
    [[{ mcp: 'http://8.8.8.8/mcp', allowPrivate: true }], 'in the open'],
    [[{ vertesia: 'https://u:p@a.example/t' }], 'is not the URL of a server'],
    [[{ vertesia: 'https://a.example/t', id: 'a:b' }], 'is not an id'],
    [[{ vertesia: 'https://a.example/t' }, { vertesia: 'https://a.example/u' }], 'two have the id'],
  ])('is one that can be registered, and not %j', async (remotes, why) => {
    await expect(startEngine([], { remotes })).rejects.toThrow(why);
  });
});

describe('the keys of an engine', () => {
  it('verify the tokens that it sends', async () => {
    const engine = await startEngine([], { identity: { issuer: 'https://a.example' } });
    const { keys } = await engine.jwks();
    expect(keys).toMatchObject([{ kty: 'EC', alg: 'ES256', use: 'sig' }]);
    expect(JSON.stringify(keys)).not.toContain('"d"');
  });
});

describe('an engine without servers', () => {
  it('reports an unknown name with the usual error', async () => {
    const engine = await startEngine([]);
    await expect(engine.call('nope', {})).rejects.toMatchObject({ code: 'TOOL_NOT_FOUND' });
    await expect(engine.accept('nope')).rejects.toThrow('There is no server nope');
  });
});
