import { describe, expect, it } from 'vitest';
import type { Service } from '../../../sandbox/wire/service.js';
import type { NetworkBroker } from '../../../src/brokers/network/broker.js';
import {
  makeCallTracker,
  makeOutputs,
  type OpenCall,
} from '../../../src/engine/instance/in-flight.js';
import { makeRequestGate } from '../../../src/engine/instance/request-gate.js';
import { makeService } from '../../../src/engine/instance/service.js';
import { type BulkheadEvent, makeEventBus } from '../../../src/events.js';
import { processorMs } from '../../processor-time.js';
import { makeEnd, silent } from '../../sandbox/wire/loopback.js';

/** What a guest that was granted nothing talks to, and what is told of it. */
function serve(): { readonly service: Service; readonly events: readonly BulkheadEvent[] } {
  const events: BulkheadEvent[] = [];
  const bus = makeEventBus(() => 1);
  bus.on((event) => events.push(event));
  const service = makeService({
    gate: {
      plugin: 'sample',
      brokers: { network: undefined, filesystem: undefined, storage: undefined, powers: undefined },
      mode: { name: 'live' },
      attributionOf: () => ({ call: 'c1' }),
      attribute: () => () => {},
    },
    onAct: () => {},
    listeners: { outputs: makeOutputs(), mapStack: (stack) => stack, broadcast: () => {} },
    events: bus,
    maxLogLinesPerSecond: 100,
    now: () => 1,
  });
  return { service: service(makeEnd(silent, () => {}).peer), events };
}

const denied = (stack?: unknown): object => ({ permission: 'network', wanted: 'a.test', stack });

describe('the request gate', () => {
  it.each([
    ['Error: no\n    at run (src/index.ts:3:7)\n    at b.ts:1:1', 'src/index.ts:3:7'],
    ['Error: no\n    at src/index.ts:3:7', 'src/index.ts:3:7'],
    ['src/index.ts:3:7', 'src/index.ts:3:7'],
    ['Error: no', undefined],
    [7, undefined],
  ])('reads from the stack %j of a denial the place %s', (stack, at) => {
    const { service, events } = serve();
    service.notice('denied', denied(stack));
    expect(events).toEqual([
      {
        atMs: 1,
        type: 'capability-denied',
        plugin: 'sample',
        permission: 'network',
        wanted: 'a.test',
        call: 'c1',
        ...(at === undefined ? {} : { at }),
      },
    ]);
  });

  it('reads denials with stacks of empty lines within milliseconds', () => {
    const { service, events } = serve();
    const stack = '\n'.repeat(16 * 1024);
    const ms = processorMs(() => {
      for (let n = 0; n < 10; n += 1) service.notice('denied', denied(stack));
    });
    expect(events).toHaveLength(10);
    // Where every empty line is followed to the end of the others it is some five seconds.
    expect(ms).toBeLessThan(1_000);
  });

  it('ends a request that was made through the context of a given-up call, and refuses later ones', async () => {
    const { peer } = makeEnd(silent, () => {});
    const calls = makeCallTracker();
    const signals: AbortSignal[] = [];
    const fetch = (_params: unknown, _body: unknown, signal: AbortSignal): Promise<never> => {
      signals.push(signal);
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
        if (signal.aborted) reject(signal.reason);
      });
    };
    const decide = makeRequestGate({
      plugin: 'sample',
      brokers: {
        network: { fetch } as unknown as NetworkBroker,
        filesystem: undefined,
        storage: undefined,
        powers: undefined,
      },
      mode: { name: 'live' },
      attributionOf: calls.attributionOf,
      attribute: calls.attribute,
    });
    const ask = async (call: number | undefined): Promise<unknown> => {
      const request = { id: 1, cancelled: undefined, onCancel: () => {} };
      return decide({ peer, method: 'fetch', params: { call }, request });
    };
    calls.began(peer, { request: 7 } as OpenCall);
    calls.began(peer, { request: 8 } as OpenCall);
    const ended = ask(7);
    for (const call of [8, undefined, 99]) void ask(call);
    calls.givenUp(peer, 7, 'given up');
    await expect(ended).rejects.toMatchObject({ code: 'CANCELLED', message: 'given up' });
    await expect(ask(7)).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false, false, false, true]);
  });

  it('tells whether a guest has acted since a call began', () => {
    const [one, other] = [makeEnd(silent, () => {}).peer, makeEnd(silent, () => {}).peer];
    const calls = makeCallTracker();
    const mark = calls.began(one, { request: 1 } as OpenCall);
    calls.acted(other);
    expect(calls.actedSince(one, mark)).toBe(false);
    calls.acted(one);
    expect(calls.actedSince(one, mark)).toBe(true);
    expect(calls.actedSince(one, calls.began(one, { request: 2 } as OpenCall))).toBe(false);
  });
});
