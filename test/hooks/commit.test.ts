import { describe, expect, it } from 'vitest';
import type { Json } from '../../sandbox/wire/messages.js';
import { commit, type Committed } from '../../src/hooks/changes.js';
import { openContext, readValues, resultOf } from '../../src/hooks/context.js';
import { contextShape } from '../../src/hooks/contexts.js';
import type { HookDialect } from '../../src/hooks/names.js';
import { makePieceStore } from '../../src/hooks/pieces.js';

const user = (text: string): Json => ({ role: 'user', content: [{ type: 'text', text }] });
const LIMITS = { maxHookContextBytes: 2_000, maxHookContextNodes: 100 };

/** Takes over what a guest says, which may be anything: no honest one says most of this. */
function take(dialect: HookDialect, changed: Json, dropped: Json = []): Committed {
  const store = makePieceStore(20);
  const values = readValues('user-prompt-submit', {
    conversationId: 'c1',
    prompt: 'asked',
    latestMessages: [user('a'), user('b')],
  });
  const before = openContext('user-prompt-submit', values, store, LIMITS);
  const shape = contextShape('user-prompt-submit', dialect);
  return commit(before, shape, { changed, dropped }, { store, limits: LIMITS });
}

describe.each(['classic', 'current'] as const)(
  'what a %s guest says that its hook changed',
  (dialect) => {
    it('counts for the fields that are the hook’s to change, and no other', () => {
      const { context, dropped, edits } = take(dialect, {
        conversationId: { value: 'other' },
        originalMessages: { value: [] },
        prompt: { gone: true },
        invented: { value: 1 },
        toString: { value: 'x' },
        latestMessages: { at: 2, removed: 0, items: [user('c')] },
      });
      expect(resultOf(context.values)).toMatchObject({
        conversationId: 'c1',
        prompt: 'asked',
        originalMessages: [user('a'), user('b')],
        latestMessages: [user('a'), user('b'), user('c')],
      });
      expect(Object.keys(resultOf(context.values))).not.toContain('invented');
      expect(dropped).toEqual([
        'conversationId',
        'originalMessages',
        'prompt',
        'invented',
        'toString',
      ]);
      expect(edits).toEqual([{ field: 'latestMessages', at: 2, removed: 0, added: 1 }]);
    });

    it.each<[string, Json]>([
      ['a splice before the list', { at: -1, removed: 0, items: [] }],
      ['a splice after it', { at: 3, removed: 0, items: [] }],
      ['more removed than there is', { at: 1, removed: 2, items: [] }],
      ['half an item', { at: 0.5, removed: 0, items: [] }],
      ['items that are no list', { at: 0, removed: 0, items: 'all' }],
      ['an item that is none', { at: 0, removed: 0, items: [{ role: 'user' }] }],
      ['nothing to say', {}],
      ['no record', 'changed'],
      ['a required field that is gone', { gone: true }],
      ['more bytes than a context may have', { value: [user('x'.repeat(3_000))] }],
      [
        'more values than a context may have',
        { value: Array.from({ length: 40 }, () => user('')) },
      ],
      [
        'a value nested too deeply',
        { value: [{ role: 'user', content: [{ type: 'x', deep: deep(40) }] }] },
      ],
    ])('is refused where it is %s', (_, change) => {
      expect(() => take(dialect, { latestMessages: change })).toThrow(
        expect.objectContaining({ name: 'InvalidChange' }),
      );
    });

    it('is no more than nothing where it is no record at all', () => {
      for (const changed of [null, 5, 'all', [], [[]]])
        expect(take(dialect, changed).edits).toEqual([]);
    });

    it('names so many dropped fields, so long, and no more', () => {
      const names = Array.from({ length: 100 }, (_, n) => `${n}${'x'.repeat(200)}`);
      const { dropped } = take(dialect, {}, [...names, 5, null]);
      expect(dropped).toHaveLength(32);
      expect(Math.max(...dropped.map(({ length }) => length))).toBe(64);
    });
  },
);

function deep(levels: number): Json {
  return levels === 0 ? [] : [deep(levels - 1)];
}
