import { isRecord } from '../../sandbox/wire/json.js';
import type { ContentBlock } from '../plugin/answer.js';
import type { CallResult } from '../engine/types/result.js';
import type { FleetReason } from '../errors.js';
import { readShape } from '../schema/shape.js';
import { type BodyReference, bodyReferenceShape } from './bodies.js';
import { parse } from './frame.js';

/** A message of a runner about a call. `busy` and `refused` say that the call did not begin. */
export type Reply =
  | { readonly type: 'started'; readonly runner: string; readonly instance: string }
  | { readonly type: 'output'; readonly text: string }
  | { readonly type: 'progress'; readonly progress: Readonly<Record<string, unknown>> }
  /** Asks the gateway for an approval or a power. `id`: unguessable. `asked`: JSON, or where it is. */
  | { readonly type: 'ask'; readonly id: string; readonly asked: string | BodyReference }
  | { readonly type: 'busy'; readonly runner: string; readonly retryAfterMs: number }
  | {
      readonly type: 'refused';
      readonly runner: string;
      readonly reason: Refusal;
      readonly message: string;
    }
  | { readonly type: 'result'; readonly result: CallResult }
  | { readonly type: 'result'; readonly body: BodyReference };

/** Why a runner refused a call: a reason of `FLEET_FAILED`, or another error code. */
export type Refusal =
  | FleetReason
  | 'session'
  | 'NOT_LOCKED'
  | 'POLICY_DENIED'
  | 'PLUGIN_INACTIVE'
  | 'STOPPED';

const REASONS: ReadonlySet<string> = new Set<Refusal>([
  'no-runner',
  'pinned-runner-lost',
  'grant',
  'version',
  'not-trusted',
  'stale',
  'transport',
  'session',
  'NOT_LOCKED',
  'POLICY_DENIED',
  'PLUGIN_INACTIVE',
  'STOPPED',
]);

/** Characters of the message of a refusal. A runner's word: the rest is cut off. */
const MAX_MESSAGE = 2_000;

/** Milliseconds that a runner may ask to wait. */
const MAX_RETRY_MS = 60_000;

/** Reads a message of a runner, which may be hostile. `undefined`: it is not one. */
export function readReply(text: string): Reply | undefined {
  const value = parse(text);
  if (!isRecord(value)) return undefined;
  const { type, runner } = value;
  if (type === 'started') {
    const { instance } = value;
    return typeof runner === 'string' && typeof instance === 'string'
      ? { type, runner, instance }
      : undefined;
  }
  if (type === 'output') {
    return typeof value['text'] === 'string' ? { type, text: value['text'] } : undefined;
  }
  if (type === 'progress') {
    return isRecord(value['progress']) ? { type, progress: value['progress'] } : undefined;
  }
  if (type === 'ask') return readAsk(value);
  if (type === 'busy') {
    const { retryAfterMs } = value;
    return typeof runner === 'string' &&
      typeof retryAfterMs === 'number' &&
      retryAfterMs >= 0 &&
      retryAfterMs <= MAX_RETRY_MS
      ? { type, runner, retryAfterMs }
      : undefined;
  }
  if (type === 'refused') {
    const { reason, message } = value;
    return typeof runner === 'string' && isRefusal(reason) && typeof message === 'string'
      ? { type, runner, reason, message: message.slice(0, MAX_MESSAGE) }
      : undefined;
  }
  if (type !== 'result') return undefined;
  if ('body' in value) {
    const body = readShape(bodyReferenceShape, value['body'], 'body');
    return body.ok ? { type, body: body.value } : undefined;
  }
  const result = readResult(value['result']);
  return result === undefined ? undefined : { type, result };
}

function readAsk({ id, asked }: Readonly<Record<string, unknown>>): Reply | undefined {
  if (typeof id !== 'string' || !/^[0-9a-f]{32}$/.test(id)) return undefined;
  if (typeof asked === 'string') return { type: 'ask', id, asked };
  const body = readShape(bodyReferenceShape, asked, 'ask');
  return body.ok ? { type: 'ask', id, asked: body.value } : undefined;
}

/** Reads a result of a runner. `undefined`: it is not one. */
export function readResult(value: unknown): CallResult | undefined {
  // guard: fleet-result-checked
  return isResult(value) ? value : undefined;
}

/** The other members are plain JSON, as the plugin's own answer is: no code of the host relies on their form. */
function isResult(value: unknown): value is CallResult {
  if (!isRecord(value)) return false;
  const { isError, content, code, durationMs, status, files } = value;
  return (
    typeof isError === 'boolean' &&
    Array.isArray(content) &&
    content.every(isBlock) &&
    (code === undefined || (typeof code === 'string' && /^[A-Z_]{1,40}$/.test(code))) &&
    typeof durationMs === 'number' &&
    (status === undefined || typeof status === 'string') &&
    (files === undefined ||
      (Array.isArray(files) && files.every((file) => typeof file === 'string')))
  );
}

function isRefusal(reason: unknown): reason is Refusal {
  return typeof reason === 'string' && REASONS.has(reason);
}

function isBlock(block: unknown): block is ContentBlock {
  if (!isRecord(block)) return false;
  const { type, text, mimeType, data } = block;
  if (type === 'text') return typeof text === 'string';
  return (
    (type === 'image' || type === 'audio' || type === 'file') &&
    text === undefined &&
    typeof mimeType === 'string' &&
    typeof data === 'string'
  );
}
