import { expect, test } from 'vitest';
import { SPINDLE_LIMITS } from '../../../../sandbox/dialects/spindle/limits.js';
import { MAX_PAST } from '../../../../sandbox/dialects/tool-list.js';
import { running, startExtension } from './host.js';

const listIn = (value: unknown, ...path: readonly string[]): number => {
  const found = path.reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], value);
  return Array.isArray(found) ? found.length : -1;
};

test('an extension that registers in a loop has as many of each as it may', async () => {
  const tries = 'for (let n = 0; n < 1100; n += 1) try { one(n); } catch {}';
  const source = `
    let seen = 0;
    ${running('seen')}
    const loop = (one) => { ${tries} };
    loop((n) => spindle.registerTool({ name: 't' + n, parameters: {} }));
    loop((n) => spindle.registerTool({ name: 'u' + n, parameters: {} }));
    loop((n) => spindle.registerMacro({ name: 'm' + n, handler: () => '' }));
    loop((n) => spindle.rpcPool.sync('e' + n, n));
    loop((n) => spindle.on('EVENT_' + n, () => {}));
    loop((n) => spindle.on('EVENT_0', () => { seen += 1; }));
    loop((n) => spindle.registerTtsEngine({ id: 'p' + n, synthesize: () => '' }));
    spindle.commands.register(Array.from({ length: 50 }, (_, n) => ({ id: 'c' + n })));`;
  const extension = await startExtension(source, {
    permissions: ['tools', 'providers.tts.register'],
  });
  const described = await extension.describe();
  const { tools } = described as { readonly tools: readonly object[] };
  expect(tools.filter((item) => 'tool' in item)).toHaveLength(SPINDLE_LIMITS.maxTools);
  // The others are named, up to a cap, and the rest is counted.
  expect(tools.filter((item) => !('tool' in item))).toHaveLength(MAX_PAST + 1);
  expect(listIn(described, 'registered', 'macros')).toBe(SPINDLE_LIMITS.maxMacros);
  expect(listIn(described, 'registered', 'endpoints')).toBe(SPINDLE_LIMITS.maxEndpoints);
  expect(listIn(described, 'registered', 'events')).toBe(SPINDLE_LIMITS.maxEvents);
  expect(listIn(described, 'registered', 'commands')).toBe(SPINDLE_LIMITS.maxCommands);
  expect(listIn(described, 'registered', 'providers')).toBe(SPINDLE_LIMITS.maxProviders);
  await extension.event('EVENT_0', {});
  // One of them was there before the loop of handlers began.
  expect(await extension.call('run')).toBe(String(SPINDLE_LIMITS.maxHandlers - 1));
});

test('unanswered calls wait up to a cap, and further ones are refused', async () => {
  const source = running(`(async () => {
    let refused = 0;
    for (let n = 0; n < 10_200; n += 1) spindle.chats.get('c').catch(() => { refused += 1; });
    await new Promise((resolve) => setTimeout(resolve, 50));
    return refused;
  })()`);
  const extension = await startExtension(source, {
    permissions: ['chats'],
    provides: { 'spindle.chats.get': () => new Promise(() => {}) },
  });
  expect(await extension.call('run')).toBe('200');
});

test('what generate.observe gathers, and what variables hold, has an end', async () => {
  const source = `const seen = spindle.generate.observe('c');
    ${running('seen.content.length')}`;
  const extension = await startExtension(source, { permissions: ['generation'] });
  for (let count = 0; count < 6; count += 1) {
    const token = 'x'.repeat(1024 * 1024);
    await extension.event('STREAM_TOKEN_RECEIVED', { chatId: 'c', token });
  }
  expect(await extension.call('run')).toBe(String(SPINDLE_LIMITS.maxObservedCharacters));

  const variables = await startExtension(
    running(`(async () => {
      for (let n = 0; n < 1100; n += 1) await spindle.variables.local.set('c', 'k' + n, 'v');
    })()`),
  );
  expect(await variables.call('run')).toBe(
    `Error: There may be at most ${SPINDLE_LIMITS.maxVariables} variables of one owner`,
  );
});

test('a block of ephemeral storage is kept no longer than it may be', async () => {
  const source = running(`(async () => {
    const block = await spindle.ephemeral.requestBlock(10, { ttlMs: 1e12 });
    return Date.parse(block.expiresAt) - Date.now() <= ${SPINDLE_LIMITS.blockMs};
  })()`);
  const extension = await startExtension(source, { permissions: ['ephemeral_storage'] });
  expect(await extension.call('run')).toBe('true');
});

test('spindle.cors says how long it waited', () => {
  expect(SPINDLE_LIMITS.corsMs).toBe(30_000);
});
