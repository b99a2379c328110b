import { describe, expect, it } from 'vitest';
import { makeHostPower } from '../../sandbox/host-power.js';
import type { Json } from '../../sandbox/wire/messages.js';
import type { Peer } from '../../sandbox/wire/peer.js';

/** A host that keeps what it is asked, and answers when it is told to. */
function makeHost() {
  const asked: { readonly params: unknown; readonly answer: (value: Json) => void }[] = [];
  const cancelled: string[] = [];
  const peer = {
    ask: (_method: string, params: unknown) => {
      let answer = (_value: Json): void => undefined;
      const promise = new Promise<Json>((resolve) => {
        answer = resolve;
      });
      asked.push({ params, answer });
      return { answer: promise, cancel: (why: string) => cancelled.push(why) };
    },
  };
  const power = makeHostPower(
    peer as unknown as Peer,
    () => undefined,
    () => {
      throw new Error('not asked');
    },
  );
  return { asked, cancelled, power };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('requests of a guest to its host', () => {
  it('wait in the guest beyond 32 of a method, and leave in their order', async () => {
    const { asked, power } = makeHost();
    const answers = Array.from({ length: 40 }, (_, at) => power.request('power', at));
    expect(asked.map(({ params }) => params)).toEqual(Array.from({ length: 32 }, (_, at) => at));
    for (let at = 0; at < 40; at += 1) {
      asked[at]?.answer(at * 2);
      await turn();
    }
    expect(await Promise.all(answers)).toEqual(Array.from({ length: 40 }, (_, at) => at * 2));
  });

  it('do not wait for those of another method', () => {
    const { asked, power } = makeHost();
    for (let at = 0; at < 40; at += 1) void power.request('power', at);
    void power.request('storage', 'read');
    expect(asked.at(-1)?.params).toBe('read');
  });

  it('make their params when they are sent', async () => {
    const { asked, power } = makeHost();
    const made: number[] = [];
    const ask = (at: number): Promise<unknown> =>
      power.request('power', () => {
        made.push(at);
        return at;
      });
    for (let at = 0; at < 33; at += 1) void ask(at);
    expect(made).toHaveLength(32);
    asked[0]?.answer(null);
    await turn();
    expect(made.at(-1)).toBe(32);
  });

  it('are never sent if they are cancelled while they wait', async () => {
    const { asked, cancelled, power } = makeHost();
    for (let at = 0; at < 32; at += 1) void power.request('power', at);
    let abort = (): void => undefined;
    const given = power.request('power', 'late', {
      onAbort: (listener) => {
        abort = listener;
        return () => undefined;
      },
    });
    abort();
    await expect(given).rejects.toMatchObject({ code: 'CANCELLED' });
    asked[0]?.answer(null);
    await turn();
    expect(asked).toHaveLength(32);
    expect(cancelled).toEqual([]);
  });

  it('free their place also if their params cannot be made', async () => {
    const { asked, power } = makeHost();
    for (let at = 0; at < 31; at += 1) void power.request('power', at);
    expect(() =>
      power.request('power', () => {
        throw new Error('no stream');
      }),
    ).toThrow('no stream');
    void power.request('power', 'next');
    expect(asked).toHaveLength(32);
  });
});
