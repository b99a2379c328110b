import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../sandbox/wire/messages.js';
import { type Hook, runLocally } from './local-chain.js';

const dialects = ['classic', 'current'] as const;

function message(text: string, role = 'user'): JsonObject {
  return { role, content: [{ type: 'text', text }] };
}

/** Some fit into the message, some do not; some differ from each other, some do not. */
const someMessages = fc.array(
  fc
    .tuple(fc.constantFrom('a', 'b', 'wide é', 'x'.repeat(3_000), 'y'.repeat(20_000)), fc.nat(3))
    .map(([text, n]) => message(`${text}${n}`)),
  { maxLength: 12 },
);

describe.each(dialects)('what a hook of the %s semantics makes of a list', (semantics) => {
  it('is what the chain returns, for any change', async () => {
    await fc.assert(
      fc.asyncProperty(someMessages, someMessages, async (before, after) => {
        const replace: Hook = (ctx) => {
          ctx.latestMessages = after;
        };
        const { context } = await runLocally(
          'user-prompt-submit',
          semantics,
          { latestMessages: before },
          [replace, () => {}],
        );
        expect(context['latestMessages']).toEqual(after);
        expect(context['originalMessages']).toEqual(before);
      }),
    );
  });

  it('reaches every later hook, edit by edit', async () => {
    const edit = fc.tuple(fc.nat(12), fc.nat(4), someMessages);
    await fc.assert(
      fc.asyncProperty(someMessages, fc.array(edit, { maxLength: 5 }), async (before, edits) => {
        const expected = before.slice();
        const seen: unknown[] = [];
        const hooks = edits.map(([at, removed, added]): Hook => (ctx) => {
          seen.push(JSON.parse(JSON.stringify(ctx.latestMessages)));
          ctx.latestMessages.splice(at, removed, ...added);
        });
        const wanted = edits.map(([at, removed, added]) => {
          const now = expected.slice();
          expected.splice(at, removed, ...added);
          return now;
        });
        const { context, reports } = await runLocally(
          'user-prompt-submit',
          semantics,
          { latestMessages: before },
          hooks,
        );
        expect(seen).toEqual(wanted);
        expect(context['latestMessages']).toEqual(expected);
        for (const { edits: [told] = [] } of reports) {
          expect(told?.field ?? 'latestMessages').toBe('latestMessages');
        }
      }),
    );
  });

  it('is sent as the stretch that differs, and nothing more', async () => {
    const before = Array.from({ length: 200 }, (_, n) => message(`${n} ${'z'.repeat(1_000)}`));
    const { reports, context } = await runLocally(
      'user-prompt-submit',
      semantics,
      { latestMessages: before },
      [
        (ctx) => {
          ctx.latestMessages[117].content[0].text = 'changed';
        },
        (ctx) => void ctx.latestMessages.unshift(message('first')),
        (ctx) => void ctx.latestMessages.pop(),
        (ctx) => void JSON.stringify(ctx),
      ],
    );
    expect(reports.map(({ edits }) => edits)).toEqual([
      [{ field: 'latestMessages', at: 117, removed: 1, added: 1 }],
      [{ field: 'latestMessages', at: 0, removed: 0, added: 1 }],
      [{ field: 'latestMessages', at: 200, removed: 1, added: 0 }],
      [],
    ]);
    expect(context['latestMessages']).toEqual([
      message('first'),
      ...before.slice(0, 117),
      message('changed'),
      ...before.slice(118, 199),
    ]);
  });

  it('is unchanged if it was only read, sorted back or copied', async () => {
    const before = Array.from({ length: 50 }, (_, n) => message(`${n} ${'z'.repeat(1_000)}`));
    const { context, reports } = await runLocally(
      'user-prompt-submit',
      semantics,
      { latestMessages: before },
      [
        (ctx) => void ctx.latestMessages.map(String),
        (ctx) => {
          ctx.latestMessages = structuredClone(ctx.latestMessages);
        },
        (ctx) => void ctx.latestMessages.unshift(ctx.latestMessages.shift()),
        (ctx) => ({ ...ctx }),
        (ctx) => ctx,
        () => undefined,
      ],
    );
    expect(reports.map(({ changed, dropped, error }) => [changed, dropped, error])).toEqual(
      Array.from({ length: 6 }, () => [[], [], undefined]),
    );
    expect(context['latestMessages']).toBe(before);
  });
});
