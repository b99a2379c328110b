import { expect, it } from 'vitest';
import { makeCapacity } from '../../src/guests/capacity.js';
import { fakeGuest } from './fake-guest.js';

const idle = (idleSinceMs: number): { idleSinceMs: number | undefined } => ({ idleSinceMs });
const busy = { idleSinceMs: undefined };

it('a guest more than there is room for ends the one that was idle longest', () => {
  const capacity = makeCapacity(3);
  const guests = [fakeGuest(1), fakeGuest(2), fakeGuest(3)];
  [idle(500), idle(100), busy].forEach((watch, at) => {
    const guest = guests[at];
    if (guest !== undefined) capacity.add(guest, watch);
  });
  capacity.makeRoom('p');
  expect(guests.map(({ killed }) => killed.map(({ cause }) => cause))).toEqual([[], ['idle'], []]);
});

it('where somebody waits for each of them it is busy, and says when to ask again', () => {
  const capacity = makeCapacity(1);
  capacity.add(fakeGuest(), busy);
  expect(() => capacity.makeRoom('p')).toThrow(
    expect.objectContaining({ code: 'BUSY', details: { retryAfterMs: expect.any(Number) } }),
  );
});

it('a guest that is dead or being killed takes no room', async () => {
  const capacity = makeCapacity(2);
  const [dead, killed] = [fakeGuest(1), fakeGuest(2)];
  capacity.add(dead, busy);
  capacity.add(killed, busy);
  dead.die();
  await dead.ended;
  expect(() => capacity.makeRoom('p')).not.toThrow();
  capacity.add(fakeGuest(3), busy);
  expect(() => capacity.makeRoom('p')).toThrow('limits.maxGuests');
  killed.kill({ cause: 'deadline', detail: '' });
  expect(() => capacity.makeRoom('p')).not.toThrow();
});
