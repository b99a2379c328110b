import { expect, it } from 'vitest';
import type { Service } from '../../../sandbox/wire/service.js';
import { makeOutputs } from '../../../src/engine/call/outputs.js';
import { makeService } from '../../../src/engine/entry/service.js';
import { type BulkheadEvent, makeEventBus } from '../../../src/events.js';
import { processorMs } from '../../processor-time.js';
import { makeEnd, silent } from '../../sandbox/wire/loopback.js';

/** What a guest that was granted nothing talks to, and what is told of it. */
function serve(): { readonly service: Service; readonly events: readonly BulkheadEvent[] } {
  const events: BulkheadEvent[] = [];
  const bus = makeEventBus(() => 1);
  bus.on((event) => events.push(event));
  const service = makeService({
    plugin: 'sample',
    brokers: { network: undefined, filesystem: undefined, storage: undefined, powers: undefined },
    events: bus,
    maxLogLinesPerSecond: 100,
    now: () => 1,
    mapStack: (stack) => stack,
    broadcast: () => {},
    outputs: makeOutputs(),
    holdFor: () => undefined,
    behalfOf: () => ({ call: 'c1' }),
  });
  return { service: service(makeEnd(silent, () => {}).peer), events };
}

const denied = (stack?: unknown): object => ({ permission: 'network', wanted: 'a.test', stack });

it.each([
  ['Error: no\n    at run (src/index.ts:3:7)\n    at b.ts:1:1', 'src/index.ts:3:7'],
  ['Error: no\n    at src/index.ts:3:7', 'src/index.ts:3:7'],
  ['src/index.ts:3:7', 'src/index.ts:3:7'],
  ['Error: no', undefined],
  [7, undefined],
])('of a denial with the stack %j the place is told: %s', (stack, at) => {
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

it('denials with stacks of empty lines take no time to speak of', () => {
  const { service, events } = serve();
  const stack = '\n'.repeat(16 * 1024);
  const ms = processorMs(() => {
    for (let n = 0; n < 10; n += 1) service.notice('denied', denied(stack));
  });
  expect(events).toHaveLength(10);
  // Where every empty line is followed to the end of the others it is some five seconds.
  expect(ms).toBeLessThan(1_000);
});
