import { describe, expect, it } from 'vitest';
import type { Json } from '../../../sandbox/wire/messages.js';
import { openContext, readValues } from '../../../src/engine/hooks/context.js';
import { contextShape } from '../../../src/engine/hooks/contexts.js';
import { makePieceStore } from '../../../src/engine/hooks/pieces.js';
import { HOOK_NAMES, type HookName, isHookName } from '../../../src/plugin/hooks.js';

function mutable(hook: HookName, semantics: 'classic' | 'current'): string[] {
  const { fields } = contextShape(hook, semantics);
  return Object.keys(fields).filter((name) => fields[name]?.mutable === true);
}

/** What the documents say, and what the semantics that came after them made of it. */
const MUTABLE: Record<HookName, { classic: string[]; current: string[] }> = {
  init: { classic: [], current: [] },
  shutdown: { classic: [], current: [] },
  'user-prompt-submit': { classic: ['latestMessages'], current: ['latestMessages'] },
  'pre-model-call': {
    classic: ['systemPrompt', 'deferAssistantOutput'],
    current: ['systemPrompt', 'deferAssistantOutput', 'modelProfile'],
  },
  'post-model-call': { classic: ['content'], current: ['content', 'messages', 'decision'] },
  'post-tool-use': {
    classic: ['toolResponse', 'additionalContext'],
    current: ['toolResponse', 'additionalContext'],
  },
  stop: { classic: ['messages', 'decision'], current: [] },
  'post-compact': { classic: ['history'], current: ['history'] },
  'conversation-deleted': { classic: [], current: [] },
  'conversations-cleared': { classic: [], current: [] },
};

type Field = ReturnType<typeof contextShape>['fields'][string];

/** The value that an absent field has in the context of its semantics. */
function absentValue(
  { none, missing }: Field,
  values: ReadonlyMap<string, Json>,
): Json | undefined {
  if (none !== undefined) return none === 'null' ? null : undefined;
  if (missing === undefined) throw new Error('a required field without a default');
  return 'value' in missing ? missing.value : values.get(missing.field);
}

describe.each(HOOK_NAMES)('the context of %s', (hook) => {
  it.each(['classic', 'current'] as const)(
    'has the mutable fields of the %s semantics',
    (semantics) => {
      expect(mutable(hook, semantics)).toEqual(MUTABLE[hook][semantics]);
    },
  );

  it('can be made out of nothing: what is required has a default', () => {
    const values = readValues(hook, {});
    for (const semantics of ['classic', 'current'] as const) {
      for (const [name, field] of Object.entries(contextShape(hook, semantics).fields)) {
        const value = values.get(name) ?? absentValue(field, values);
        if (value === undefined || value === null) expect(field.none).toBeTypeOf('string');
        else expect(field.kind.problem(value)).toBeUndefined();
      }
    }
  });
});

it('knows a hook by its name alone', () => {
  expect(['init', 'stop', 'pre-modelcall', 'toString', ''].map(isHookName)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
});

describe('a context that a host gives', () => {
  it('fills in the value that is an alias of another field', () => {
    const latestMessages = [{ role: 'user', content: [] }];
    const values = readValues('user-prompt-submit', { latestMessages, requestId: 'r1' });
    expect(values.get('originalMessages')).toBe(latestMessages);
    expect(values.get('userMessageId')).toBe('r1');
    expect(values.has('modelProfileKey')).toBe(false);
  });

  it.each([
    [{ systemprompt: 'x' }, /has no field systemprompt; did you mean systemPrompt\?/],
    [{ systemPrompt: 1 }, /its systemPrompt has to be text/],
    [{ deferAssistantOutput: 'yes' }, /deferAssistantOutput has to be true or false/],
    ['text', /is an object/],
    [null, /is an object/],
  ])('is refused if it is %j', (given, words) => {
    expect(() => readValues('pre-model-call', given)).toThrow(words);
  });

  it('is refused beyond its caps on bytes, values and depth, and if it is not JSON', () => {
    const caps = { maxHookContextBytes: 1_000, maxHookContextNodes: 100 };
    const open = (content: unknown): unknown =>
      openContext(
        'post-model-call',
        readValues('post-model-call', { content }),
        makePieceStore(20),
        caps,
      );
    const deep = JSON.parse(`${'['.repeat(30)}${']'.repeat(30)}`) as unknown;
    const circle: unknown[] = [];
    circle.push({ circle });
    expect(() => open([{ type: 'x', text: 'y'.repeat(1_001) }])).toThrow(/larger than 1000 bytes/);
    expect(() => open([{ type: 'x', list: Array(101).fill(0) }])).toThrow(/more than 100 values/);
    expect(() => open([{ type: 'x', deep }])).toThrow(/deeper than 20/);
    expect(() => open(circle)).toThrow(/cannot be sent/);
  });
});
