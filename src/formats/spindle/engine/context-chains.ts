import type { Json, JsonObject } from '../../../../sandbox/wire/messages.js';
import { isRecord } from '../../../../sandbox/wire/json.js';
import { type ChainStep, runChain } from './chains.js';
import type { Extension } from './extension.js';
import { makeWorldInfo } from './world-info.js';

/** The kinds of handlers that take a context and may return another, or changes of it. */
export type ContextHook =
  | 'contextHandler'
  | 'macroInterceptor'
  | 'worldInfoInterceptor'
  | 'contentProcessor';

export interface ContextChain {
  /**
   * By kind: the generation's context; a template and its environment (`{ template, … }`); world
   * info (`{ entries, … }`); a message's content (`{ content, extra?, … }`).
   */
  readonly context: JsonObject;
  readonly userId?: string;
  readonly signal?: AbortSignal;
}

export interface ContextHandled {
  /** The context after all handlers. */
  readonly context: JsonObject;
  /** The extension that cancelled the generation (`{ cancelGeneration: true }`), if one did. */
  readonly cancelledBy: string | undefined;
  /** Only of macro interceptors. */
  readonly macros?: MacroOutcome;
  readonly steps: readonly ChainStep[];
}

/** What macro interceptors said about the template in the context. */
export interface MacroOutcome {
  /** The variables that the template reads or writes. */
  readonly touchedVars: readonly string[];
  /** Whether another resolution may give another text. */
  readonly volatile: boolean;
  /** Whether a handler replaced the template without saying what it depends on. */
  readonly opaque: boolean;
}

const PERMISSIONS: Readonly<Record<ContextHook, string>> = {
  contextHandler: 'context_handler',
  macroInterceptor: 'macro_interceptor',
  worldInfoInterceptor: 'generation',
  contentProcessor: 'chat_mutation',
};

const MAX_CONTEXT_MS = 120_000;

/** How the answers of one kind of handler change the context. */
interface Merger {
  readonly context: JsonObject;
  readonly cancelledBy?: string | undefined;
  readonly macros?: MacroOutcome;
  apply(answer: Json, extension: Extension): 'continue' | 'stop' | undefined;
}

const MERGERS: Readonly<Record<ContextHook, (before: JsonObject) => Merger>> = {
  contextHandler: makeReplacement,
  macroInterceptor: makeTemplate,
  worldInfoInterceptor: makeWorldInfo,
  contentProcessor: makeContent,
};

/** Runs the handlers of a kind on a context, lowest priority first (Spindle context handlers). */
export async function handleContext(
  extensions: readonly Extension[],
  kind: ContextHook,
  { context, userId, signal }: ContextChain,
): Promise<ContextHandled> {
  const merger = MERGERS[kind](context);
  const steps = await runChain({
    extensions,
    kind,
    permission: PERMISSIONS[kind],
    userId,
    signal,
    timeoutOf: ({ registrations }) =>
      kind === 'contextHandler' ? registrations.hooks[kind]?.timeoutMs : undefined,
    maxTimeoutMs: MAX_CONTEXT_MS,
    payload: () => ({ context: merger.context }),
    apply: (answer, extension) => merger.apply(answer, extension),
  });
  const { macros } = merger;
  return {
    context: merger.context,
    cancelledBy: merger.cancelledBy,
    ...(macros === undefined ? {} : { macros }),
    steps,
  };
}

/** A context handler's answer replaces the context. */
function makeReplacement(before: JsonObject): Merger {
  let context = before;
  let cancelledBy: string | undefined;
  return {
    get context() {
      return context;
    },
    get cancelledBy() {
      return cancelledBy;
    },
    apply: (answer, { id }) => {
      if (!isRecord(answer)) return undefined;
      const { cancelGeneration, ...changed } = answer;
      if (cancelGeneration === true) {
        cancelledBy = id;
        return 'stop';
      }
      context = copyOf(changed);
      return 'continue';
    },
  };
}

/** A macro interceptor answers a template, or `{ text, touchedVars?, volatile? }`. */
function makeTemplate(before: JsonObject): Merger {
  let context = before;
  const touched = new Set<string>();
  let volatile = false;
  let opaque = false;
  return {
    get context() {
      return context;
    },
    get macros() {
      return { touchedVars: [...touched], volatile, opaque };
    },
    apply: (answer) => {
      const { template } = context;
      if (typeof answer === 'string') {
        if (answer === template) return undefined;
        opaque = true;
        context = { ...context, template: answer };
        return 'continue';
      }
      if (!isRecord(answer) || typeof answer['text'] !== 'string') return undefined;
      const { text, touchedVars, volatile: isVolatile } = answer;
      const names: readonly unknown[] = Array.isArray(touchedVars) ? touchedVars : [];
      for (const name of names) if (typeof name === 'string') touched.add(name);
      volatile ||= isVolatile === true;
      if (text === template) return undefined;
      context = { ...context, template: text };
      return 'continue';
    },
  };
}

/** A content processor answers a patch: another content, and fields to add to `extra`. */
function makeContent(before: JsonObject): Merger {
  let context = before;
  return {
    get context() {
      return context;
    },
    apply: (answer) => {
      if (!isRecord(answer)) return undefined;
      const { content, extra } = answer;
      const hasContent = typeof content === 'string';
      if (!hasContent && !isRecord(extra)) return undefined;
      context = {
        ...context,
        ...(hasContent ? { content } : {}),
        ...(isRecord(extra)
          ? { extra: { ...(isRecord(context['extra']) ? context['extra'] : {}), ...copyOf(extra) } }
          : {}),
      };
      return 'continue';
    },
  };
}

function copyOf(value: object): JsonObject {
  // It came over the wire, so it is JSON.
  const copy: JsonObject = JSON.parse(JSON.stringify(value));
  return copy;
}
