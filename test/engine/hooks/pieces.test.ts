import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../sandbox/wire/messages.js';
import { runChain } from '../../../src/engine/hooks/chain.js';
import { openContext, readValues } from '../../../src/engine/hooks/context.js';
import { type FieldText, makePieceStore } from '../../../src/engine/hooks/pieces.js';
import { LIMITS, stepOf } from './local-chain.js';

const message = (text: string): JsonObject => ({ role: 'user', content: [{ type: 'text', text }] });
const conversation = (length: number): JsonObject[] =>
  Array.from({ length }, (_, n) => message(`${n} ${'z'.repeat(1_000)}`));

function textOf({ list, pieces }: FieldText): string {
  const text = pieces.map((piece) => piece.text).join(',');
  return list ? `[${text}]` : text;
}

function newPieces(before: FieldText, after: FieldText): number {
  return after.pieces.filter((piece) => !before.pieces.includes(piece)).length;
}

describe('the pieces of a message list', () => {
  it('join to its JSON, whatever lists were written before', () => {
    const item = fc.constantFrom<Json>(
      ...['a', 'b', 'c'].flatMap((text) => [message(text), message(text.repeat(30_000))]),
      { role: 'user', content: [], n: -0 },
    );
    fc.assert(
      fc.property(fc.array(fc.array(item, { maxLength: 8 }), { maxLength: 8 }), (lists) => {
        const store = makePieceStore(20);
        for (const list of lists) {
          const text = store.of(list);
          expect(textOf(text)).toBe(JSON.stringify(list));
          expect(text.items).toHaveLength(list.length);
        }
      }),
    );
  });

  it('are the same for an equal list of another host object', () => {
    const store = makePieceStore(20);
    const list = conversation(200);
    expect(store.of(JSON.parse(JSON.stringify(list)) as Json)).toBe(store.of(list));
  });

  it('are reused when the host returns to an earlier conversation', () => {
    const store = makePieceStore(20);
    const [one, other] = [conversation(200), conversation(200).toReversed()];
    const text = store.of(one);
    expect(store.of(other)).not.toBe(text);
    expect(store.of(one.slice())).toBe(text);
  });

  it('change only for a message that was edited in place', () => {
    const store = makePieceStore(20);
    const list = conversation(400);
    const before = store.of(list);
    list[200] = message('changed');
    expect(newPieces(before, store.of(list))).toBe(1);
    const [block] = (list[7] as { content: JsonObject[] }).content;
    Object.assign(block as object, { text: 'in place' });
    const after = store.of(list);
    expect(textOf(after)).toBe(JSON.stringify(list));
    expect(newPieces(before, after)).toBe(2);
  });

  it('of a list that a hook changed are reused for the next hook', () => {
    const store = makePieceStore(20);
    const list = conversation(200);
    const changed = list.toSpliced(50, 1, message('changed'));
    const spliced = store.spliced(store.of(list), changed, { at: 50, removed: 1 });
    expect(store.of(changed)).toBe(spliced);
    expect(store.of(list.slice())).not.toBe(spliced);
  });

  it('do not grow in number with each added message', () => {
    const store = makePieceStore(20);
    const list = conversation(100);
    for (let n = 0; n < 300; n += 1) {
      list.push(message(`${n}`));
      expect(store.of(list).pieces.length).toBeLessThan(80);
    }
  });

  it('are not shared between runs of a hook', async () => {
    const store = makePieceStore(20);
    const kept: { content: { text: string }[] }[][] = [];
    const step = stepOf('keeps', 'current', (ctx) => {
      for (const list of kept) list[1] = { content: [{ text: 'changed' }] };
      for (const list of kept) if (list[0]?.content[0]) list[0].content[0].text = 'changed';
      kept.push(ctx.originalMessages);
    });
    for (let run = 0; run < 3; run += 1) {
      const values = readValues('user-prompt-submit', { latestMessages: conversation(100) });
      const { reports } = await runChain({
        context: openContext('user-prompt-submit', values, store, LIMITS),
        steps: [step],
        store,
        limits: LIMITS,
        halts: true,
        now: () => 0,
        onReport: () => {},
      });
      expect(reports).toMatchObject([{ changed: [], dropped: [] }]);
      expect(JSON.stringify(kept.at(-1))).toBe(JSON.stringify(conversation(100)));
    }
  });

  it('of short texts are evicted once there are very many', () => {
    const store = makePieceStore(20);
    const idOf = (text: string): number | undefined => store.of(text).pieces[0]?.id;
    const first = idOf('conversation 0');
    expect(idOf('conversation 0')).toBe(first);
    for (let n = 1; n < 200_000; n += 1) idOf(`conversation ${n}`);
    expect(idOf('conversation 0')).not.toBe(first);
  });
});
