import { describe, expect, it } from 'vitest';
import { makeNotifier } from '../../sandbox/host-power.js';
import { FROM_GUEST, NOTICES_PER_SECOND } from '../../sandbox/wire/limits.js';
import { makeEnd, silent } from './wire/loopback.js';

function makeSubject(): { readonly said: string[]; readonly clock: { now: number } } & {
  notify(method: string, params: unknown): void;
} {
  const said: string[] = [];
  const clock = { now: 0 };
  const { peer } = makeEnd(silent, () => {});
  const notify = makeNotifier(
    { ...peer, notify: (method, params) => said.push(`${method} ${JSON.stringify(params)}`) },
    () => clock.now,
  );
  return { said, clock, notify };
}

describe('the notice limit of a guest', () => {
  it('sends a fixed number of notices per second and drops the others', () => {
    const { said, clock, notify } = makeSubject();
    for (let n = 0; n < 10_000; n += 1) notify('log', n);
    expect(said).toHaveLength(NOTICES_PER_SECOND);
    clock.now = 1_000;
    notify('log', 'later');
    expect(said.slice(NOTICES_PER_SECOND)).toEqual([
      expect.stringContaining(`${10_000 - NOTICES_PER_SECOND} further lines`),
      'log "later"',
    ]);
  });

  it('is far below the limit that ends the guest', () => {
    expect(NOTICES_PER_SECOND * 100).toBeLessThanOrEqual(FROM_GUEST.maxUnsolicitedPerSecond);
  });
});
