import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../sandbox/wire/messages.js';
import { commit, InvalidChange } from '../../src/engine/hooks/changes.js';
import { openContext, readValues } from '../../src/engine/hooks/context.js';
import { contextShape } from '../../src/engine/hooks/contexts.js';
import { HOOK_NAMES, type HookSemantics } from '../../src/plugin/hooks.js';
import { makePieceStore } from '../../src/engine/hooks/pieces.js';

/** What a guest may say, that broke out or lies: any JSON, and what nearly is a record of changes. */
const field = fc.constantFrom(
  'latestMessages',
  'originalMessages',
  'conversationId',
  'systemPrompt',
  'content',
  'toolResponse',
  'messages',
  'decision',
  '__proto__',
  'constructor',
);
const message = fc.constantFrom<Json>(
  { role: 'user', content: [] },
  { role: 'system', content: [] },
  { type: 'text', text: 'a' },
  { type: 'tool_result', tool_use_id: 't', content: 'c' },
  { type: 'tool_use', id: 'x' },
);
const change = fc.oneof(
  fc.record({ value: fc.oneof(fc.jsonValue(), fc.array(message, { maxLength: 3 }), message) }),
  fc.record({
    at: fc.oneof(fc.integer({ min: -2, max: 5 }), fc.double(), fc.constant('0')),
    removed: fc.oneof(fc.integer({ min: -2, max: 5 }), fc.constant(null)),
    items: fc.oneof(fc.array(message, { maxLength: 3 }), fc.jsonValue()),
  }),
  fc.constant({ gone: true }),
  fc.jsonValue(),
);
const reply = fc.oneof(
  fc.jsonValue(),
  fc.record({
    changed: fc.oneof(fc.dictionary(field, change, { maxKeys: 4 }), fc.jsonValue()),
    dropped: fc.oneof(fc.array(fc.oneof(fc.string(), fc.jsonValue())), fc.jsonValue()),
  }),
);

const limits = { maxHookContextBytes: 100_000, maxHookContextNodes: 10_000 };

describe('a hook context', () => {
  it('stays valid, with unchanged read-only fields, for any answer of a guest', () => {
    const dialects: readonly HookSemantics[] = ['classic', 'current'];
    fc.assert(
      fc.property(
        fc.constantFrom(...HOOK_NAMES),
        fc.constantFrom(...dialects),
        reply,
        (hook, semantics, answer) => {
          const store = makePieceStore(50);
          const before = openContext(hook, readValues(hook, {}), store, limits);
          const shape = contextShape(hook, semantics);
          let after = before;
          try {
            const committed = commit(before, shape, JSON.parse(JSON.stringify(answer)) as Json, {
              store,
              limits,
            });
            after = committed.context;
            expect(committed.dropped.length).toBeLessThanOrEqual(32);
          } catch (error) {
            expect(error).toBeInstanceOf(InvalidChange);
          }
          for (const [name, value] of after.values) {
            const own = shape.fields[name];
            if (own?.mutable === true) expect(own.kind.problem(value)).toBeUndefined();
            else expect(value).toBe(before.values.get(name));
            const { list, pieces } = after.texts.get(name) ?? { list: false, pieces: [] };
            const text = pieces.map((piece) => piece.text).join(',');
            expect(JSON.parse(list ? `[${text}]` : text)).toEqual(
              JSON.parse(JSON.stringify(value)),
            );
          }
          expect(after.values.size).toBe(after.texts.size);
          expect(Object.hasOwn(Object.prototype, 'value')).toBe(false);
        },
      ),
    );
  });
});
