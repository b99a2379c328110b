import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import {
  type GuestSupervisor,
  makeGuestSupervisor,
} from '../../../src/engine/instance/guest-supervisor.js';
import type { GivenUp } from '../../../src/engine/instance/unsettled.js';
import { type BulkheadEvent, makeEventBus } from '../../../src/events.js';
import type { Guest } from '../../../src/guests/guest.js';
import { type FakeGuest, fakeGuest } from '../../guests/fake-guest.js';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A guest that answers at once whatever it is asked, or when that promise resolves. */
function willing(answer: Promise<null> = Promise.resolve(null), heard: unknown[] = []): FakeGuest {
  const guest = fakeGuest();
  const ask = (method: string, params: unknown): object => {
    heard.push([method, params]);
    return { answer, cancel: () => {} };
  };
  const { peer } = guest;
  const own = {
    serve: () => {},
    peer: Object.defineProperties({ ask }, Object.getOwnPropertyDescriptors(peer)),
  };
  return Object.assign(guest, own);
}

function open(
  take: () => Promise<Guest>,
  params: object = {},
  limits: object = {},
  stateful = false,
): { readonly guests: GuestSupervisor; readonly events: readonly BulkheadEvent[] } {
  const bus = makeEventBus(Date.now);
  const events: BulkheadEvent[] = [];
  bus.on((event) => events.push(event));
  const guests = makeGuestSupervisor({
    subject: { plugin: 'sample', entry: 'tools', bundle: 'h' },
    take,
    prepare: {
      load: () => params as never,
      service: () => ({ request: () => null, notice: () => {} }),
      validator: { ahead: () => Promise.resolve(), deliver: () => {} },
    },
    limits: {
      loadTimeoutMs: 10_000,
      graceMs: 10_000,
      maxUnsettledMs: 30_000,
      maxWaitMs: 10_000,
      crashWindowMs: 60_000,
      ...limits,
    },
    stateful,
    events: bus,
  });
  return { guests, events };
}

/** A request that was given up, and what settles it. */
function givenUp(tenant?: string): { readonly one: GivenUp; readonly settle: () => void } {
  let settle = (): void => {};
  const settled = new Promise<void>((resolve) => {
    settle = resolve;
  });
  return { one: { settled, tenant, detail: 'it did not stop' }, settle };
}

