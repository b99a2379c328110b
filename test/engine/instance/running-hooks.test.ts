import { describe, expect, it } from 'vitest';
import { BROADCAST_BYTES } from '../../../sandbox/wire/hooks.js';
import { makeRunningHooks } from '../../../src/engine/instance/in-flight.js';
import { type BulkheadEvent, makeEventBus } from '../../../src/events.js';

function stage(): {
  readonly running: ReturnType<typeof makeRunningHooks>;
  readonly told: () => readonly unknown[];
} {
  const events: BulkheadEvent[] = [];
  const bus = makeEventBus(() => 0);
  bus.on((event) => events.push(event));
  return {
    running: makeRunningHooks('p', bus),
    told: () =>
      events.map((event) =>
        event.type === 'hook-broadcast' ? [event.plugin, event.hook, event.detail] : event,
      ),
  };
}

describe('a broadcast', () => {
  it('is accepted only during the run that it names, and only if that hook may broadcast', () => {
    const { running, told } = stage();
    const run = running.begin({ hook: 'stop', conversationId: 'c', broadcasts: true });
    const silent = running.begin({ hook: 'init', broadcasts: false });
    running.broadcast(run, { step: 1 });
    for (const other of [silent, run + 10, String(run), undefined, null, { valueOf: () => run }]) {
      running.broadcast(other, 'forged');
    }
    running.broadcast(run, undefined);
    running.end(run);
    running.broadcast(run, 'late');
    expect(told()).toEqual([['p', 'stop', { step: 1 }]]);
  });

  it('is reported as too large if it is', () => {
    const { running, told } = stage();
    const run = running.begin({ hook: 'stop', broadcasts: true });
    running.broadcast(run, 'x'.repeat(BROADCAST_BYTES));
    expect(told()).toEqual([['p', 'stop', { unserializableDetail: true }]]);
  });
});
