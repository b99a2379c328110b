import { describe, expect, it } from 'vitest';
import type { BulkheadEvent } from '../../../src/index.js';
import { startEngine } from '../plugin-on-disk.js';
import { makeExtension } from '../extension-on-disk.js';
import { makeVellum } from '../vellum-on-disk.js';

const loop = 'export default { execute: () => { for (;;); } };';

describe('a hook whose guest is killed because of a call', () => {
  const wait = `let runs = 0;
    export default async (context) => {
      runs += 1;
      if (context.conversationId === 'slow') await new Promise((resolve) => setTimeout(resolve, 60_000));
      context.systemPrompt = 'run ' + runs;
    };`;
  const other = "export default (context) => { context.systemPrompt += ', other'; };";

  it('fails with NEIGHBOUR_ENDED and is not run again, and the chain goes on', async () => {
    const events: BulkheadEvent[] = [];
    const engine = await startEngine(
      [
        makeVellum({ name: 'first', hooks: { 'pre-model-call': wait }, tools: { loop } }),
        makeVellum({ name: 'second', hooks: { 'pre-model-call': other } }),
      ],
      { onEvent: (event) => events.push(event) },
    );
    const run = (conversationId: string) =>
      engine.hooks.run('pre-model-call', { conversationId, systemPrompt: 'given' });
    expect((await run('quick')).context['systemPrompt']).toBe('run 1, other');
    const slow = run('slow');
    const looping = await engine.call('loop', {}, { timeoutMs: 100 });
    expect(looping.code).toBe('DEADLINE_EXCEEDED');
    const { context, reports } = await slow;
    // The killed hook loses its own changes alone.
    expect(context['systemPrompt']).toBe('given, other');
    expect(reports.map(({ plugin, error }) => [plugin, error?.code])).toEqual([
      ['first', 'NEIGHBOUR_ENDED'],
      ['second', undefined],
    ]);
    expect(reports[0]?.error?.message).toMatch(
      /its hook pre-model-call ran .* It is not run again/,
    );
    // A fresh guest, in which it runs for the first time.
    expect((await run('quick')).context['systemPrompt']).toBe('run 1, other');
    const told = events.flatMap((event) =>
      'plugin' in event && event.plugin === 'first' ? [event.type] : [],
    );
    expect(told).toEqual(expect.arrayContaining(['state-lost']));
    expect(told.filter((type) => type === 'hook-ended')).toHaveLength(3);
    expect(told).not.toContain('call-rerun');
  }, 30_000);
});

describe('an event whose guest is killed because of a call', () => {
  it('fails with NEIGHBOUR_ENDED and is not delivered again', async () => {
    const source = `
      let heard = 0;
      spindle.registerTool({ name: 'loop', display_name: 'loop', description: 'd', parameters: {} });
      spindle.on('TOOL_INVOCATION', () => { for (;;); });
      spindle.oauth.onCallback(async ({ wait }) => {
        heard += 1;
        if (wait) await new Promise(() => {});
        return { html: 'heard ' + heard };
      });
    `;
    const engine = await startEngine([makeExtension({ source, permissions: ['tools', 'oauth'] })]);
    const { spindle } = engine;
    expect(await spindle.oauthCallback('sample', {})).toEqual({ html: 'heard 1' });
    const waiting = spindle
      .oauthCallback('sample', { wait: true })
      .catch((error: unknown) => error);
    const looping = await engine.call('loop', {}, { timeoutMs: 100 });
    expect(looping.code).toBe('DEADLINE_EXCEEDED');
    expect(await waiting).toMatchObject({
      code: 'NEIGHBOUR_ENDED',
      message: expect.stringMatching(/It is not run again/),
    });
    // A fresh guest heard nothing before.
    expect(await spindle.oauthCallback('sample', {})).toEqual({ html: 'heard 1' });
  }, 30_000);
});