describe('the guest supervisor', () => {
  it('replaces a stateless guest whose only request was given up once the next one is ready', async () => {
    const [first, second] = [willing(), willing()];
    let start: (guest: Guest) => void = () => {};
    const waiting = [Promise.resolve(first), new Promise<Guest>((resolve) => (start = resolve))];
    const { guests } = open(() => waiting.shift() ?? Promise.reject(new Error('no more')));
    expect(await guests.acquire()).toBe(first);
    guests.giveUp(first, givenUp().one);
    expect(guests.guestFor(undefined)).toBeUndefined();
    const next = guests.acquire();
    // Longer than a call waits for a guest in doubt.
    await expect.poll(() => waiting.length).toBe(0);
    expect(first.killed).toEqual([]);
    start(second);
    expect(await next).toBe(second);
    await expect.poll(() => first.killed).toMatchObject([{ cause: 'deadline', responsive: true }]);
    expect(second.killed).toEqual([]);
  });

  it('uses a guest again if the given-up request settles at once', async () => {
    const first = willing();
    const { guests } = open(() => Promise.resolve(first));
    await guests.acquire();
    const { one, settle } = givenUp();
    guests.giveUp(first, one);
    const next = guests.acquire();
    settle();
    expect(await next).toBe(first);
    expect(first.killed).toEqual([]);
  });

  it('uses a guest again if no replacement can start and its request settles', async () => {
    const first = willing();
    const waiting = [Promise.resolve(first)];
    const { guests } = open(() => waiting.shift() ?? Promise.reject(new Error('no room')));
    await guests.acquire();
    const { one, settle } = givenUp();
    guests.giveUp(first, one);
    await expect(guests.acquire()).rejects.toThrow('no room');
    settle();
    await turn();
    expect(await guests.acquire()).toBe(first);
    expect(first.killed).toEqual([]);
  });

  it('kills a stateless guest after the grace, as soon as it has no other request', async () => {
    const first = willing();
    const { guests } = open(() => Promise.resolve(first), {}, { graceMs: 20 });
    await guests.acquire();
    first.open = 1;
    guests.giveUp(first, givenUp().one);
    await pause(60);
    expect(first.killed).toEqual([]);
    expect(guests.guestFor(undefined)).toBe(first);
    first.open = 0;
    first.becomeIdle();
    await expect.poll(() => first.killed).toMatchObject([{ cause: 'deadline' }]);
  });

  it('does not kill a stateful guest, and drains it after maxUnsettledMs', async () => {
    const [first, second] = [willing(), willing()];
    const waiting = [first, second];
    const { guests, events } = open(
      () => Promise.resolve(waiting.shift() ?? willing()),
      {},
      { graceMs: 10, maxUnsettledMs: 100 },
      true,
    );
    await guests.acquire();
    first.open = 1;
    guests.giveUp(first, givenUp().one);
    await pause(50);
    expect(await guests.acquire()).toBe(first);
    await expect.poll(() => events.map(({ type }) => type)).toContain('state-lost');
    expect(first.killed).toEqual([]);
    expect(await guests.acquire()).toBe(second);
    first.open = 0;
    first.becomeIdle();
    await expect.poll(() => first.killed).toMatchObject([{ cause: 'deadline', responsive: true }]);
  });

  it('drains a guest with 16 unsettled requests', async () => {
    const first = willing();
    const { guests } = open(() => Promise.resolve(first), {}, {}, true);
    await guests.acquire();
    first.open = 1;
    for (let count = 0; count < 15; count += 1) guests.giveUp(first, givenUp(String(count)).one);
    expect(guests.current).toBe(first);
    guests.giveUp(first, givenUp('last').one);
    expect(guests.current).toBeUndefined();
  });

  it('gives a tenant with four unsettled calls another guest, and no other tenant', async () => {
    const [first, second] = [willing(), willing()];
    const waiting = [first, second];
    const { guests } = open(() => Promise.resolve(waiting.shift() ?? willing()));
    await guests.acquire();
    first.open = 1;
    for (let count = 0; count < 4; count += 1) guests.giveUp(first, givenUp('a').one);
    expect(await guests.acquire({ tenant: 'a' })).toBe(second);
    expect(guests.guestFor('b')).toBe(second);
    second.open = 2;
    expect(guests.guestFor('b')).toBe(first);
    expect(first.killed).toEqual([]);
  });

  it.each([false, true])(
    'gives a tenant whose call looped a guest of its own, unless it has state (%j)',
    async (stateful) => {
      const [first, second, third, fourth] = [willing(), willing(), willing(), willing()];
      const waiting = [first, second, third, fourth];
      const { guests } = open(
        () => Promise.resolve(waiting.shift() ?? willing()),
        {},
        { crashWindowMs: 300 },
        stateful,
      );
      await guests.acquire();
      const [rude, settled] = [givenUp('rude'), givenUp('polite')];
      let endCheck = (): void => {};
      const checked = new Promise<void>((resolve) => (endCheck = resolve));
      Object.assign(first, { check: () => checked });
      guests.giveUp(first, settled.one);
      guests.giveUp(first, rude.one);
      settled.settle();
      await turn();
      first.kill({ cause: 'deadline', detail: 'it looped' });
      endCheck();
      rude.settle();
      expect(await guests.acquire({ tenant: 'rude' })).toBe(second);
      expect(await guests.acquire({ tenant: 'polite' })).toBe(stateful ? second : third);
      expect(guests.guestFor('rude')).toBe(second);
      expect(guests.current).toBe(stateful ? second : third);
      await pause(350);
      // Its own guest may still serve it.
      expect(guests.guestFor('rude')).toBe(second);
    },
  );

  it('makes a tenant with four unsettled calls of a stateful guest wait', async () => {
    const first = willing();
    const { guests } = open(() => Promise.resolve(first), {}, { maxWaitMs: 50 }, true);
    await guests.acquire();
    const all = Array.from({ length: 4 }, () => givenUp('a'));
    for (const { one } of all) guests.giveUp(first, one);
    await expect(guests.acquire({ tenant: 'a' })).rejects.toMatchObject({ code: 'BUSY' });
    expect(await guests.acquire({ tenant: 'b' })).toBe(first);
    const next = guests.acquire({ tenant: 'a' });
    all[0]?.settle();
    expect(await next).toBe(first);
  });

  it('waits for a running check of the guest', async () => {
    const first = willing();
    const { guests } = open(() => Promise.resolve(first));
    await guests.acquire();
    let answer = (): void => {};
    const checking = new Promise<void>((resolve) => (answer = resolve));
    first.checking = checking;
    expect(guests.guestFor(undefined)).toBeUndefined();
    const next = guests.acquire();
    await turn();
    first.checking = undefined;
    answer();
    expect(await next).toBe(first);
  });

  it('sends a guest its input schemas when it loads, and then only changed ones', async () => {
    let load = (): void => {};
    const heard: unknown[] = [];
    const guest = willing(new Promise((resolve) => (load = () => resolve(null))), heard);
    const { guests } = open(() => Promise.resolve(guest));
    guests.setSchemas([['a', {}]]);
    const acquired = guests.acquire();
    await turn();
    const first = [
      ['load', {}],
      ['schemas', { schemas: [['a', {}]] }],
    ];
    expect(heard).toEqual(first);
    guests.setSchemas([['b', {}]]);
    load();
    await acquired;
    expect(heard).toEqual([...first, ['schemas', { schemas: [['b', {}]] }]]);
  });

  it('sends a recorded guest one call at a time', async () => {
    let load = (): void => {};
    const heard: unknown[] = [];
    const guest = willing(new Promise((resolve) => (load = () => resolve(null))), heard);
    const { guests } = open(() => Promise.resolve(guest), { tape: {} });
    guests.setSchemas([['a', {}]]);
    const acquired = guests.acquire();
    await turn();
    expect(heard).toEqual([['load', { tape: {} }]]);
    load();
    await acquired;
    expect(heard).toHaveLength(2);
  });
});
