import { describe, expect, it } from 'vitest';
import type { Json } from '../../../sandbox/wire/messages.js';
import { openContext } from '../../../src/engine/hooks/context.js';
import { contextShape } from '../../../src/engine/hooks/contexts.js';
import {
  type ContextMessage,
  HOOK_LIMITS,
  makeHookTexts,
  makeHookTransport,
  makeMessage,
} from '../../../src/engine/hooks/transport.js';
import { fakeGuest } from '../../guests/fake-guest.js';

function messageOf(...pieces: readonly (readonly [id: number, bytes: number])[]): ContextMessage {
  return {
    text: '"hook":"stop"',
    pieces: pieces.map(([id, bytes]) => ({
      id,
      bytes,
      text: '{}',
      quoted: '"{}"',
      items: 1,
      nodes: 1,
    })),
  };
}

function packed(text: string): { readonly sent: number[]; readonly forget: number[] } {
  const { pieces, forget } = JSON.parse(text) as { pieces: [number, string][]; forget: number[] };
  return { sent: pieces.map(([id]) => id), forget };
}

describe('the hook transport', () => {
  it('sends each guest a piece once', () => {
    const transport = makeHookTransport();
    const [one, other] = [fakeGuest(), fakeGuest()];
    const pack = (guest: typeof one, ...ids: number[]) =>
      packed(transport.pack(guest, messageOf(...ids.map((id) => [id, 10] as const)), 1, 1)).sent;
    expect(pack(one, 1, 2, 1)).toEqual([1, 2]);
    expect(pack(one, 2, 3)).toEqual([3]);
    expect(pack(other, 2, 3)).toEqual([2, 3]);
  });

  it('evicts the pieces of a guest that were used longest ago, never those in use', () => {
    const transport = makeHookTransport();
    const guest = fakeGuest();
    const half = HOOK_LIMITS.maxKeptHookBytes / 2;
    const pack = (...ids: number[]) =>
      packed(transport.pack(guest, messageOf(...ids.map((id) => [id, half] as const)), 1, 1));
    expect(pack(1, 2)).toEqual({ sent: [1, 2], forget: [] });
    expect(pack(1)).toEqual({ sent: [], forget: [] });
    expect(pack(3)).toEqual({ sent: [3], forget: [2] });
    expect(pack(2, 3, 1)).toEqual({ sent: [2], forget: [] });
    expect(pack(4)).toEqual({ sent: [4], forget: [2, 3] });
  });

  it('sends only the changed stretch of a message of 1 MB', () => {
    const { store, transport } = makeHookTexts();
    const guest = fakeGuest();
    const list = Array.from({ length: 1_000 }, (_, n) => ({
      role: 'user',
      text: 'x'.repeat(1_000),
      n,
    }));
    const pack = (messages: Json): number => {
      const values = new Map([['latestMessages', messages]]);
      const limits = { maxHookContextBytes: 2_000_000, maxHookContextNodes: 10_000 };
      const context = openContext('user-prompt-submit', values, store, limits);
      const shape = contextShape('user-prompt-submit', 'classic');
      return transport.pack(guest, makeMessage(context, shape, 'classic'), 1, 1).length;
    };
    expect(pack(list)).toBeGreaterThan(1_000_000);
    expect(pack(list.slice())).toBeLessThan(2_000);
    expect(pack(list.with(500, { role: 'user', text: 'y', n: 500 }))).toBeLessThan(40_000);
  });

  it('refuses data that is nested too deeply', () => {
    const { store } = makeHookTexts();
    const deep: unknown = JSON.parse(
      '['.repeat(HOOK_LIMITS.maxHookContextDepth + 2) +
        ']'.repeat(HOOK_LIMITS.maxHookContextDepth + 2),
    );
    expect(() => store.of([deep as never])).toThrow(/deeper than 100/);
  });
});
