import { describe, expect, it } from 'vitest';
import type { Engine } from '../../../../src/index.js';
import { makeExtension } from '../../../engine/extension-on-disk.js';
import { startEngine } from '../../../engine/plugin-on-disk.js';

const ALL = ['interceptor', 'context_handler', 'macro_interceptor', 'generation', 'chat_mutation'];

const start = (
  sources: Readonly<Record<string, string>>,
  permissions: readonly string[] = ALL,
): Promise<Engine> =>
  startEngine(
    Object.entries(sources).map(([identifier, source]) =>
      makeExtension({ identifier, source, permissions }),
    ),
  );

const messages = [{ role: 'user', content: 'hello' }];

describe('the answers of handlers are merged as in Lumiverse', () => {
  it('macro interceptors: a template, or a text with the variables that it touches', async () => {
    const engine = await start({
      a: `spindle.registerMacroInterceptor(async ({ template }) => template + ' one', 1);`,
      b: `spindle.registerMacroInterceptor(async ({ template }) => ({ text: template + ' two', touchedVars: ['mood'], volatile: true }), 2);`,
      c: `spindle.registerMacroInterceptor(async () => undefined, 3);`,
    });
    const context = { template: 'zero', phase: 'prompt' };
    expect(await engine.spindle.handleContext({ context }, 'macroInterceptor')).toMatchObject({
      context: { template: 'zero one two', phase: 'prompt' },
      macros: { touchedVars: ['mood'], volatile: true, opaque: true },
      steps: [{ outcome: 'changed' }, { outcome: 'changed' }, { outcome: 'unchanged' }],
    });
  });

  it('content processors: patches of the content and of its extra fields', async () => {
    const engine = await start({
      a: `spindle.registerMessageContentProcessor(async ({ content }) => ({ content: content + '!' }), 1);`,
      b: `spindle.registerMessageContentProcessor(async ({ content }) => ({ extra: { seen: content } }), 2);`,
    });
    const context = { chatId: 'c', content: 'hi', extra: { kept: true } };
    const { context: after } = await engine.spindle.handleContext({ context }, 'contentProcessor');
    expect(after).toEqual({ chatId: 'c', content: 'hi!', extra: { kept: true, seen: 'hi!' } });
  });

  it('world info interceptors: each sees the entries with all changes so far', async () => {
    const engine = await start({
      a: `spindle.registerWorldInfoInterceptor(async () => ({ disabled: ['x'], mutated: [{ id: 'y', content: 'new' }] }), 1);`,
      b: `spindle.registerWorldInfoInterceptor(async ({ entries }) => ({
            enabled: ['x', 'z'],
            forced: entries.filter(({ content }) => content === 'new').map(({ id }) => id),
          }), 2);`,
    });
    const entry = (id: string, disabled = false) => ({
      id,
      disabled,
      constant: false,
      content: id,
    });
    const { context: after } = await engine.spindle.handleContext(
      { context: { chatId: 'c', entries: [entry('x'), entry('y'), entry('z', true)] } },
      'worldInfoInterceptor',
    );
    expect(after).toEqual({
      chatId: 'c',
      entries: [
        { id: 'x', disabled: true, constant: false, content: 'x' },
        { id: 'y', disabled: false, constant: true, content: 'new' },
        { id: 'z', disabled: false, constant: false, content: 'z' },
      ],
    });
  });
});

describe('an interceptor', () => {
  it('learns whose generation it is', async () => {
    const engine = await start({
      a: `spindle.registerInterceptor(async (messages, { userId }) => [{ role: 'system', content: userId }]);`,
    });
    const { messages: after } = await engine.spindle.intercept({ messages, userId: 'u1' });
    expect(after).toEqual([{ role: 'system', content: 'u1' }]);
  });

  it.each([
    [{ generationTypes: ['normal', 'continue'] }, true],
    [{ generationTypes: ['swipe'] }, false],
    [{ isDryRun: false }, true],
    [{ isDryRun: true }, false],
    [{ presetField: { path: ['mode'], oneOf: ['agent'] } }, true],
    [{ presetField: { path: ['mode'], notIn: ['agent'] } }, false],
    [{ presetField: { path: ['none'], exists: false } }, true],
    [{ presetField: { path: ['mode', 'deep'], exists: true } }, false],
    [{ generationTypes: ['normal'], isDryRun: true }, false],
    [{ unknown: 1 }, false],
    ['nonsense', false],
  ])('with the pattern %j is called: %s', async (match, isCalled) => {
    const engine = await start({
      a: `spindle.registerInterceptor(async () => [], { priority: 7, match: ${JSON.stringify(match)} });`,
    });
    const { messages: after } = await engine.spindle.intercept({
      messages,
      context: { generationType: 'normal', presetMetadata: { mode: 'agent' } },
    });
    expect(after).toEqual(isCalled ? [] : messages);
  });

  it('that throws is reported with its error', async () => {
    const engine = await start({
      a: `spindle.registerInterceptor(async () => { throw new Error('boom') });`,
    });
    const { steps } = await engine.spindle.intercept({ messages });
    expect(steps).toMatchObject([{ plugin: 'a', outcome: 'failed', error: 'boom' }]);
  });

  it('answers in place of the model only with final_response', async () => {
    const source = `spindle.registerInterceptor(async (messages) => ({
      messages,
      finalResponse: { content: 'I answer.', reasoning: 'why', fallbackMessageIndex: 0 },
      deferredGuidance: [{ id: '1', content: 'Be brief.', role: 'system' }, { id: '2' }],
    }));`;
    const allowed = await start({ a: source }, [...ALL, 'final_response']);
    expect(await allowed.spindle.intercept({ messages })).toMatchObject({
      finalResponse: {
        plugin: 'a',
        content: 'I answer.',
        reasoning: 'why',
        fallbackMessageIndex: 0,
      },
      deferredGuidance: [{ plugin: 'a', id: '1', content: 'Be brief.' }],
    });
    const refused = await start({ a: source });
    expect(await refused.spindle.intercept({ messages })).not.toHaveProperty('finalResponse');
  });
});
