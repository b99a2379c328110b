import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS, type EngineLimits, readLimits } from '../../../src/engine/types/limits.js';
import type { BulkheadEvent } from '../../../src/index.js';
import { makePlugin, startEngine } from '../plugin-on-disk.js';

describe('limits that a host sets', () => {
  it('replace the defaults one by one', () => {
    expect(readLimits({ timeoutMs: 5 })).toEqual({ ...DEFAULT_LIMITS, timeoutMs: 5 });
  });

  it.each([
    [{ timeoutMs: 0 }, 'limits.timeoutMs'],
    [{ timeoutMs: 1.5 }, 'limits.timeoutMs'],
    [{ timeoutMs: NaN }, 'limits.timeoutMs'],
    [{ stopAfterMs: 2 ** 31 }, 'limits.stopAfterMs'],
    [{ maxGuests: -1 }, 'limits.maxGuests'],
    // More than fits into one message would end the guest that sends it.
    [{ maxResultBytes: 9 * 1024 * 1024 }, 'limits.maxResultBytes'],
    [{ maxInputBytes: 100 * 1024 * 1024 }, 'limits.maxInputBytes'],
    [{ maxTime: 5 }, 'limits.maxTime'],
  ])('%j is refused by name', (limits, option) => {
    expect(() => readLimits(limits as Partial<EngineLimits>)).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTIONS', details: { option } }),
    );
  });
});

describe('an input', () => {
  it('has a maximum size in bytes, whatever its characters', async () => {
    const engine = await startEngine([makePlugin({ tools: { size: '({ s }) => s.length' } })], {
      limits: { maxInputBytes: 300 },
    });
    expect(await engine.call('size', { s: 'x'.repeat(250) })).toMatchObject({ value: 250 });
    await expect(engine.call('size', { s: '東'.repeat(100) })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining('limits.maxInputBytes'),
    });
  });
});

describe('the grace', () => {
  const tools = { loop: '() => { for (;;); }', hang: '() => new Promise(() => {})' };

  it('is how long a guest may live on that did not stop at the deadline', async () => {
    const ended: { readonly cause: string; readonly atMs: number }[] = [];
    const engine = await startEngine([makePlugin({ tools })], {
      limits: { graceMs: 1_000 },
      onEvent: (event) => {
        if (event.type === 'guest-ended') ended.push({ cause: event.cause, atMs: event.atMs });
      },
    });
    const result = await engine.call('loop', {}, { timeoutMs: 200 });
    const answeredMs = Date.now();
    expect(result.code).toBe('DEADLINE_EXCEEDED');
    expect(ended).toEqual([]);
    await expect.poll(() => ended, { timeout: 10_000 }).toHaveLength(1);
    expect(ended[0]?.cause).toBe('deadline');
    expect((ended[0]?.atMs ?? 0) - answeredMs).toBeGreaterThan(800);
  });
});

describe('a flood of log lines', () => {
  it('is a hundred lines, and a count of the others', async () => {
    const events: BulkheadEvent[] = [];
    const flood = '(input, { logger }) => { for (let n = 0; n < 100_000; n += 1) console.log(n) }';
    const engine = await startEngine(
      [makePlugin({ tools: { flood, say: "() => console.log('later')" } })],
      {
        onEvent: (event) => events.push(event),
      },
    );
    const beganMs = Date.now();
    expect(await engine.call('flood', {})).toMatchObject({ isError: false });
    const seconds = Math.ceil((Date.now() - beganMs) / 1_000);
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    await engine.call('say', {});
    await expect
      .poll(() => events.some((event) => event.type === 'log' && event.text === 'later'))
      .toBe(true);
    const lines = events.flatMap((event) => (event.type === 'log' ? [event.text] : []));
    // Of each second a hundred, and two that tell what was left out.
    expect(lines.length).toBeLessThanOrEqual(102 * (seconds + 2));
    expect(lines.join('\n')).toMatch(/\d+ further lines, faults and denials .* dropped/);
    expect(events.filter(({ type }) => type === 'guest-ended')).toEqual([]);
  });
});
