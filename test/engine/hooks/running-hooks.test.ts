import { expect, it } from 'vitest';
import { BROADCAST_BYTES } from '../../../sandbox/wire/hooks.js';
import { makeRunningHooks } from '../../../src/engine/hooks/running-hooks.js';
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

it('a broadcast counts while the run that it names is under way, and only if that may broadcast', () => {
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

it('one that is too large is told as such', () => {
  const { running, told } = stage();
  const run = running.begin({ hook: 'stop', broadcasts: true });
  running.broadcast(run, 'x'.repeat(BROADCAST_BYTES));
  expect(told()).toEqual([['p', 'stop', { unserializableDetail: true }]]);
});
