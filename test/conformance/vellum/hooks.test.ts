/** How a Vellum plugin's hooks run. Titles begin with their row in the acceptance table. */
import { describe, expect, it } from 'vitest';
import type { BulkheadEvent, HookResult } from '../../../src/index.js';
import { startEngine } from '../../engine/plugin-on-disk.js';
import { makeVellum } from '../../engine/vellum-on-disk.js';
import { chainOf, DIALECTS, hook, user } from './chain-on-disk.js';

function tell({ reports }: HookResult): unknown[] {
  return reports.map(({ plugin, changed, dropped, error }) => [
    plugin,
    changed,
    dropped,
    ...(error === undefined ? [] : [error.code]),
  ]);
}

describe.each(DIALECTS)('hooks of the %s semantics', (semantics) => {
  it('V-C: run in the order of installation, each on the result of the last', async () => {
    const engine = await chainOf(semantics, [
      { 'pre-model-call': hook('ctx.systemPrompt = (ctx.systemPrompt ?? "") + "1"') },
      { 'pre-model-call': hook('ctx.systemPrompt += "2"') },
      { 'user-prompt-submit': hook('throw new Error("another hook")') },
      { 'pre-model-call': hook('return { ...ctx, systemPrompt: ctx.systemPrompt + "3" }') },
    ]);
    expect(engine.hooks.list('pre-model-call')).toEqual([
      { plugin: 'p0', semantics },
      { plugin: 'p1', semantics },
      { plugin: 'p3', semantics },
    ]);
    const result = await engine.hooks.run('pre-model-call', { systemPrompt: '0' });
    expect(result.context['systemPrompt']).toBe('0123');
    expect(tell(result)).toEqual([
      ['p0', ['systemPrompt'], []],
      ['p1', ['systemPrompt'], []],
      ['p3', ['systemPrompt'], []],
    ]);
  });

  it('V-C1, V-C2: lose only their own change if they throw, and end the chain if the semantics says so', async () => {
    const events: BulkheadEvent[] = [];
    const engine = await chainOf(
      semantics,
      [
        { 'pre-model-call': hook('ctx.systemPrompt = "a"') },
        { 'pre-model-call': hook('ctx.systemPrompt = "lost"; throw new TypeError("not today")') },
        { 'pre-model-call': hook('ctx.systemPrompt += "b"') },
      ],
      { onEvent: (event) => events.push(event) },
    );
    const result = await engine.hooks.run('pre-model-call', {});
    const halts = semantics === 'classic';
    expect(result.context['systemPrompt']).toBe(halts ? 'a' : 'ab');
    expect(tell(result)).toEqual([
      ['p0', ['systemPrompt'], []],
      ['p1', [], [], 'HOOK_FAILED'],
      ...(halts ? [] : [['p2', ['systemPrompt'], []]]),
    ]);
    expect(result.reports[1]?.error?.message).toContain('not today');
    expect(result.reports[1]?.halted).toBe(halts ? true : undefined);
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'hook-ended', plugin: 'p1', code: 'HOOK_FAILED' }),
    );
  });

  it('V-C3: originalMessages is isolated from latestMessages, and read-only', async () => {
    const engine = await chainOf(semantics, [
      {
        'user-prompt-submit': hook(
          'ctx.latestMessages[0].content[0].text = "changed"; ctx.originalMessages.pop(); ctx.prompt = "mine"',
        ),
      },
      {
        'user-prompt-submit': hook(
          'ctx.latestMessages[0].content[0].text += [ctx.originalMessages[0].content[0].text, ctx.prompt]',
        ),
      },
    ]);
    const result = await engine.hooks.run('user-prompt-submit', {
      prompt: 'asked',
      latestMessages: [user('first')],
    });
    expect(result.context).toMatchObject({
      prompt: 'asked',
      originalMessages: [user('first')],
      latestMessages: [user('changedfirst,asked')],
    });
    expect(result.reports[0]?.dropped.toSorted()).toEqual(['originalMessages', 'prompt']);
  });

  it('V-C4: run only if the conversation names their plugin', async () => {
    const append = { stop: hook('void 0') };
    const engine = await chainOf(semantics, [append, append, append]);
    const ran = async (enabledPlugins?: readonly string[] | null): Promise<string[]> => {
      const options = enabledPlugins === undefined ? {} : { enabledPlugins };
      const { reports } = await engine.hooks.run('stop', {}, options);
      return reports.map(({ plugin }) => plugin);
    };
    expect(await ran()).toEqual(['p0', 'p1', 'p2']);
    expect(await ran(null)).toEqual(['p0', 'p1', 'p2']);
    expect(await ran(['p2', 'p0', 'absent'])).toEqual(['p0', 'p2']);
    expect(await ran([])).toEqual([]);
  });

  it('V-C4: of the host’s own plugins run for every conversation, and first', async () => {
    const append = hook('ctx.deferAssistantOutput = true');
    const engine = await startEngine(
      [makeVellum({ name: 'a', hooks: { 'pre-model-call': append } })],
      {
        defaultPlugins: [makeVellum({ name: 'own', hooks: { 'pre-model-call': append } })],
        hooks: { semantics },
      },
    );
    const ran = async (options: object): Promise<string[]> => {
      const { reports } = await engine.hooks.run('pre-model-call', {}, options);
      return reports.map(({ plugin }) => plugin);
    };
    expect(await ran({})).toEqual(['own', 'a']);
    expect(await ran({ enabledPlugins: [] })).toEqual(['own']);
    expect(await ran({ only: semantics })).toEqual(['own', 'a']);
    expect(await ran({ only: semantics === 'classic' ? 'current' : 'classic' })).toEqual([]);
  });

  it('V-C5: lose all of their changes if one of them is invalid', async () => {
    const engine = await chainOf(semantics, [
      {
        'post-model-call': hook(
          'ctx.content.push({ type: "text", text: "kept?" }, { type: "text" })',
        ),
        'post-tool-use': hook(
          'ctx.additionalContext = "kept?"; ctx.toolResponse = { type: "text", text: "x" }',
        ),
        'user-prompt-submit': hook('ctx.latestMessages.push({ role: "robot", content: [] })'),
      },
    ]);
    for (const name of ['post-model-call', 'post-tool-use', 'user-prompt-submit']) {
      const before = await engine.hooks.run(name, {}, { enabledPlugins: [] });
      const { context, reports } = await engine.hooks.run(name, {});
      expect(reports[0]?.error?.code).toBe('INVALID_HOOK_CHANGE');
      expect(context).toEqual(before.context);
    }
  });

  it('V-C6: are stopped at their deadline, and the chain continues', async () => {
    const engine = await chainOf(
      semantics,
      [
        { stop: hook('for (;;);') },
        { stop: hook('await new Promise(() => {})') },
        { stop: 'export default () => { throw new Error("at once"); }' },
        {
          stop: hook(
            'setTimeout(() => { ctx.decision = "continue" }, 0); await new Promise(() => {})',
          ),
        },
      ],
      { limits: { hookTimeoutMs: 200 }, hooks: { throws: 'skip' } },
    );
    const result = await engine.hooks.run('stop', {});
    expect(result.reports.map(({ error }) => error?.code)).toEqual([
      'DEADLINE_EXCEEDED',
      'DEADLINE_EXCEEDED',
      'HOOK_FAILED',
      'DEADLINE_EXCEEDED',
    ]);
    expect(result.context['decision']).not.toBe('continue');
  });

  it('V-C7: broadcast with their owner, in order, if the semantics has broadcasts', async () => {
    const events: BulkheadEvent[] = [];
    const body =
      'if (!ctx.broadcast) return; ctx.broadcast({ step: 1 }); ctx.broadcast("two"); const c = []; c.push(c); ctx.broadcast(c)';
    const engine = await chainOf(semantics, [{ stop: hook(body) }, { stop: hook(body) }], {
      onEvent: (event) => events.push(event),
    });
    await engine.hooks.run('stop', { conversationId: 'c9' });
    const told = events.flatMap((event) =>
      event.type === 'hook-broadcast' ? [[event.plugin, event.conversationId, event.detail]] : [],
    );
    const each = [{ step: 1 }, 'two', { unserializableDetail: true }];
    expect(told).toEqual(
      semantics === 'classic'
        ? []
        : ['p0', 'p1'].flatMap((plugin) => each.map((detail) => [plugin, 'c9', detail])),
    );
  });
});

describe('the semantics of a plugin', () => {
  it('is that of the interface it declares, unless the host overrides it', async () => {
    const directories = [
      makeVellum({ name: 'old', hooks: { stop: hook('') } }),
      makeVellum({ name: 'new', api: '^0.9.0', hooks: { stop: hook('') } }, undefined),
    ];
    const engine = await startEngine(directories, { hooks: { semantics: { old: 'current' } } });
    expect(engine.hooks.list('stop').map(({ semantics }) => semantics)).toEqual([
      'current',
      'current',
    ]);
    const plain = await startEngine(directories);
    expect(plain.hooks.list('stop').map(({ semantics }) => semantics)).toEqual([
      'classic',
      'current',
    ]);
  });
});
