import type { Json } from '../../sandbox/wire/messages.js';
import {
  anything,
  blocks,
  count,
  flag,
  type Kind,
  messages,
  oneOf,
  text,
  texts,
  toolResult,
} from './kinds.js';
import type { HookDialect, HookName } from './names.js';

/** One field of a hook's context. */
export interface Field {
  readonly kind: Kind;
  /** Whether what a hook makes of it counts. A write to any other is dropped, and reported. */
  readonly mutable: boolean;
  /** How the dialect writes that there is none; absent where there has to be one. */
  readonly none?: 'undefined' | 'null';
  /** What it is where the host did not say; a name stands for the value of that other field. */
  readonly missing?: { readonly value: Json } | { readonly field: string };
}

/** What a context has besides data: functions that the guest makes for each run. */
export type Lent = 'logger' | 'broadcast';

export interface ContextShape {
  readonly fields: Readonly<Record<string, Field>>;
  readonly lends: readonly Lent[];
}

type Fields = Readonly<Record<string, Field>>;

const read = (kind: Kind, missing?: Json): Field => ({
  kind,
  mutable: false,
  ...(missing === undefined ? { none: 'undefined' } : { missing: { value: missing } }),
});
const write = (kind: Kind, missing?: Json): Field => ({ ...read(kind, missing), mutable: true });
const orNull = (field: Field): Field => ({ ...field, none: 'null' });
const like = (field: Field, other: string): Field => ({ ...field, missing: { field: other } });

const decision = oneOf('continue', 'stop');
const conversationId = read(text, 'default');
const callSite = read(text);
const NO_RESULT = { type: 'tool_result', tool_use_id: '', content: '' };

/** The contexts of the classic dialect (Vellum hooks, Hooks reference). */
const CLASSIC: Readonly<Record<HookName, Fields>> = {
  init: {
    config: read(anything),
    credentials: read(texts, {}),
    pluginStorageDir: read(text, ''),
    assistantVersion: read(text, '0.0.0'),
  },
  shutdown: { assistantVersion: read(text, '0.0.0') },
  'user-prompt-submit': {
    conversationId,
    userMessageId: like(read(text, ''), 'requestId'),
    requestId: read(text, ''),
    modelProfileKey: orNull(read(text)),
    isNonInteractive: read(flag, false),
    prompt: read(text, ''),
    originalMessages: like(read(messages, []), 'latestMessages'),
    latestMessages: write(messages, []),
  },
  'pre-model-call': {
    conversationId,
    callSite,
    systemPrompt: write(text),
    deferAssistantOutput: write(flag, false),
  },
  'post-model-call': {
    conversationId,
    callSite,
    content: write(blocks, []),
    stopReason: read(text),
  },
  'post-tool-use': {
    conversationId,
    toolResponse: write(toolResult, NO_RESULT),
    messages: read(messages, []),
    additionalContext: write(text),
    maxInputTokens: read(count, 200_000),
  },
  stop: {
    conversationId,
    messages: write(messages, []),
    responseContent: read(blocks, []),
    stopReason: read(text),
    decision: write(decision, 'stop'),
  },
  'post-compact': {
    history: write(messages, []),
    requestId: read(text),
    conversationId,
    isNonInteractive: read(flag, false),
    modelProfileKey: orNull(read(text)),
  },
  'conversation-deleted': { conversationId },
  'conversations-cleared': {},
};

/** What the current dialect changes in them: fields that it adds or has otherwise, and lacks. */
const CURRENT: Readonly<Partial<Record<HookName, Readonly<Record<string, Field | 'gone'>>>>> = {
  init: { credentials: 'gone' },
  shutdown: { reason: read(oneOf('shutdown', 'uninstall', 'disable', 'reload'), 'shutdown') },
  'user-prompt-submit': {
    modelProfileKey: read(text, ''),
    isHiddenPrompt: read(flag),
    messageKind: read(text),
  },
  'pre-model-call': {
    callSite: orNull(callSite),
    systemPrompt: orNull(write(text)),
    modelProfile: orNull(write(text)),
  },
  'post-model-call': {
    callSite: orNull(callSite),
    messages: write(messages, []),
    error: read(anything),
    decision: write(decision, 'stop'),
  },
  'post-tool-use': {
    additionalContext: orNull(write(text)),
    model: orNull(read(text)),
    callSite: orNull(callSite),
    supportsDynamicUi: read(flag, false),
  },
  stop: {
    messages: read(messages, []),
    responseContent: 'gone',
    stopReason: 'gone',
    decision: 'gone',
    error: read(anything),
    exitReason: read(text, 'no_tool_calls'),
  },
  'post-compact': { injectionMode: read(oneOf('full', 'minimal')) },
};

const WITHOUT_LOGGER: Readonly<Record<HookDialect, readonly HookName[]>> = {
  classic: ['shutdown', 'post-compact'],
  current: ['shutdown'],
};

/** What a hook of that name gets in that dialect. */
export function contextShape(hook: HookName, dialect: HookDialect): ContextShape {
  return SHAPES[dialect][hook];
}

/** Every field that a hook of that name has in any of these dialects, as the first has it. */
export function fieldsOf(hook: HookName, dialects: readonly HookDialect[]): Fields {
  return Object.fromEntries(
    dialects.toReversed().flatMap((dialect) => Object.entries(SHAPES[dialect][hook].fields)),
  );
}

const SHAPES: Readonly<Record<HookDialect, Readonly<Record<HookName, ContextShape>>>> = {
  classic: shapes('classic', (hook) => CLASSIC[hook]),
  current: shapes('current', (hook) => differing(CLASSIC[hook], CURRENT[hook] ?? {})),
};

function shapes(
  dialect: HookDialect,
  fieldsFor: (hook: HookName) => Fields,
): Readonly<Record<HookName, ContextShape>> {
  const shape = (hook: HookName): ContextShape => ({
    fields: fieldsFor(hook),
    lends: [
      ...(WITHOUT_LOGGER[dialect].includes(hook) ? [] : (['logger'] as const)),
      ...(dialect === 'current' ? (['broadcast'] as const) : []),
    ],
  });
  return {
    init: shape('init'),
    shutdown: shape('shutdown'),
    'user-prompt-submit': shape('user-prompt-submit'),
    'pre-model-call': shape('pre-model-call'),
    'post-model-call': shape('post-model-call'),
    'post-tool-use': shape('post-tool-use'),
    stop: shape('stop'),
    'post-compact': shape('post-compact'),
    'conversation-deleted': shape('conversation-deleted'),
    'conversations-cleared': shape('conversations-cleared'),
  };
}

function differing(fields: Fields, differences: Readonly<Record<string, Field | 'gone'>>): Fields {
  const result: Record<string, Field> = { ...fields };
  for (const [name, field] of Object.entries(differences)) {
    if (field === 'gone') delete result[name];
    else result[name] = field;
  }
  return result;
}
