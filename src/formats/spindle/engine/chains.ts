import type { Json, JsonObject } from '../../../../sandbox/wire/messages.js';
import { isBulkheadError } from '../../../errors.js';
import { concerns, type Extension } from './extension.js';
import { fits } from './match.js';
import { isRecord } from '../../../../sandbox/wire/json.js';

/** The outcome of one extension in a chain. */
export interface ChainStep {
  readonly plugin: string;
  /** `failed`: the event was not sent, or the handler threw: see `error`. */
  readonly outcome: 'changed' | 'unchanged' | 'timed-out' | 'failed';
  /** Why it failed or was late. */
  readonly error?: string;
  readonly durationMs: number;
}

interface ChainSpec {
  readonly extensions: readonly Extension[];
  /** The kind of handler, and the permission that it needs. */
  readonly kind: string;
  readonly permission: string;
  /** Whether the extension's handler is for this payload. Default: each is. */
  readonly isFor?: (extension: Extension) => boolean;
  /** The timeout that the extension requests in milliseconds, and its maximum. */
  readonly timeoutOf: (extension: Extension) => number | undefined;
  readonly maxTimeoutMs: number;
  readonly userId?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The payload for the next extension. */
  readonly payload: () => Json;
  /** Applies an answer. `undefined`: it is not valid, and nothing changed. */
  readonly apply: (answer: Json, extension: Extension) => 'continue' | 'stop' | undefined;
}

/** The default and the minimum timeout of a handler. */
const DEFAULT_MS = 10_000;
const MIN_MS = 1_000;

/**
 * Sends an event to each extension with a handler of the kind, lowest priority first. Each answer
 * may change the payload for the next extension. A failed or late extension changes nothing.
 * Rejects with the signal's reason when it aborts.
 */
export async function runChain(spec: ChainSpec): Promise<readonly ChainStep[]> {
  const { kind, permission, signal, userId } = spec;
  const steps: ChainStep[] = [];
  const ordered = spec.extensions
    .filter((extension) => Object.hasOwn(extension.registrations.hooks, kind))
    .toSorted((a, b) => priorityOf(a, kind) - priorityOf(b, kind));
  for (const extension of ordered) {
    signal?.throwIfAborted();
    // Checked now: an earlier step may have removed the permission or the handler.
    if (!extension.held.includes(permission) || !concerns(extension, userId)) continue;
    if (spec.isFor?.(extension) === false) continue;
    const began = performance.now();
    const step = (outcome: ChainStep['outcome'], error?: unknown): void => {
      const durationMs = performance.now() - began;
      const why = error instanceof Error ? { error: error.message } : {};
      steps.push({ plugin: extension.id, outcome, ...why, durationMs });
    };
    const wanted = spec.timeoutOf(extension) ?? DEFAULT_MS;
    const timeoutMs = Math.min(spec.maxTimeoutMs, Math.max(MIN_MS, wanted));
    try {
      const options = { timeoutMs, signal, userId };
      const answer = await extension.send(`spindle:${kind}`, spec.payload(), options);
      const applied = answer === null ? undefined : spec.apply(answer, extension);
      step(applied === undefined ? 'unchanged' : 'changed');
      if (applied === 'stop') break;
    } catch (error) {
      signal?.throwIfAborted();
      step(isBulkheadError(error, 'DEADLINE_EXCEEDED') ? 'timed-out' : 'failed', error);
    }
  }
  return steps;
}

function priorityOf({ registrations }: Extension, kind: string): number {
  return registrations.hooks[kind]?.priority ?? 100;
}

/** A generation on its way to the model. */
export interface Interception {
  readonly messages: readonly JsonObject[];
  /** Passed to handlers too: the kind of generation, its chat … `userId` is added to it. */
  readonly context?: JsonObject;
  readonly userId?: string;
  readonly signal?: AbortSignal;
}

export interface Intercepted {
  readonly messages: readonly JsonObject[];
  /** The parameters that extensions with `generation_parameters` set. */
  readonly parameters: JsonObject;
  /**
   * The answer in place of the model's, by the last extension with `final_response` that set one.
   * `fallbackMessageIndex`: the message to show if the host cannot use it.
   */
  readonly finalResponse?: FinalResponse;
  /** Guidance that extensions want to add at each attempt of the generation. */
  readonly deferredGuidance: readonly DeferredGuidance[];
  /** The extensions' descriptions of their changes, for display. */
  readonly breakdown: readonly { readonly plugin: string; readonly breakdown: Json }[];
  readonly steps: readonly ChainStep[];
}

