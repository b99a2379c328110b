import type { Json, JsonObject } from '../../../sandbox/wire/messages.js';
import { isRecord } from '../../../sandbox/wire/parse.js';
import { type ChainStep, runChain } from './chain.js';
import type { Extension } from './extension.js';

/** A generation on its way to the model. */
export interface Interception {
  readonly messages: readonly JsonObject[];
  /** What handlers are told besides: the kind of generation, its chat … */
  readonly context?: JsonObject;
  readonly userId?: string;
  readonly signal?: AbortSignal;
}

export interface Intercepted {
  readonly messages: readonly JsonObject[];
  /** What extensions set that may: those that hold `generation_parameters`. */
  readonly parameters: JsonObject;
  /** What they say of their own changes, for whoever shows them. */
  readonly breakdown: readonly { readonly plugin: string; readonly breakdown: Json }[];
  readonly steps: readonly ChainStep[];
}

/** What an interceptor has, where nobody says otherwise, and the bounds of what may be said. */
const USUAL_MS = 10_000;
const LEAST_MS = 1_000;
const MOST_MS = 300_000;

/** Lets the interceptors change a generation, lowest priority first (Spindle interceptors). */
export async function intercept(
  extensions: readonly Extension[],
  { messages: before, context = {}, userId, signal }: Interception,
): Promise<Intercepted> {
  let messages = before;
  let parameters: JsonObject = {};
  const breakdown: { readonly plugin: string; readonly breakdown: Json }[] = [];
  const steps = await runChain({
    extensions,
    kind: 'interceptor',
    permission: 'interceptor',
    userId,
    signal,
    timeoutOf: ({ interceptorTimeoutMs, registrations }) => {
      const wanted = interceptorTimeoutMs ?? registrations.hooks['interceptor']?.timeoutMs;
      return Math.min(MOST_MS, Math.max(LEAST_MS, wanted ?? USUAL_MS));
    },
    payload: () => ({ messages, context }),
    take: (answer, { id, held }) => {
      const changed = isRecord(answer) ? readMessages(answer['messages']) : undefined;
      if (changed === undefined || !isRecord(answer)) return undefined;
      messages = changed;
      const { parameters: set, breakdown: told } = answer;
      if (isRecord(set) && held.includes('generation_parameters')) {
        parameters = Object.assign({}, parameters, copyOf(set));
      }
      if (told !== undefined && told !== null)
        breakdown.push({ plugin: id, breakdown: copyOf(told) });
      return 'on';
    },
  });
  return { messages, parameters, breakdown, steps };
}

/** Messages as models take them: objects with a role. Anything else changes nothing. */
function readMessages(answer: unknown): readonly JsonObject[] | undefined {
  if (!Array.isArray(answer)) return undefined;
  const isMessage = (item: unknown): boolean => isRecord(item) && typeof item['role'] === 'string';
  if (!answer.every(isMessage)) return undefined;
  // It came over the wire, so that it is JSON.
  const copy: readonly JsonObject[] = JSON.parse(JSON.stringify(answer));
  return copy;
}

function copyOf(value: unknown): Json {
  const copy: Json = JSON.parse(JSON.stringify(value));
  return copy;
}
