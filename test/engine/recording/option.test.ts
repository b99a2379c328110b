import { describe, expect, it } from 'vitest';
import type { BulkheadEvent } from '../../../src/events.js';
import { makePlugin, startEngine } from '../plugin-on-disk.js';

const TOOLS = {
  count: `() => { globalThis.n = (globalThis.n ?? 0) + 1; return { n: globalThis.n, key: env.get('KEY') }; }`,
  other: `() => 'plain'`,
};

const plugin = (): string => makePlugin({ tools: TOOLS, permissions: { env: ['KEY'] } });

describe('the option record', () => {
  it('records each call of the named tools, and gives the recording to who names its event', async () => {
    const engine = await startEngine([plugin()], {
      record: ['sample__count'],
      env: { KEY: 'hush' },
    });
    const all: BulkheadEvent[] = [];
    const named: BulkheadEvent[] = [];
    engine.on((event) => all.push(event));
    engine.on((event) => named.push(event), ['call-recorded', 'call-answered']);
    const first = await engine.call('count', {});
    const second = await engine.call('count', {});
    const plain = await engine.call('other', {});
    // Each has a guest of its own.
    expect([first.value, second.value]).toEqual([
      { n: 1, key: 'hush' },
      { n: 1, key: 'hush' },
    ]);
    // The caller did not ask for it.
    expect(first.recording).toBeUndefined();
    expect(named.map(({ type, ...event }) => [type, 'call' in event && event.call])).toEqual([
      ['call-answered', first.callId],
      ['call-recorded', first.callId],
      ['call-answered', second.callId],
      ['call-recorded', second.callId],
      ['call-answered', plain.callId],
    ]);
    expect(named.find(({ type }) => type === 'call-answered')).toMatchObject({
      answer: '{"n":1,"key":"hush"}',
    });
    const types = new Set(all.map(({ type }) => type));
    expect(types.has('call-ended')).toBe(true);
    expect(types.has('call-answered')).toBe(false);
    expect(types.has('call-recorded')).toBe(false);
    const [recorded] = named.flatMap((event) => (event.type === 'call-recorded' ? [event] : []));
    const verdict = await engine.replay(JSON.parse(recorded?.recording ?? ''));
    expect(verdict).toMatchObject({ same: true });
    const asked = await engine.call('count', {}, { record: true });
    expect(asked.recording?.call).toBe(asked.callId);
  });

  it('is refused with another value, and says which names it does not know', async () => {
    await expect(startEngine([plugin()], { record: 'count' as never })).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
    });
    const warnings: string[] = [];
    const quiet = (): void => {};
    await startEngine([plugin()], {
      record: ['sample__cuont'],
      logger: {
        debug: quiet,
        info: quiet,
        warn: (...given: readonly unknown[]) => void warnings.push(given.join(' ')),
        error: quiet,
      },
    });
    expect(warnings.join('\n')).toContain(
      'The option record names "sample__cuont", and there is no such tool. Did you mean "sample__count"?',
    );
  });
});
