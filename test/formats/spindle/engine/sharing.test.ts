import { describe, expect, it } from 'vitest';
import type { Engine, EngineOptions } from '../../../../src/index.js';
import { makeExtension, registering } from '../../../engine/extension-on-disk.js';
import { startEngine } from '../../../engine/plugin-on-disk.js';

interface Spec {
  readonly source: string;
  readonly permissions?: readonly string[];
}

const start = (
  extensions: Readonly<Record<string, Spec>>,
  options: Partial<EngineOptions> = {},
): Promise<Engine> =>
  startEngine(
    Object.entries(extensions).map(([identifier, { source, permissions = [] }]) =>
      makeExtension({ identifier, source, permissions: ['tools', ...permissions] }),
    ),
    options,
  );

/** Reads an endpoint by its tool, and tells what came of it. */
const reader = `${registering('read')}
  spindle.on('TOOL_INVOCATION', async ({ args }) => {
    try { return JSON.stringify({ value: await spindle.rpcPool.read(args.endpoint) }) }
    catch (error) { return JSON.stringify({ error: error.message }) }
  });`;

async function read(engine: Engine, endpoint: string, who = 'asks'): Promise<unknown> {
  const { value } = await engine.call(`${who}:read`, { endpoint });
  return JSON.parse(typeof value === 'string' ? value : '');
}

describe('what extensions share', () => {
  it('is read by its endpoint: a value, or what a handler makes for who asks', async () => {
    const engine = await start({
      owns: {
        source: `spindle.rpcPool.sync('mood', { calm: true });
          spindle.rpcPool.handle('ask', (request) => request);
          spindle.rpcPool.handle('fails', () => { throw new Error('boom') });`,
      },
      asks: { source: reader },
    });
    expect(await read(engine, 'owns.mood')).toEqual({ value: { calm: true } });
    expect(await read(engine, 'owns.ask')).toEqual({
      value: {
        endpoint: 'owns.ask',
        requesterExtensionId: 'asks',
        effectivePermissions: ['tools'],
      },
    });
    expect(await read(engine, 'owns.fails')).toEqual({ error: 'boom' });
    expect(await read(engine, 'owns.nothing')).toEqual({
      error: 'Shared RPC endpoint "owns.nothing" is not registered',
    });
    expect(await read(engine, 'absent.mood')).toMatchObject({
      error: expect.stringContaining('not registered'),
    });
    expect(await read(engine, 'Not An Endpoint')).toMatchObject({
      error: expect.stringContaining('Invalid shared RPC endpoint'),
    });
  });

  it('is for who holds what its owner holds, or what its policy requires', async () => {
    const engine = await start({
      owns: {
        source: `spindle.rpcPool.sync('inherits', 1);
          spindle.rpcPool.sync('requires', 2, { requires: ['images'] });`,
        permissions: ['chats', 'images'],
      },
      asks: { source: reader, permissions: ['chats'] },
      sees: { source: reader, permissions: ['images'] },
      has_all: { source: reader, permissions: ['chats', 'images'] },
    });
    expect(await read(engine, 'owns.inherits')).toMatchObject({
      error: expect.stringMatching(/^PERMISSION_DENIED: images/),
    });
    expect(await read(engine, 'owns.inherits', 'has_all')).toEqual({ value: 1 });
    expect(await read(engine, 'owns.requires', 'sees')).toEqual({ value: 2 });
    expect(await read(engine, 'owns.requires')).toMatchObject({
      error: expect.stringMatching(/^PERMISSION_DENIED: images/),
    });
    await engine.revoke('sees', 'images');
    expect(await read(engine, 'owns.requires', 'sees')).toMatchObject({
      error: expect.stringMatching(/^PERMISSION_DENIED: images/),
    });
  });
});

describe('macros of extensions', () => {
  const macros = `
    spindle.registerMacro({ name: 'Weather', handler: (context) => 'sunny ' + context.commit });
    spindle.registerMacro({ name: 'pushed', handler: () => 'pulled' });
    spindle.updateMacroValue('pushed', 'a value that was pushed');
    spindle.registerMacro({ name: 'fails', handler: () => { throw new Error('boom') } });
    spindle.registerMacro({ name: 'nests', handler: () => '{{weather}}' });`;

  it('are put into a template, and unknown ones stay', async () => {
    const engine = await start({ ext: { source: macros } });
    expect(engine.spindle.macros().map(({ name, plugin }) => [plugin, name])).toEqual([
      ['ext', 'weather'],
      ['ext', 'pushed'],
      ['ext', 'fails'],
      ['ext', 'nests'],
    ]);
    expect(
      await engine.spindle.resolveMacros('It is {{weather}}, {{WEATHER}}, {{pushed}}, {{user}}.'),
    ).toBe('It is sunny true, sunny true, a value that was pushed, {{user}}.');
    expect(
      await engine.spindle.resolveMacros('{{weather}} {{fails}} {{nests}}', {
        context: { commit: false },
      }),
    ).toBe('sunny false  {{weather}}');
  });
});

describe('what an extension’s user does', () => {
  it('reaches the extension: messages from its page, and commands', async () => {
    const source = `${registering('told')}
      const told = [];
      spindle.onFrontendMessage((payload, userId) => told.push([payload, userId ?? null]));
      spindle.commands.register([{ id: 'go', label: 'Go' }]);
      spindle.commands.onInvoked((commandId, context) => told.push([commandId, context]));
      spindle.on('TOOL_INVOCATION', () => JSON.stringify(told));`;
    const engine = await start({ ext: { source }, other: { source } });
    expect(engine.spindle.registrations()['ext']?.commands).toEqual([{ id: 'go', label: 'Go' }]);
    await engine.spindle.frontendMessage('ext', { hello: 1 }, { userId: 'ann' });
    await engine.spindle.invokeCommand('ext', 'go', { chatId: 'c' });
    expect((await engine.call('ext:told', {})).value).toBe(
      JSON.stringify([
        [{ hello: 1 }, 'ann'],
        ['go', { chatId: 'c' }],
      ]),
    );
    expect((await engine.call('other:told', {})).value).toBe('[]');
    await expect(engine.spindle.frontendMessage('absent', {})).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
    });
  });
});
