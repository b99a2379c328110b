import { expect, test } from 'vitest';
import { running, startExtension } from './host.js';

test('S85: a macro gives what its handler gives as text, and a value that was pushed wins', async () => {
  const source = `
    spindle.registerMacro({ name: 'Plain', category: 'x', description: 'd', handler: () => 42 });
    spindle.registerMacro({ name: 'pushed', handler: () => 'pulled' });
    spindle.registerMacro({ name: 'empty', handler: () => undefined });
    spindle.registerMacro({ name: 'context', handler: ({ args }) => args.join('+') });
    spindle.updateMacroValue('pushed', 'pushed');
    spindle.updateMacroValue('never', 'x');`;
  const extension = await startExtension(source);
  const pull = (name: string, context: object = {}): unknown =>
    extension.event('spindle:macro', { name, context: JSON.parse(JSON.stringify(context)) });
  expect(await pull('plain')).toBe('42');
  expect(await pull('PUSHED')).toBe('pushed');
  expect(await pull('empty')).toBe('');
  expect(await pull('context', { args: ['a', 'b'] })).toBe('a+b');
  expect(await pull('unknown')).toBe('');
  expect(await extension.describe()).toMatchObject({
    registered: {
      macros: [{ name: 'plain', category: 'x', description: 'd' }, {}, {}, {}],
    },
  });
});

test('S85: a text is not a handler, and names of Lumiverse itself cannot be registered', async () => {
  const source = `
    spindle.registerMacro({ name: 'textual', handler: 'return 1' });
    spindle.registerMacro({ name: 'user', handler: () => 'me' });
    spindle.registerMacro({ name: 'a}}b', handler: () => 'me' });
    spindle.registerMacro(null);
    spindle.unregisterMacro('nothing');`;
  const extension = await startExtension(source);
  expect(await extension.describe()).toMatchObject({ registered: { macros: [] } });
  expect(extension.lines.filter((line) => line.includes('not registered'))).toHaveLength(4);
});

test('S85: a macro that takes longer than 5 s is answered for', async () => {
  const source = `spindle.registerMacro({ name: 'slow', handler: () => new Promise(() => {}) });`;
  const extension = await startExtension(source);
  expect(await extension.event('spindle:macro', { name: 'slow', context: {} })).toBe(
    '[Spindle:sample] Macro timeout',
  );
});

test('S32: a macro that does not commit changes nothing, and says what it did not do', async () => {
  const source = `
    const attempts = {
      registerTool: () => spindle.registerTool({ name: 'x' }),
      write: () => spindle.storage.write('a', 'b'),
      set: () => spindle.variables.global.set('a', 'b'),
      chat: () => spindle.chat.appendMessage('c', {}),
      sync: () => spindle.rpcPool.sync('a', 1),
      on: () => spindle.registerInterceptor(() => []),
    };
    spindle.registerMacro({ name: 'try', handler: async ({ which }) => {
      try { await attempts[which](); return 'done' } catch (error) { return error.message }
    } });`;
  const extension = await startExtension(source);
  const attempt = (which: string, commit: boolean): unknown =>
    extension.event('spindle:macro', { name: 'try', context: { which, commit } });
  const suffix = '() is not allowed during non-committing macro resolution';
  expect(await attempt('registerTool', false)).toBe(`spindle.registerTool${suffix}`);
  expect(await attempt('write', false)).toBe(`spindle.storage.write${suffix}`);
  expect(await attempt('set', false)).toBe(`spindle.variables.global.set${suffix}`);
  expect(await attempt('chat', false)).toBe(`spindle.chat.appendMessage${suffix}`);
  expect(await attempt('sync', false)).toBe(`spindle.rpcPool.sync${suffix}`);
  expect(await attempt('on', false)).toBe(`spindle.registerInterceptor${suffix}`);
  expect(await attempt('registerTool', true)).toBe('done');
  expect(await extension.describe()).toMatchObject({ tools: [{ tool: { name: 'x' } }] });
});

test('a macro that throws has an empty text, and its error is logged', async () => {
  const source = `spindle.registerMacro({ name: 'bad', handler: () => { throw new Error('no') } });`;
  const extension = await startExtension(source);
  const asked = extension.event('spindle:macro', { name: 'bad', context: {} });
  expect(await asked).toBe('');
  expect(extension.lines.join()).toContain('no');
});

test('a host resolves macros; where it does not, those of the extension itself are resolved', async () => {
  const source = `
    spindle.registerMacro({ name: 'mood', handler: ({ commit }) => 'good' + commit });
    ${running(`spindle.macros.resolve('{{mood}} {{user}} {{else}}', { commit: false })`)}`;
  const alone = await startExtension(source);
  expect(await alone.call('run')).toBe('{"text":"goodfalse {{user}} {{else}}","diagnostics":[]}');
  const served = await startExtension(source, {
    provides: { 'spindle.macros.resolve': (template) => ({ text: `${String(template)}!` }) },
  });
  expect(await served.call('run')).toBe('{"text":"{{mood}} {{user}} {{else}}!"}');
});
