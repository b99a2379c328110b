/** What an extension relies on to offer tools (Spindle tools, Registering a Tool and Tool lifecycle). */
import { describe, expect, it } from 'vitest';
import type { Engine, JsonObject } from '../../../src/index.js';
import { answering, makeExtension, registering } from '../../engine/extension-on-disk.js';
import { startEngine } from '../../engine/plugin-on-disk.js';

const idsOf = (engine: Engine): readonly string[] => engine.catalog.list().map((tool) => tool.id);

describe('Spindle tool registration', () => {
  it('S20: lists a tool as extension:tool, with its description and schema', async () => {
    const source = `spindle.registerTool({
    name: 'search', display_name: 'Search', description: 'Searches things',
    parameters: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] },
    council_eligible: true,
  })`;
    const engine = await startEngine([makeExtension({ source })]);
    expect(engine.catalog.list()).toMatchObject([
      {
        id: 'sample:search',
        name: 'sample__search',
        title: 'Search',
        description: 'Searches things',
        inputSchema: { properties: { query: { type: 'string' } }, required: ['query'] },
        timeoutMs: 60_000,
      },
    ]);
    expect(engine.listing()).toMatchObject([
      { tools: [{ name: 'search', council_eligible: true, inline_available: false }] },
    ]);
  });

  it('S21: ignores the owner that the extension names', async () => {
    const source = registering('mine', { extension_id: 'another' });
    const engine = await startEngine([makeExtension({ source })]);
    expect(idsOf(engine)).toEqual(['sample:mine']);
  });

  it('S22: refuses only names that have colons or control characters or are empty', async () => {
    const source = ['a:b', '', 'x'.repeat(200), 'line\nbreak', 'good']
      .map((name) => registering(name))
      .join('\n');
    const parameters = `${source} spindle.registerTool({ name: 'listy', parameters: [] });
    spindle.registerTool(null); spindle.registerTool({ name: 7 });
    spindle.registerTool({ get name() { throw new Error('no name') } });`;
    const engine = await startEngine([makeExtension({ source: parameters })]);
    expect(idsOf(engine)).toEqual(['sample:good']);
    const [status] = engine.plugins();
    expect(status?.state).toBe('active');
    expect(status?.problems.filter(({ code }) => code === 'INVALID_TOOL').length).toBeGreaterThan(
      4,
    );
  });

  it('S23: replaces a tool of the same name, but not that of another extension', async () => {
    const twice = `${registering('tool', { description: 'first' })} ${registering('tool', { description: 'second' })}`;
    const engine = await startEngine([
      makeExtension({ identifier: 'one', source: twice }),
      makeExtension({ identifier: 'two', source: registering('tool') }),
    ]);
    expect(idsOf(engine)).toEqual(['one:tool', 'two:tool']);
    expect(engine.catalog.find('one:tool')?.description).toBe('second');
  });

  it('S24, S25: allows every tool, also an unknown one, to be unregistered and registered again', async () => {
    const source = `
    for (const name of ['a', 'b', 'never']) spindle.unregisterTool(name);
    ${registering('a')} ${registering('b')}
    for (const name of ['a', 'b', 'never']) spindle.unregisterTool(name);
    ${registering('b')} ${registering('c')}`;
    const engine = await startEngine([makeExtension({ source })]);
    expect(idsOf(engine)).toEqual(['sample:b', 'sample:c']);
  });

  it('S26: registers nothing and throws nothing without the permission, and calls onDenied once', async () => {
    const source = `
    const heard = [];
    ${registering('tool')}
    spindle.permissions.onDenied((denial) => heard.push(denial));
    await new Promise((resolve) => setTimeout(resolve, 5));
    spindle.log.warn(JSON.stringify(heard));`;
    const lines: string[] = [];
    const engine = await startEngine([makeExtension({ permissions: [], source })], {
      onEvent: (event) => {
        if (event.type === 'log') lines.push(event.text);
      },
    });
    expect(idsOf(engine)).toEqual([]);
    expect(lines).toContain('[{"permission":"tools","operation":"registerTool"}]');
  });

  it('S26: emits the event permission_denied, to the extension alone', async () => {
    const source = `
    spindle.on('permission_denied', (denial) => spindle.log.warn(JSON.stringify(denial)));
    ${registering('tool')}`;
    const other = `
    spindle.on('permission_denied', () => spindle.log.warn('another extension was denied'));
    spindle.log.warn('listens');`;
    const lines: string[] = [];
    const engine = await startEngine(
      [
        makeExtension({ identifier: 'listener', source: other }),
        makeExtension({ permissions: [], source }),
      ],
      {
        onEvent: (event) => {
          if (event.type === 'log') lines.push(event.text);
        },
      },
    );
    const denial = '{"permission":"tools","operation":"registerTool"}';
    await expect.poll(() => lines).toEqual(expect.arrayContaining(['listens', denial]));
    expect(() => engine.spindle.emit('permission_denied', { permission: 'tools' })).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTIONS' }),
    );
    expect(lines).not.toContain('another extension was denied');
  });

  it('S29: answers permissions.has correctly from the first line', async () => {
    const source = `
    const at = [spindle.permissions.has('tools'), spindle.permissions.has('chats')];
    ${answering({ tell: 'JSON.stringify([at, await spindle.permissions.getGranted()])' })}`;
    const engine = await startEngine([makeExtension({ source })]);
    expect((await engine.call('tell', {})).value).toBe('[[true,false],["tools"]]');
  });

  it('S40: passes the bare name, the arguments, the request id and the host’s data as the payload', async () => {
    const source = answering({ tell: 'JSON.stringify(payload)' });
    const engine = await startEngine([makeExtension({ source })]);
    const context = {
      requestId: '7a1f0b1e-0000-4000-8000-000000000001',
      councilMember: { memberId: 'm', name: 'Ada', avatarUrl: null },
      contextMessages: [{ role: 'user', content: 'hello' }],
    };
    const input = { query: 'x', userId: 'u', __userId: 'u', __user_id: 'u', __deadlineMs: 1 };
    expect(await payloadOf(engine, input, context)).toMatchObject({
      toolName: 'tell',
      args: { query: 'x' },
      ...context,
    });
    const plain = await payloadOf(engine, { councilMember: { name: 'spoofed' } });
    expect(Object.keys(plain)).toEqual(['toolName', 'args', 'requestId']);
  });
});

async function payloadOf(engine: Engine, input: object, context?: JsonObject): Promise<object> {
  const { value } = await engine.call('tell', input, context === undefined ? {} : { context });
  const payload: object = JSON.parse(typeof value === 'string' ? value : '');
  return payload;
}
