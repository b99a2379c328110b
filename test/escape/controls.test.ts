import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BulkheadEvent, Engine } from '../../src/index.js';
import { ROOT } from '../architecture/sources.js';
import { openEngine } from './attempt.js';
import { serve, serveDeadEnd } from './servers.js';

/** What the attacks are refused for must not be what honest plugins need. */
describe('a plugin that uses each thing as plugins do', () => {
  let engine: Engine | undefined;
  const events: BulkheadEvent[] = [];

  beforeAll(async () => {
    const { url } = await serve((request, response) => {
      response.setHeader('x-served', 'yes');
      if (request.url === '/echo') request.pipe(response);
      else if (request.url === '/large') response.end(Buffer.alloc(3_000_000, 'a'));
      else response.setHeader('content-type', 'application/json').end('{"ok":true}');
    });
    const { url: proxy } = await serveDeadEnd();
    engine = await openEngine({
      plugins: [join(ROOT, 'fixtures/plugins/pandora/everyday')],
      grant: 'declared',
      env: { EVERYDAY_KEY: 'a key' },
      // A busy machine takes its time.
      limits: { graceMs: 5_000 },
      network: { overrides: [{ host: 'api.example.com', url }], proxy },
      onEvent: (event) => events.push(event),
    });
  });
  afterAll(() => engine?.close());

  const call = async (tool: string, input: object = {}) => {
    const result = await engine?.call(`everyday:${tool}`, input, { timeoutMs: 15_000 });
    return result?.isError === false ? result.value : result;
  };

  const answers: Readonly<Record<string, unknown>> = {
    timers: { first: 'microtask', ticked: true },
    time: { recent: true, forward: true, text: 'January 1, 1970' },
    random: { different: true, sane: true },
    environment: ['a key', 'a key'],
    urls: 'https://api.example.com/search?q=a+b&page=2',
    text: [12, 'grüße 👋', 'base64', '686578'],
    copies: [1, [2]],
    events: ['once', 'abort', false, true],
    console: 'logged',
    network: [{ ok: true }, '{"a":1}', 'b=2', 'yes'],
    streams: [3_000_000, 600],
    'many-fetches': true,
    files: ['A poem of one line, with ümlauts.\n', 35],
    'many-files': true,
    'a-hash': 'ba7816bf',
    work: expect.any(Number),
    memory: [200_000, 16 * 1024 * 1024],
    callbacks: 'called back',
  };
  it.each(Object.entries(answers))('has what it needs for %s', async (tool, answer) => {
    expect(await call(tool)).toEqual(answer);
  });

  it('returns a result near the largest, with a default of its schema', async () => {
    const rows = await call('a-large-result');
    expect(rows).toHaveLength(5_000);
    expect(rows).toMatchObject({ 4999: { at: 4999, name: 'row 4999', tags: ['a', 'b'] } });
  });

  it('fails in its own words', async () => {
    expect(await call('failure')).toMatchObject({
      code: 'TOOL_FAILED',
      content: [{ text: 'too far' }],
    });
  });

  it('serves a hundred calls at once', async () => {
    const waited = await Promise.all(
      Array.from({ length: 100 }, () => call('patience', { ms: 30 })),
    );
    expect(new Set(waited)).toEqual(new Set(['waited']));
  });

  it('ends a call on request, and its guest with its counter lives on', async () => {
    const before = Number(await call('counter'));
    events.length = 0;
    const late = await engine?.call('everyday:patience', { ms: 60_000 }, { timeoutMs: 50 });
    expect(late?.code).toBe('DEADLINE_EXCEEDED');
    // A call at once might find the guest not yet done, and get another.
    await pause(300);
    expect(await call('counter')).toBe(before + 1);
    expect(events.filter(({ type }) => type === 'guest-ended' || type === 'guest-started')).toEqual(
      [],
    );
  });

  it('was denied nothing in all of this', () => {
    expect(events.filter(({ type }) => type === 'capability-denied')).toEqual([]);
    expect(engine?.plugins()[0]).toMatchObject({ state: 'active', problems: [] });
  });
});
