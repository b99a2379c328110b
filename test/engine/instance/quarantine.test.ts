import { describe, expect, it } from 'vitest';
import { makeQuarantine } from '../../../src/engine/instance/quarantine.js';
import { type BulkheadEvent, makeEventBus } from '../../../src/events.js';
import { makePlugin, startEngine } from '../plugin-on-disk.js';

function makeSubject(): {
  readonly clock: { now: number };
  readonly events: BulkheadEvent[];
  readonly quarantine: ReturnType<typeof makeQuarantine>;
} {
  const clock = { now: 0 };
  const events: BulkheadEvent[] = [];
  const bus = makeEventBus(() => clock.now);
  bus.on((event) => events.push(event));
  const quarantine = makeQuarantine({
    plugin: 'p',
    maxCrashes: 3,
    crashWindowMs: 1_000,
    quarantineMs: 5_000,
    events: bus,
    now: () => clock.now,
  });
  return { clock, events, quarantine };
}

describe('quarantine', () => {
  it('begins with the third crash in the window, emits an event, and ends by itself', () => {
    const { clock, events, quarantine } = makeSubject();
    quarantine.ended('crash');
    quarantine.ended('memory');
    quarantine.admit();
    quarantine.ended('protocol');
    expect(() => quarantine.admit()).toThrow(
      expect.objectContaining({
        code: 'QUARANTINED',
        details: { plugin: 'p', retryAfterMs: 5_000 },
      }),
    );
    expect(quarantine.alert()).toMatchObject({ level: 'warning' });
    expect(events).toEqual([expect.objectContaining({ type: 'alert', plugin: 'p' })]);
    clock.now = 5_000;
    quarantine.admit();
    expect(quarantine.alert()).toBeUndefined();
  });

  it('does not begin with crashes that lie apart', () => {
    const { clock, quarantine } = makeSubject();
    for (let n = 0; n < 20; n += 1) {
      quarantine.ended('crash');
      clock.now += 500;
      if (n % 2 === 1) clock.now += 1_000;
      expect(quarantine.alert()).toBeUndefined();
    }
  });

  it.each(['deadline', 'closed', 'idle', 'replaced', 'start'] as const)(
    'does not count a guest that ended because of %s',
    (cause) => {
      const { quarantine } = makeSubject();
      for (let n = 0; n < 10; n += 1) quarantine.ended(cause);
      expect(() => quarantine.admit()).not.toThrow();
    },
  );
});

describe('a plugin that crashes again and again', () => {
  const tools = {
    crash: '() => { const all = []; for (;;) all.push(new Array(1e5).fill(all.length)) }',
    loop: '() => { for (;;); }',
    echo: '(input) => input',
  };

  it('is not started for a while, while the others run on', async () => {
    const events: BulkheadEvent[] = [];
    const engine = await startEngine(
      [makePlugin({ tools }), makePlugin({ id: 'other', tools: { fine: '() => 1' } })],
      { limits: { memoryMb: 16, quarantineMs: 30_000 }, onEvent: (event) => events.push(event) },
    );
    for (let n = 0; n < 3; n += 1) {
      expect(await engine.call('crash', {})).toMatchObject({ code: 'GUEST_OUT_OF_MEMORY' });
    }
    const result = await engine.call('echo', {});
    expect(result).toMatchObject({ isError: true, code: 'QUARANTINED' });
    expect(result.retryAfterMs).toBeGreaterThan(0);
    expect(result.retryAfterMs).toBeLessThanOrEqual(30_000);
    expect(events).toContainEqual(expect.objectContaining({ type: 'alert', plugin: 'sample' }));
    expect(engine.plugins().find(({ id }) => id === 'sample')?.alerts).toEqual([
      { level: 'warning', message: expect.stringContaining('crashed 3 times') },
    ]);
    expect(await engine.call('fine', {})).toMatchObject({ value: 1 });
    await engine.reload();
    expect(await engine.call('echo', { n: 1 })).toMatchObject({ value: { n: 1 } });
  });

  it('is distinguished from one whose calls are killed at their deadline', async () => {
    const engine = await startEngine([makePlugin({ tools })], { limits: { maxCrashes: 1 } });
    for (let n = 0; n < 3; n += 1) {
      const result = await engine.call('loop', {}, { timeoutMs: 50 });
      expect(result.code).toBe('DEADLINE_EXCEEDED');
    }
    expect(await engine.call('echo', { n: 1 })).toMatchObject({ value: { n: 1 } });
  });
});
