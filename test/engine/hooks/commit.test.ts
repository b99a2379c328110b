import { describe, expect, it } from 'vitest';
import type { Json } from '../../../sandbox/wire/messages.js';
import { commit, type Committed } from '../../../src/engine/hooks/changes.js';
import { openContext, readValues, resultOf } from '../../../src/engine/hooks/context.js';
import { contextShape } from '../../../src/engine/hooks/contexts.js';
import { makePieceStore } from '../../../src/engine/hooks/pieces.js';
import type { HookSemantics } from '../../../src/plugin/hooks.js';

const user = (text: string): Json => ({ role: 'user', content: [{ type: 'text', text }] });
const LIMITS = { maxHookContextBytes: 2_000, maxHookContextNodes: 100 };

/** Takes over what a guest says, which may be anything: no honest one says most of this. */
function take(semantics: HookSemantics, changed: Json, dropped: Json = []): Committed {
  const store = makePieceStore(20);
  const values = readValues('user-prompt-submit', {
    conversationId: 'c1',
    prompt: 'asked',
    latestMessages: [user('a'), user('b')],
  });
  const before = openContext('user-prompt-submit', values, store, LIMITS);
  const shape = contextShape('user-prompt-submit', semantics);
  return commit(before, shape, { changed, dropped }, { store, limits: LIMITS });
}

describe.each(['classic', 'current'] as const)(
  'what a %s guest says that its hook changed',
  (semantics) => {
    it('counts for the fields that are the hook’s to change, and no other', () => {
      const { context, dropped, edits } = take(semantics, {
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
    ])('is refused if it is %s', (_, change) => {
      expect(() => take(semantics, { latestMessages: change })).toThrow(
        expect.objectContaining({ name: 'InvalidChange' }),
      );
    });

    it('is empty if it is not a record', () => {
      for (const changed of [null, 5, 'all', [], [[]]])
        expect(take(semantics, changed).edits).toEqual([]);
    });

    it('names dropped fields up to a maximum number and length', () => {
      const names = Array.from({ length: 100 }, (_, n) => `${n}${'x'.repeat(200)}`);
      const { dropped } = take(semantics, {}, [...names, 5, null]);
      expect(dropped).toHaveLength(32);
      expect(Math.max(...dropped.map(({ length }) => length))).toBe(64);
    });
  },
);

function deep(levels: number): Json {
  return levels === 0 ? [] : [deep(levels - 1)];
}
