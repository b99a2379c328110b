import { describe, expect, it } from 'vitest';
import { makeOutputs } from '../../src/engine/instance/in-flight.js';
import { makeService } from '../../src/engine/instance/service.js';
import { type BulkheadEvent, makeEventBus } from '../../src/events.js';

/** What a guest that says this is heard to say. */
function hear(
  ...notices: readonly (readonly [method: string, params: unknown])[]
): BulkheadEvent[] {
  const events: BulkheadEvent[] = [];
  const bus = makeEventBus(() => 0);
  bus.on((event) => events.push(event));
  const service = makeService({
    gate: {
      plugin: 'p',
      brokers: { network: undefined, filesystem: undefined, storage: undefined, powers: undefined },
      mode: { name: 'live' },
      attributionOf: () => ({}),
      attribute: () => () => {},
    },
    onAct: () => {},
    listeners: { outputs: makeOutputs(), mapStack: (stack) => stack, broadcast: () => {} },
    events: bus,
    maxLogLinesPerSecond: 3,
    now: () => 0,
  })({} as never);
  for (const [method, params] of notices) service.notice?.(method, params);
  return events;
}

describe('a denial', () => {
  it('is reported with as much of the request as fits a line', () => {
    const wanted = 'w'.repeat(10_000);
    expect(hear(['denied', { permission: 'network', wanted }])).toMatchObject([
      { type: 'capability-denied', plugin: 'p', permission: 'network', wanted: 'w'.repeat(200) },
    ]);
  });

  it('counts against the rate limit of log lines', () => {
    const denied = ['denied', { permission: 'time', wanted: 'Date.now' }] as const;
    expect(hear(denied, denied, denied, denied, denied)).toHaveLength(3);
  });

  it.each([
    ['of no permission that there is', { permission: 'constructor', wanted: 'x' }],
    ['of nothing', { permission: 'time' }],
    ['of an object', { permission: 'time', wanted: { toString: 'x' } }],
    ['that is no record', ['time', 'x']],
  ])('is ignored if it is %s', (_, params) => {
    expect(hear(['denied', params])).toEqual([]);
  });
});
