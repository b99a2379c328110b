import type { RunAdmitted } from '../engine/call/admitted.js';
import type { CallOptions } from '../engine/types/options.js';
import type { CallResult } from '../engine/types/result.js';
import { BulkheadError, type ErrorCode, isBulkheadError, messageOf } from '../errors.js';
import type { Bodies } from './bodies.js';
import { type Envelope, MAX_MESSAGE_BYTES } from './envelope.js';
import type { RefusedCall } from './refuse-call.js';
import type { Reply } from './reply.js';
import { tenantToken } from './subjects.js';

/** What a runner needs to run a call. */
export interface EnvelopeRunner {
  readonly name: string;
  readonly runAdmitted: RunAdmitted;
  readonly bodies: Bodies;
}

/** Characters of output in one message. */
const MAX_OUTPUT = 128 * 1024;

/** Runs a call that was verified. Resolves with the last message of the answer, as JSON. Never rejects. */
export async function runEnvelope(
  { name: runner, runAdmitted, bodies }: EnvelopeRunner,

  envelope: Envelope,
  signal: AbortSignal,
  reply: (answer: Reply) => void,
): Promise<string> {
  const { callId, options } = callOf(envelope, signal, reply);
  let result: CallResult;
  try {
    const input: unknown =
      envelope.body === undefined ? envelope.input : JSON.parse(await bodies.read(envelope.body));
    result = await runAdmitted({
      callId,
      tool: envelope.tool,
      input,
      options,
      artifact: envelope.artifact,
      digest: envelope.digest,
      isolation: envelope.isolation,
    });
  } catch (error) {
    const refused = refusalOf(error);
    return textOf(
      refused === undefined
        ? { type: 'result', result: failed(envelope) }
        : { type: 'refused', runner, ...refused },
    );
  }
  const answer = textOf({ type: 'result', result });
  if (Buffer.byteLength(answer) <= MAX_MESSAGE_BYTES) return answer;
  try {
    const body = await bodies.store(tenantToken(envelope.tenant), JSON.stringify(result));
    return textOf({ type: 'result', body });
  } catch (error) {
    return textOf({ type: 'result', result: notStored(envelope, error) });
  }
}

function textOf(reply: Reply): string {
  return JSON.stringify(reply);
}

/** The options of a call that a gateway admitted. */
function callOf(
  envelope: Envelope,
  signal: AbortSignal,
  reply: (answer: Reply) => void,
): { readonly callId: string; readonly options: CallOptions } {
  const { call, tenant, timeoutMs, context, incomplete, unattended, dryRun, record } = envelope;
  return {
    callId: call,
    options: {
      signal,
      timeoutMs,
      ...(tenant === undefined ? {} : { tenant }),
      ...(context === undefined ? {} : { context }),
      ...(incomplete === undefined ? {} : { incomplete }),
      ...(unattended === undefined ? {} : { unattended }),
      ...(dryRun === undefined ? {} : { dryRun }),
      ...(record === undefined ? {} : { record }),
      ...(envelope.watched === true
        ? {
            onOutput: (chunk: string) => {
              for (let at = 0; at < chunk.length; at += MAX_OUTPUT) {
                reply({ type: 'output', text: chunk.slice(at, at + MAX_OUTPUT) });
              }
            },
            onProgress: (progress) => reply({ type: 'progress', progress: { ...progress } }),
          }
        : {}),
    },
  };
}

/** Why the call did not begin; `undefined`: it may have begun. */
function refusalOf(error: unknown): RefusedCall | undefined {
  if (isBulkheadError(error, 'FLEET_FAILED')) {
    return { reason: error.details.reason, message: error.message };
  }
  if (!isBulkheadError(error)) return undefined;
  const { code, message } = error;
  switch (code) {
    case 'NOT_LOCKED':
    case 'POLICY_DENIED':
    case 'PLUGIN_INACTIVE':
    case 'STOPPED':
      return { reason: code, message };
    // The gateway has checked these, so the runner has another catalog or other limits.
    case 'TOOL_NOT_FOUND':
    case 'INVALID_INPUT':
    case 'INVALID_OPTIONS':
    case 'ENGINE_CLOSED':
      return { reason: 'grant', message };
    default:
      return undefined;
  }
}

/** A fault of the runner: the call may have had effects, so no other runner may take it. */
function failed({ call, tool }: Envelope): CallResult {
  return errorOf(
    call,
    'CALL_UNKNOWN',
    `${tool} failed on the runner for a reason of the runner's own. It may have run.`,
  );
}

/** The call has run, and its result does not reach the gateway. */
function notStored({ call, tool }: Envelope, cause: unknown): CallResult {
  const why = cause instanceof BulkheadError ? cause.message : messageOf(cause);
  return errorOf(
    call,
    'RESULT_TOO_LARGE',
    `${tool} ran, and its result is too large to be passed on: ${why}`,
  );
}

function errorOf(callId: string, code: ErrorCode, text: string): CallResult {
  return { callId, isError: true, content: [{ type: 'text', text }], code, durationMs: 0 };
}
