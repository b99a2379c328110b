import { expect, it } from 'vitest';
import { makeEventBus } from '../../../src/events.js';
import { makeResident, type Resident } from '../../../src/engine/entry/resident.js';
import type { Guest } from '../../../src/guests/guest.js';
import { type FakeGuest, fakeGuest } from '../../guests/fake-guest.js';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A guest that answers at once whatever it is asked. */
function willing(): FakeGuest {
  const guest = fakeGuest();
  const ask = (): object => ({ answer: Promise.resolve(null), cancel: () => {} });
  const { peer } = guest;
  const own = {
    serve: () => {},
    doubt: () => {},
    peer: Object.defineProperties({ ask }, Object.getOwnPropertyDescriptors(peer)),
  };
  return Object.assign(guest, own);
}

function open(take: () => Promise<Guest>): Resident {
  return makeResident({
    plugin: 'sample',
    entry: 'tools',
    bundleHash: 'h',
    take,
    load: () => ({}) as never,
    service: () => ({ request: () => null, notice: () => {} }),
    validator: { ahead: () => Promise.resolve(), deliver: () => {} },
    loadTimeoutMs: 10_000,
    graceMs: 10_000,
    events: makeEventBus(Date.now),
  });
}

it('a guest that settles what was given up while another starts in its place goes when that is there', async () => {
  const [first, second] = [willing(), willing()];
  let start: (guest: Guest) => void = () => {};
  const waiting = [Promise.resolve(first), new Promise<Guest>((resolve) => (start = resolve))];
  const resident = open(() => waiting.shift() ?? Promise.reject(new Error('no more')));
  expect(await resident.acquire()).toBe(first);
  let settle = (): void => {};
  resident.doubt(first, new Promise<void>((resolve) => (settle = resolve)), 'it did not stop');
  const next = resident.acquire();
  // Longer than a call waits for a guest in doubt.
  await expect.poll(() => waiting.length).toBe(0);
  settle();
  await turn();
  expect(first.killed).toEqual([]);
  start(second);
  expect(await next).toBe(second);
  await expect.poll(() => first.killed).toMatchObject([{ cause: 'replaced' }]);
  expect(second.killed).toEqual([]);
});

it('a guest in whose place none could start serves on', async () => {
  const first = willing();
  const waiting = [Promise.resolve(first)];
  const resident = open(() => waiting.shift() ?? Promise.reject(new Error('no room')));
  await resident.acquire();
  let settle = (): void => {};
  resident.doubt(first, new Promise<void>((resolve) => (settle = resolve)), 'it did not stop');
  await expect(resident.acquire()).rejects.toThrow('no room');
  settle();
  await turn();
  expect(await resident.acquire()).toBe(first);
  expect(first.killed).toEqual([]);
});
