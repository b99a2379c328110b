import type { JsonObject } from '../../../sandbox/wire/messages.js';
import { isRecord } from '../../../sandbox/wire/parse.js';
import { type ChainStep, runChain } from './chain.js';
import type { Extension } from './extension.js';

/** The handlers that take one context and may answer with another. */
export type ContextHook =
  | 'contextHandler'
  | 'macroInterceptor'
  | 'worldInfoInterceptor'
  | 'contentProcessor';

export interface ContextChain {
  readonly context: JsonObject;
  readonly userId?: string;
  readonly signal?: AbortSignal;
}

export interface ContextHandled {
  readonly context: JsonObject;
  /** The extension that wants no generation, where one does (`{ cancelGeneration: true }`). */
  readonly cancelledBy: string | undefined;
  readonly steps: readonly ChainStep[];
}

const PERMISSIONS: Readonly<Record<ContextHook, string>> = {
  contextHandler: 'context_handler',
  macroInterceptor: 'macro_interceptor',
  worldInfoInterceptor: 'generation',
  contentProcessor: 'chat_mutation',
};

const USUAL_MS = 10_000;
const LEAST_MS = 1_000;
const MOST_MS = 120_000;

/** Lets the handlers of a kind change a context, lowest priority first (Spindle context handlers). */
export async function handleContext(
  extensions: readonly Extension[],
  kind: ContextHook,
  { context: before, userId, signal }: ContextChain,
): Promise<ContextHandled> {
  let context = before;
  let cancelledBy: string | undefined;
  const steps = await runChain({
    extensions,
    kind,
    permission: PERMISSIONS[kind],
    userId,
    signal,
    timeoutOf: ({ registrations }) => {
      const wanted = kind === 'contextHandler' ? registrations.hooks[kind]?.timeoutMs : undefined;
      return Math.min(MOST_MS, Math.max(LEAST_MS, wanted ?? USUAL_MS));
    },
    payload: () => ({ context }),
    take: (answer, { id }) => {
      if (!isRecord(answer)) return undefined;
      const { cancelGeneration, ...changed } = answer;
      if (cancelGeneration === true && kind === 'contextHandler') {
        cancelledBy = id;
        return 'stop';
      }
      const copy: JsonObject = JSON.parse(JSON.stringify(changed));
      context = copy;
      return 'on';
    },
  });
  return { context, cancelledBy, steps };
}