export interface FinalResponse {
  readonly plugin: string;
  readonly content: string;
  readonly reasoning?: string;
  readonly fallbackMessageIndex: number;
}

export interface DeferredGuidance {
  readonly plugin: string;
  readonly id: string;
  readonly content: string;
}

const MAX_INTERCEPTOR_MS = 300_000;

/** Runs the interceptors on a generation, lowest priority first (Spindle interceptors). */
export async function intercept(
  extensions: readonly Extension[],
  { messages: before, context: given = {}, userId, signal }: Interception,
): Promise<Intercepted> {
  const context = userId === undefined ? given : { ...given, userId };
  let messages = before;
  let parameters: JsonObject = {};
  const breakdown: { readonly plugin: string; readonly breakdown: Json }[] = [];
  const deferredGuidance: DeferredGuidance[] = [];
  let finalResponse: FinalResponse | undefined;
  const steps = await runChain({
    extensions,
    kind: 'interceptor',
    permission: 'interceptor',
    userId,
    signal,
    timeoutOf: ({ interceptorTimeoutMs, registrations }) =>
      interceptorTimeoutMs ?? registrations.hooks['interceptor']?.timeoutMs,
    maxTimeoutMs: MAX_INTERCEPTOR_MS,
    isFor: ({ registrations }) => fits(registrations.hooks['interceptor']?.match, context),
    payload: () => ({ messages, context }),
    apply: (answer, { id, held }) => {
      const changed = isRecord(answer) ? readMessages(answer['messages']) : undefined;
      if (changed === undefined || !isRecord(answer)) return undefined;
      messages = changed;
      const { parameters: set, breakdown: report } = answer;
      if (isRecord(set) && held.includes('generation_parameters')) {
        parameters = Object.assign({}, parameters, copyOf(set));
      }
      if (report !== undefined && report !== null) {
        breakdown.push({ plugin: id, breakdown: copyOf(report) });
      }
      // guard: spindle-final-response-needs-permission
      if (held.includes('final_response')) {
        finalResponse = readFinalResponse(id, answer['finalResponse'], messages) ?? finalResponse;
      }
      deferredGuidance.push(...readGuidance(id, answer['deferredGuidance']));
      return 'continue';
    },
  });
  const final = finalResponse === undefined ? {} : { finalResponse };
  return { messages, parameters, ...final, deferredGuidance, breakdown, steps };
}

function readFinalResponse(
  plugin: string,
  given: unknown,
  messages: readonly JsonObject[],
): FinalResponse | undefined {
  if (!isRecord(given)) return undefined;
  const { content, reasoning, fallbackMessageIndex: index } = given;
  if (typeof content !== 'string' || typeof index !== 'number') return undefined;
  if (!Number.isInteger(index) || index < 0 || index >= messages.length) return undefined;
  return {
    plugin,
    content,
    ...(typeof reasoning === 'string' ? { reasoning } : {}),
    fallbackMessageIndex: index,
  };
}

/** Guidance of one extension. Stops a list that fills every prompt. */
const MAX_GUIDANCE = 128;
const MAX_GUIDANCE_BYTES = 2 * 1024 * 1024;

function readGuidance(plugin: string, given: unknown): readonly DeferredGuidance[] {
  const list: readonly unknown[] = Array.isArray(given) ? given.slice(0, MAX_GUIDANCE) : [];
  let bytesLeft = MAX_GUIDANCE_BYTES;
  return list.flatMap((item) => {
    const { id, content, role } = isRecord(item) ? item : {};
    if (typeof id !== 'string' || typeof content !== 'string' || role !== 'system') return [];
    bytesLeft -= Buffer.byteLength(content);
    return content === '' || bytesLeft < 0 ? [] : [{ plugin, id, content }];
  });
}

/** Messages in the form of models' APIs: objects with a role. `undefined` for any other value. */
function readMessages(answer: unknown): readonly JsonObject[] | undefined {
  if (!Array.isArray(answer)) return undefined;
  const isMessage = (item: unknown): boolean => isRecord(item) && typeof item['role'] === 'string';
  if (!answer.every(isMessage)) return undefined;
  // They came over the wire, so they are JSON.
  const copy: readonly JsonObject[] = JSON.parse(JSON.stringify(answer));
  return copy;
}

function copyOf(value: unknown): Json {
  const copy: Json = JSON.parse(JSON.stringify(value));
  return copy;
}
