import { expect, test } from 'vitest';
import { refusalOf, running, startExtension } from './host.js';

const request = (endpoint: string, effectivePermissions: readonly string[] = []) => ({
  endpoint,
  requesterExtensionId: 'other',
  effectivePermissions: [...effectivePermissions],
});

test('S84: endpoints are the owner’s own, by value or by handler', async () => {
  const source = `
    const names = [
      spindle.rpcPool.sync('status.current', { temp: 1 }),
      spindle.rpcPool.sync('sample.status.current', { temp: 2 }),
      spindle.rpcPool.handle('ask', ({ requesterExtensionId }) => 'hello ' + requesterExtensionId),
      spindle.rpcPool.sync('other_ext.status', 1),
      spindle.rpcPool.handle('guarded', () => 'secret', { requires: ['chats', ' chats '] }),
    ];
    ${running('names')}`;
  const extension = await startExtension(source);
  expect(await extension.call('run')).toBe(
    '["sample.status.current","sample.status.current","sample.ask","sample.other_ext.status","sample.guarded"]',
  );
  const ask = (endpoint: string, held?: readonly string[]): Promise<unknown> =>
    extension.event('spindle:rpc', request(endpoint, held));
  expect(await ask('sample.status.current')).toEqual({ temp: 2 });
  expect(await ask('sample.ask')).toBe('hello other');
  expect(await refusalOf(ask('sample.nothing'))).toBe(
    'Shared RPC endpoint "sample.nothing" is not registered',
  );
  expect(await refusalOf(ask('sample.guarded', ['tools']))).toMatch(/^PERMISSION_DENIED: chats — /);
  expect(await ask('sample.guarded', ['chats'])).toBe('secret');
  expect(await extension.describe()).toMatchObject({
    registered: {
      endpoints: expect.arrayContaining([{ endpoint: 'sample.guarded', requires: ['chats'] }]),
    },
  });
});

test.each(['', ' ', 'Upper', 'a..b', '-x', 'a.b c', '.', '../x', 'x'.repeat(300)])(
  'S84: %j is no channel',
  async (channel) => {
    const source = running(`spindle.rpcPool.sync(${JSON.stringify(channel)}, 1)`);
    const extension = await startExtension(source);
    expect(await extension.call('run')).toMatch(/^Error: (Invalid s|S)hared RPC endpoint/);
  },
);

test('S84: others’ endpoints are read through the host, one’s own at once, and gone ones not at all', async () => {
  const source = `
    spindle.rpcPool.sync('mine', 7);
    spindle.rpcPool.sync('gone', 8);
    spindle.rpcPool.unregister('gone');
    ${running('spindle.rpcPool.read(args.endpoint)')}`;
  const extension = await startExtension(source, {
    provides: { 'spindle.rpcPool.read': (endpoint) => `from ${String(endpoint)}` },
  });
  expect(await extension.call('run', { endpoint: 'sample.mine' })).toBe('7');
  expect(await extension.call('run', { endpoint: 'other.status' })).toBe('"from other.status"');
  expect(await extension.call('run', { endpoint: 'sample.gone' })).toBe('"from sample.gone"');
  expect(await extension.call('run', { endpoint: 'Other' })).toMatch(/^Error: Invalid shared RPC/);
  expect(extension.asked.map(([, args]) => args)).toEqual([['other.status'], ['sample.gone']]);
});
