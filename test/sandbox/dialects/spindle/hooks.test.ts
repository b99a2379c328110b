import { expect, test } from 'vitest';
import { startExtension } from './host.js';

const ALL = ['interceptor', 'context_handler', 'macro_interceptor', 'generation', 'chat_mutation'];
const messages = [{ role: 'user', content: 'hello' }];

test('S70: an interceptor answers messages, or messages and more, or leaves all as it was', async () => {
  const source = `
    spindle.registerInterceptor(async (messages, context) => {
      if (context.kind === 'list') return [...messages, { role: 'system', content: 'added' }];
      if (context.kind === 'result') return { messages, parameters: { temperature: 1 }, breakdown: [] };
      if (context.kind === 'throws') throw new Error('no good');
      if (context.kind === 'odd') return { parameters: {} };
    }, 20);`;
  const extension = await startExtension(source, { permissions: ALL });
  const run = (kind: string): unknown =>
    extension.event('spindle:interceptor', { messages, context: { kind } });
  expect(await run('list')).toEqual({
    messages: [...messages, { role: 'system', content: 'added' }],
  });
  expect(await run('result')).toEqual({
    messages,
    parameters: { temperature: 1 },
    breakdown: [],
  });
  await expect(run('throws')).rejects.toThrow('no good');
  expect(await run('odd')).toBeNull();
  expect(await run('nothing')).toBeNull();
  expect(extension.lines.join()).toContain('no good');
  expect(await extension.describe()).toMatchObject({
    registered: { hooks: { interceptor: { priority: 20 } } },
  });
});

test('S72: registering an interceptor again replaces it, and only the last disposer counts', async () => {
  const source = `
    const first = spindle.registerInterceptor(async () => [{ role: 'user', content: 'first' }]);
    spindle.registerInterceptor(async () => [{ role: 'user', content: 'second' }], { priority: 5 });
    first();`;
  const extension = await startExtension(source, { permissions: ALL });
  const answer = await extension.event('spindle:interceptor', { messages, context: {} });
  expect(answer).toEqual({ messages: [{ role: 'user', content: 'second' }] });
});

test('S71: every other kind of handler runs on its context', async () => {
  const source = `
    spindle.registerContextHandler(async (context) => ({ ...context, cancelGeneration: true }), 10, { timeoutMs: 2000 });
    spindle.registerMacroInterceptor(async ({ template }) => template.toUpperCase());
    spindle.registerWorldInfoInterceptor(async ({ entries }) => ({ disabled: entries.map(({ id }) => id) }));
    spindle.registerMessageContentProcessor(async ({ content }) => ({ content: content + '!' }));`;
  const extension = await startExtension(source, { permissions: ALL });
  const run = (kind: string, context: object): unknown =>
    extension.event(`spindle:${kind}`, { context: JSON.parse(JSON.stringify(context)) });
  expect(await run('contextHandler', { chatId: 'c' })).toEqual({
    chatId: 'c',
    cancelGeneration: true,
  });
  expect(await run('macroInterceptor', { template: 'a' })).toBe('A');
  expect(await run('worldInfoInterceptor', { entries: [{ id: 1 }] })).toEqual({ disabled: [1] });
  expect(await run('contentProcessor', { content: 'x' })).toEqual({ content: 'x!' });
  expect(await extension.describe()).toMatchObject({
    registered: { hooks: { contextHandler: { priority: 10, timeoutMs: 2000 } } },
  });
});

test('a handler is not registered without its permission, and its revocation removes the handler', async () => {
  const source = `
    spindle.permissions.onDenied(({ permission, operation }) => spindle.log.info('denied ' + permission + ' ' + operation));
    spindle.registerInterceptor(async () => [{ role: 'user', content: 'mine' }]);
    spindle.registerContextHandler(async () => ({}));`;
  const extension = await startExtension(source, { permissions: ['interceptor'] });
  await expect
    .poll(() => extension.lines)
    .toContain('denied context_handler registerContextHandler');
  const run = (): unknown => extension.event('spindle:interceptor', { messages, context: {} });
  expect(await run()).toEqual({ messages: [{ role: 'user', content: 'mine' }] });
  await extension.grant([]);
  expect(await run()).toBeNull();
  expect(await extension.describe()).toMatchObject({ registered: { hooks: {} } });
});

test('S73: events of generations need the permission, and end with it', async () => {
  const source = `
    spindle.permissions.onDenied(({ operation }) => spindle.log.info('denied ' + operation));
    spindle.on('GENERATION_ENDED', (payload, userId) => spindle.log.info('ended ' + payload.chatId + ' ' + userId));
    spindle.on('MESSAGE_SENT', () => { throw new Error('in a handler') });
    spindle.on('MESSAGE_SENT', async () => { throw new Error('in a promise') });
    spindle.on('MESSAGE_SENT', ({ id }) => spindle.log.info('sent ' + id));`;
  const without = await startExtension(source, { permissions: [] });
  await without.event('GENERATION_ENDED', { chatId: 'c' });
  await expect.poll(() => without.lines).toContain('denied subscribe_event:GENERATION_ENDED');
  expect(without.lines.some((line) => line.startsWith('ended'))).toBe(false);

  const holding = await startExtension(source, { permissions: ['generation'] });
  expect(await holding.event('GENERATION_ENDED', { chatId: 'c' }, 'u1')).toBeNull();
  await holding.event('MESSAGE_SENT', { id: 1 });
  await holding.grant([]);
  await holding.event('GENERATION_ENDED', { chatId: 'd' });
  expect(holding.lines.filter((line) => line.startsWith('ended'))).toEqual(['ended c u1']);
  expect(holding.lines).toContain('sent 1');
  expect(holding.lines.join()).toContain('in a handler');
  expect(holding.lines.join()).toContain('in a promise');
});

test('S27: a permission that is revoked and granted again is announced, and tools follow', async () => {
  const source = `
    const register = () => spindle.registerTool({ name: 'tool', description: 'd', parameters: {} });
    register();
    spindle.permissions.onChanged((change) => spindle.log.info('onChanged ' + JSON.stringify(change)));
    spindle.on('PERMISSION_CHANGED', (change) => {
      spindle.log.info('on ' + change.permission + ' ' + change.granted + ' ' + spindle.permissions.has('tools'));
      if (change.granted && change.permission === 'tools') register();
    });`;
  const extension = await startExtension(source);
  expect(await extension.describe()).toMatchObject({ tools: [{ tool: { name: 'tool' } }] });
  await extension.grant(['chats']);
  expect(await extension.describe()).toMatchObject({ tools: [] });
  await extension.grant(['chats', 'tools']);
  expect(await extension.describe()).toMatchObject({ tools: [{ tool: { name: 'tool' } }] });
  expect(extension.contributionChanges).toBeGreaterThan(0);
  expect(extension.lines).toEqual([
    'onChanged {"extensionId":"sample","permission":"tools","granted":false,"allGranted":["chats"]}',
    'on tools false false',
    'onChanged {"extensionId":"sample","permission":"chats","granted":true,"allGranted":["chats"]}',
    'on chats true false',
    'onChanged {"extensionId":"sample","permission":"tools","granted":true,"allGranted":["chats","tools"]}',
    'on tools true true',
  ]);
});
