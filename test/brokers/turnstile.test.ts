import { describe, expect, it } from 'vitest';
import { makeTurnstile } from '../../src/brokers/turnstile.js';
import { BulkheadError } from '../../src/errors.js';

const { signal } = new AbortController();

function turnstile(maxActive: number, maxWaiting: number) {
  const full = () => new BulkheadError('NETWORK_LIMIT', 'full', { limit: 'x' });
  return makeTurnstile({ maxActive, maxWaiting, full });
}

describe('a turnstile', () => {
  it('lets the first ones through, and the others in the order they came', async () => {
    const gate = turnstile(1, 9);
    const leave = await gate.enter(signal);
    const order: number[] = [];
    const rest = [1, 2, 3].map(async (name) => {
      const out = await gate.enter(signal);
      order.push(name);
      out();
    });
    leave();
    await Promise.all(rest);
    expect(order).toEqual([1, 2, 3]);
    expect(gate.active).toBe(0);
  });

  it('takes a place back once', async () => {
    const gate = turnstile(2, 0);
    const [one] = await Promise.all([gate.enter(signal), gate.enter(signal)]);
    one();
    one();
    expect(gate.active).toBe(1);
  });

  it('refuses whoever comes when the line is full', async () => {
    const gate = turnstile(1, 1);
    await gate.enter(signal);
    void gate.enter(signal);
    await expect(gate.enter(signal)).rejects.toThrow('full');
  });

  it('forgets whoever gave up waiting', async () => {
    const gate = turnstile(1, 1);
    const leave = await gate.enter(signal);
    const giveUp = new AbortController();
    const waiting = gate.enter(giveUp.signal);
    giveUp.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    const next = gate.enter(signal);
    leave();
    await next;
    expect(gate.active).toBe(1);
  });
});
