import { expect, it } from 'vitest';
import { makeOutputs } from '../../src/engine/call/outputs.js';
import { makeService } from '../../src/engine/entry/service.js';
import { type BulkheadEvent, makeEventBus } from '../../src/events.js';

/** What a guest that says this is heard to say. */
function hear(
  ...notices: readonly (readonly [method: string, params: unknown])[]
): BulkheadEvent[] {
  const events: BulkheadEvent[] = [];
  const bus = makeEventBus(() => 0);
  bus.on((event) => events.push(event));
  const service = makeService({
    plugin: 'p',
    brokers: { network: undefined, filesystem: undefined, storage: undefined, powers: undefined },
    events: bus,
    maxLogLinesPerSecond: 3,
    now: () => 0,
    outputs: makeOutputs(),
    mapStack: (stack) => stack,
    broadcast: () => {},
    behalfOf: () => ({}),
    holdFor: () => undefined,
  })({} as never);
  for (const [method, params] of notices) service.notice?.(method, params);
  return events;
}

it('a denial is told with as much of what was wanted as fits a line', () => {
  const wanted = 'w'.repeat(10_000);
  expect(hear(['denied', { permission: 'network', wanted }])).toMatchObject([
    { type: 'capability-denied', plugin: 'p', permission: 'network', wanted: 'w'.repeat(200) },
  ]);
});

it('denials come at the pace of log lines', () => {
  const denied = ['denied', { permission: 'time', wanted: 'Date.now' }] as const;
  expect(hear(denied, denied, denied, denied, denied)).toHaveLength(3);
});

it.each([
  ['of no permission that there is', { permission: 'constructor', wanted: 'x' }],
  ['of nothing', { permission: 'time' }],
  ['of an object', { permission: 'time', wanted: { toString: 'x' } }],
  ['that is no record', ['time', 'x']],
])('a denial %s is not heard', (_, params) => {
  expect(hear(['denied', params])).toEqual([]);
});
