import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { WireError } from '../../sandbox/wire/failure.js';
import { MAX_BLOCKED_MS, MAX_GROWTH_MB, watchHost } from './host-watch.js';
import { names, startRogue } from './rogue.js';

describe('a guest that breaks the protocol', () => {
  it.each(names.violations)('is ended for %s', async (act) => {
    const host = await watchHost();
    const rogue = await startRogue(act);
    const asked = rogue.peer.ask('call', {}).answer.catch((error: unknown) => error);
    expect(await rogue.ended).toMatchObject({ cause: 'protocol' });
    expect(await asked).toMatchObject({ end: { cause: 'protocol' } });
    const { blockedMs, grownMb } = await host.stop();
    expect(blockedMs).toBeLessThan(MAX_BLOCKED_MS);
    expect(grownMb).toBeLessThan(MAX_GROWTH_MB);
  });
});

describe('a guest that says what means nothing', () => {
  it.each(names.oddities)('gains nothing by %s', async (act) => {
    const rogue = await startRogue(act);
    await pause(50);
    expect(rogue.alive).toBe(true);
    expect(rogue.events.filter(({ type }) => type !== 'log')).toEqual([]);
    expect(({} as Record<string, unknown>)['toString']).toBe(Object.prototype.toString);
  });
});

describe('a guest that floods its host', () => {
  it.each(names.floods)('neither blocks it nor fills it: %s', async (act) => {
    const rogue = await startRogue(act);
    const host = await watchHost();
    await Promise.race([rogue.ended, pause(300)]);
    const { blockedMs, grownMb } = await host.stop();
    expect(blockedMs).toBeLessThan(MAX_BLOCKED_MS);
    expect(grownMb).toBeLessThan(MAX_GROWTH_MB);
    expect(rogue.events.length).toBeLessThanOrEqual(2 * 101);
  });
});

describe('a guest that asks for what it was not granted', () => {
  it('gets none of it, with any kind of junk in any field', async () => {
    const rogue = await startRogue('asks with junk');
    await expect
      .poll(() => rogue.lines(), { timeout: 10_000 })
      .toEqual([expect.stringMatching(/^refused all of \d{3}$/)]);
    expect(rogue.alive).toBe(true);
  });
});

describe('a guest that answers in its own way', () => {
  it('has each request answered once, even if it replays requests', async () => {
    const { peer } = await startRogue('replays replies');
    expect(await peer.ask('call', 1).answer).toBe('first');
    expect(await peer.ask('call', 2).answer).toBe('first');
    await expect.poll(() => peer.strayAnswers).toBe(6);
  });

  it('gets each answer for its own request, in any order', async () => {
    const { peer } = await startRogue('answers in reverse');
    const answers = [1, 2, 3].map((n) => peer.ask('call', { n }).answer);
    expect(await Promise.all(answers)).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
  });

  it('cannot answer with a code that is the host’s to give', async () => {
    const { peer } = await startRogue('answers with codes of the host');
    const codes = await Promise.all(
      [0, 1, 2, 3, 4, 5].map((which) =>
        peer.ask('call', which).answer.catch((error: unknown) => error),
      ),
    );
    expect(codes.map((error) => (error instanceof WireError ? error.code : error))).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
      'TIME_DENIED',
    ]);
  });

  it('cannot answer with more than it was asked for', async () => {
    const { peer } = await startRogue('answers with too much');
    const answer = peer.ask('call', 1, 1_000_000).answer;
    await expect(answer).rejects.toMatchObject({ code: 'RESULT_TOO_LARGE' });
  });

  it('is ended if it closes its pipe and stays', async () => {
    const rogue = await startRogue('closes its pipe');
    expect(await rogue.ended).toMatchObject({ cause: 'crash' });
  });
});
