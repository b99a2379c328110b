import { expect, test } from 'vitest';
import { running, startExtension } from './host.js';

test('S28: what needs a permission that is not held rejects by its name, and the host is not asked', async () => {
  const cases: Readonly<Record<string, string>> = {
    'spindle.chats.getActive()': 'chats — Chats',
    'spindle.chat.getMessages("c")': 'chat_mutation — Chat mutation',
    'spindle.generate.quiet({})': 'generation — Generation',
    'spindle.generate.observe && spindle.connections.list()': 'generation — Generation',
    'spindle.cors("https://example.com")': 'cors_proxy — Cors proxy',
    'spindle.ephemeral.list()': 'ephemeral_storage — Ephemeral storage',
    'spindle.memories.vaults.create({})': 'memories — Memories',
    'spindle.chat.setStyleMode("c", "m")': 'app_manipulation — App manipulation',
  };
  for (const [expression, words] of Object.entries(cases)) {
    const extension = await startExtension(running(expression), { permissions: ['spindle'] });
    expect(await extension.call('run')).toBe(
      `Error: PERMISSION_DENIED: ${words} permission not granted`,
    );
    expect(extension.asked).toEqual([]);
  }
});

test('what only reads answers as an empty Lumiverse where the host provides nothing, and what acts rejects', async () => {
  const source = running(
    `Promise.all([spindle.chats.getActive(), spindle.chats.list(), spindle.personas.getActive(),
      spindle.connections.list(), spindle.users.isVisible(), spindle.world_books.entries.get('e')])`,
  );
  const permissions = ['chats', 'personas', 'generation', 'world_books', 'chat_mutation'];
  const reading = await startExtension(source, { permissions });
  expect(await reading.call('run')).toBe('[null,{"data":[],"total":0},null,[],false,null]');
  for (const expression of [
    'spindle.generate.quiet({ messages: [] })',
    'spindle.chat.appendMessage("c", { role: "user", content: "x" })',
    'spindle.tokens.countText("x")',
    'spindle.backendProcesses.spawn({ entry: "dist/x.js" })',
  ]) {
    const acting = await startExtension(running(expression), { permissions });
    expect(await acting.call('run')).toMatch(
      /^Error: HOST_UNAVAILABLE: spindle\.[\w.]+ is not provided by this host/,
    );
  }
});

test('what a host provides is asked with the arguments as they were passed, and answers a copy', async () => {
  const source = running(
    `spindle.chats.update('c', { name: 'n', at: new Date(0), skip: undefined }, 'u')`,
  );
  const extension = await startExtension(source, {
    permissions: ['chats'],
    provides: { 'spindle.chats.update': (...args) => ({ got: args }) },
  });
  expect(await extension.call('run')).toBe(
    '{"got":["c",{"name":"n","at":"1970-01-01T00:00:00.000Z"},"u"]}',
  );
});

test('S89: what the host says of an abort is an AbortError, and its other words come through', async () => {
  const source = running('spindle.generate.raw({ which: args.which })');
  const extension = await startExtension(source, {
    permissions: ['generation'],
    provides: {
      'spindle.generate.raw': (input) => {
        throw new Error(
          JSON.stringify(input).includes('abort') ? 'AbortError: stopped' : 'no such model',
        );
      },
    },
  });
  expect(await extension.call('run', { which: 'abort' })).toBe('AbortError: stopped');
  expect(await extension.call('run', { which: 'other' })).toBe('Error: no such model');
});

test('an aborted generation rejects with an AbortError, and its signal does not cross', async () => {
  const source = running(`(async () => {
    const controller = new AbortController();
    const asked = spindle.generate.quiet({ messages: [], signal: controller.signal });
    setTimeout(() => controller.abort(new Error('enough')), 20);
    return asked;
  })()`);
  const extension = await startExtension(source, {
    permissions: ['generation'],
    neverAnswers: 'spindle.generate.quiet',
  });
  expect(await extension.call('run')).toBe('AbortError: enough');
  expect(extension.asked).toEqual([['spindle.generate.quiet', [{ messages: [] }]]]);
});

test('a stream is what the host answers with, chunk by chunk, or the whole answer as one', async () => {
  const source = running(`(async () => {
    const chunks = [];
    for await (const chunk of spindle.generate.quietStream({ messages: [] })) chunks.push(chunk);
    return chunks;
  })()`);
  const permissions = ['generation'];
  const chunks = [{ type: 'token', token: 'a' }, { type: 'done' }];
  const streaming = await startExtension(source, {
    permissions,
    provides: { 'spindle.generate.quietStream': () => chunks },
  });
  expect(await streaming.call('run')).toBe(JSON.stringify(chunks));
  const whole = await startExtension(source, {
    permissions,
    provides: { 'spindle.generate.quiet': () => ({ content: 'all of it', usage: 1 }) },
  });
  expect(await whole.call('run')).toBe(
    '[{"type":"token","token":"all of it"},{"content":"all of it","usage":1,"type":"done"}]',
  );
});

