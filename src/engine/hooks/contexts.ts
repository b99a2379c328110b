import type { Json } from '../../../sandbox/wire/messages.js';
import type { HookName, HookSemantics } from '../../plugin/hooks.js';
import {
  anything,
  blocks,
  classicMessages,
  count,
  flag,
  type Kind,
  messages,
  oneOf,
  text,
  texts,
  toolResult,
} from './kinds.js';

/** One field of a hook's context. */
export interface Field {
  readonly kind: Kind;
  /** Whether a hook may change the field. A write to an immutable field is dropped and reported. */
  readonly mutable: boolean;
  /** How an absent value is written. If this is absent, the field is required. */
  readonly none?: 'undefined' | 'null';
  /** The default if the host gives no value: a value, or the value of another field. */
  readonly missing?: { readonly value: Json } | { readonly field: string };
}

/** Functions that the guest adds to a context for each run. */
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

/** The contexts of the classic semantics (Vellum hooks, Hooks reference). */
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
    originalMessages: like(read(classicMessages, []), 'latestMessages'),
    latestMessages: write(classicMessages, []),
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
    messages: read(classicMessages, []),
    additionalContext: write(text),
    maxInputTokens: read(count, 200_000),
  },
  stop: {
    conversationId,
    messages: write(classicMessages, []),
    responseContent: read(blocks, []),
    stopReason: read(text),
    decision: write(decision, 'stop'),
  },
  'post-compact': {
    history: write(classicMessages, []),
    requestId: read(text),
    conversationId,
    isNonInteractive: read(flag, false),
    modelProfileKey: orNull(read(text)),
  },
  'conversation-deleted': { conversationId },
  'conversations-cleared': {},
};

/** How the current semantics differs: added or changed fields; `gone` marks a removed field. */
const CURRENT: Readonly<Partial<Record<HookName, Readonly<Record<string, Field | 'gone'>>>>> = {
  init: { credentials: 'gone' },
  shutdown: { reason: read(oneOf('shutdown', 'uninstall', 'disable', 'reload'), 'shutdown') },
  'user-prompt-submit': {
    originalMessages: like(read(messages, []), 'latestMessages'),
    latestMessages: write(messages, []),
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
    messages: read(messages, []),
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
  'post-compact': {
    history: write(messages, []),
    injectionMode: read(oneOf('full', 'minimal')),
  },
};

const WITHOUT_LOGGER: Readonly<Record<HookSemantics, readonly HookName[]>> = {
  classic: ['shutdown', 'post-compact'],
  current: ['shutdown'],
};

/** The shape of a hook's context under these semantics. */
export function contextShape(hook: HookName, semantics: HookSemantics): ContextShape {
  return SHAPES[semantics][hook];
}

/** All fields of a hook under any of these semantics. The first semantics wins on conflict. */
export function fieldsOf(hook: HookName, allSemantics: readonly HookSemantics[]): Fields {
  return Object.fromEntries(
    allSemantics
      .toReversed()
      .flatMap((semantics) => Object.entries(SHAPES[semantics][hook].fields)),
  );
}

const SHAPES: Readonly<Record<HookSemantics, Readonly<Record<HookName, ContextShape>>>> = {
  classic: shapes('classic', (hook) => CLASSIC[hook]),
  current: shapes('current', (hook) => differing(CLASSIC[hook], CURRENT[hook] ?? {})),
};

function shapes(
  semantics: HookSemantics,
  fieldsFor: (hook: HookName) => Fields,
): Readonly<Record<HookName, ContextShape>> {
  const shape = (hook: HookName): ContextShape => ({
    fields: fieldsFor(hook),
    lends: [
      ...(WITHOUT_LOGGER[semantics].includes(hook) ? [] : (['logger'] as const)),
      ...(semantics === 'current' ? (['broadcast'] as const) : []),
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