test('generate.observe gathers the tokens of one chat', async () => {
  const source = `const seen = spindle.generate.observe('c');
    let ended = 0; seen.onEnd(() => { ended += 1; });
    ${running('[seen.content, seen.reasoning, seen.generationId, ended]')}`;
  const extension = await startExtension(source, { permissions: ['generation'] });
  await extension.event('GENERATION_STARTED', { chatId: 'c', generationId: 'g' });
  await extension.event('STREAM_TOKEN_RECEIVED', { chatId: 'c', token: 'He' });
  await extension.event('STREAM_TOKEN_RECEIVED', { chatId: 'other', token: 'xx' });
  await extension.event('STREAM_TOKEN_RECEIVED', { chatId: 'c', token: 'llo' });
  await extension.event('STREAM_TOKEN_RECEIVED', { chatId: 'c', token: 'hm', type: 'reasoning' });
  expect(await extension.call('run')).toBe('["Hello","hm","g",0]');
  await extension.event('GENERATION_ENDED', { chatId: 'c' });
  expect(await extension.call('run')).toBe('["Hello","hm",null,1]');
});

test('a thousand calls at once are few at a time for the host, and all are answered', async () => {
  let open = 0;
  let most = 0;
  const source = running(
    `Promise.all(Array.from({ length: 1000 }, (_, n) => spindle.chats.get('c' + n))).then((all) => all.length)`,
  );
  const extension = await startExtension(source, {
    permissions: ['chats'],
    provides: {
      'spindle.chats.get': async () => {
        open += 1;
        most = Math.max(most, open);
        await Promise.resolve();
        open -= 1;
        return null;
      },
    },
  });
  expect(await extension.call('run')).toBe('1000');
  expect(most).toBeLessThanOrEqual(32);
});

test('what the frontend, the palette and the toasts do goes to the host and comes from it', async () => {
  const source = `
    spindle.onFrontendMessage((payload, userId) => {
      spindle.toast.success('got ' + payload.n, { title: 't' });
      spindle.sendToFrontend({ back: payload.n }, userId);
    });
    spindle.commands.register([{ id: 'a', label: 'A' }, { id: 'b', label: 'B' }]);
    spindle.commands.unregister(['a']);
    spindle.commands.onInvoked((id, context) => spindle.log.info('command ' + id + ' ' + context.chatId));`;
  const provides = { 'spindle.toast.success': () => null, 'spindle.sendToFrontend': () => null };
  const extension = await startExtension(source, { provides });
  await extension.event('spindle:frontendMessage', { payload: { n: 1 }, userId: 'u' });
  await extension.event('spindle:command', { commandId: 'b', context: { chatId: 'c' } });
  expect(extension.asked).toEqual([
    ['spindle.toast.success', ['got 1', { title: 't' }]],
    ['spindle.sendToFrontend', [{ back: 1 }, 'u']],
  ]);
  expect(extension.lines).toContain('command b c');
  expect(await extension.describe()).toMatchObject({
    registered: { commands: [{ id: 'b', label: 'B' }] },
  });
});

test('providers and callbacks of the extension answer the host', async () => {
  const source = `
    spindle.registerEmbeddingDriver({ id: 'e', embed: async ({ texts }) => ({ embeddings: texts.map((t) => [t.length]) }) });
    spindle.providers.register({ kind: 'tts', id: 't', description: 'x' });
    spindle.providers.handle('other', 'o', () => 'never registered');
    spindle.oauth.onCallback(async ({ code }) => ({ html: '<p>' + code }));
    spindle.log.info(spindle.oauth.getCallbackUrl());`;
  const extension = await startExtension(source, {
    permissions: ['providers.embedding.register', 'oauth'],
  });
  const embed = { kind: 'embedding', id: 'e', request: { texts: ['abc'] } };
  expect(await extension.event('spindle:provider', embed)).toEqual({ embeddings: [[3]] });
  await expect(
    extension.event('spindle:provider', { kind: 'other', id: 'o', request: {} }),
  ).rejects.toThrow('No provider handler registered for other/o');
  expect(await extension.event('spindle:oauth', { params: { code: 'x' } })).toEqual({
    html: '<p>x',
  });
  expect(extension.lines).toContain('/api/spindle-oauth/sample/callback');
  expect(await extension.describe()).toMatchObject({
    registered: { providers: [{ kind: 'embedding', id: 'e' }] },
  });
});
