import { createHash, randomUUID } from 'node:crypto';
import type {
  CallToolResult,
  InputRequests,
  InputRequiredResult,
  RequestStateCodec,
  ServerContext,
} from '@modelcontextprotocol/server';
import { isJsonObject } from '../../../sandbox/wire/json.js';
import type { JsonObject } from '../../../sandbox/wire/messages.js';
import { canonicalJson } from '../../canonical.js';
import type { CallResult } from '../../engine/types/result.js';
import { toSdkType } from '../../plugin/mcp-source.js';
import type { AnswerState, McpSdk } from './elicitation.js';

/**
 * Calls of clients of the current version, in which a server sends no requests. If a running call asks its client,
 * the request is answered with the question, and the call waits. The client repeats the request with its answer,
 * and gets the result, or the next question.
 */
export interface ParkedCalls {
  /** Runs a call until it ends, or asks. `run` gets the call's own view of its client. */
  start(spec: CallOfClient, run: (live: LiveCall) => Promise<CallResult>): Promise<CallStep>;
  /** Continues the call that the request's state names. Throws if it waits no more, or is another client's. */
  resume(id: string, spec: CallOfClient): Promise<CallStep>;
  /** Ends all calls that wait. */
  close(): void;
}

export interface CallOfClient {
  readonly tool: string;
  readonly input: unknown;
  readonly context: ServerContext;
}

/** A running call, for which one request of its client after the other is open. */
export interface LiveCall {
  /** The last request. Its answer may have been sent. */
  readonly context: () => ServerContext;
  /** Aborts when the client cancels its request, or does not answer a question in time. */
  readonly signal: AbortSignal;
  /** Asks the client. Rejects if it does not answer. */
  ask(method: AskedMethod, params: JsonObject, signal: AbortSignal): Promise<JsonObject>;
}

export type AskedMethod = 'elicitation/create' | 'sampling/createMessage';

export type CallStep =
  | { readonly result: CallResult }
  | { readonly answer: InputRequiredResult | CallToolResult };

/** Calls that wait at once. */
const MAX_PARKED = 256;
/** Milliseconds in which the client answers. */
const ANSWER_MS = 600_000;

interface Pending {
  readonly method: AskedMethod;
  readonly params: JsonObject;
  readonly resolve: (answer: JsonObject) => void;
  readonly reject: (error: Error) => void;
}

interface Parked {
  /** What the repeated request has to have in common with the first. */
  readonly same: string;
  readonly result: Promise<CallResult>;
  readonly questions: Map<string, Pending>;
  readonly controller: AbortController;
  context: ServerContext;
  /** Called when there is a question. */
  onQuestion: () => void;
  expiry: NodeJS.Timeout | undefined;
}

export function makeParkedCalls(mcp: McpSdk, codec: RequestStateCodec<AnswerState>): ParkedCalls {
  const parked = new Map<string, Parked>();
  let asked = 0;

  /** Waits for the next question or the result, while the request of the client is open. */
  const next = async (call: Parked): Promise<CallStep> => {
    const { context, controller, questions, result } = call;
    const { signal } = context.mcpReq;
    const cancel = (): void => controller.abort();
    signal.addEventListener('abort', cancel);
    if (signal.aborted) cancel();
    const question = new Promise<undefined>((resolve) => {
      call.onQuestion = () => resolve(undefined);
      if (questions.size > 0) resolve(undefined);
    });
    try {
      const ended = await Promise.race([result, question]);
      if (ended !== undefined) return { result: ended };
    } finally {
      signal.removeEventListener('abort', cancel);
    }
    const id = randomUUID();
    // guard: mcp-parked-calls-capped
    if (parked.size >= MAX_PARKED) {
      refuse(call, 'too many clients are asked');
      return next(call);
    }
    parked.set(id, call);
    call.expiry = setTimeout(() => {
      parked.delete(id);
      refuse(call, 'the client did not answer');
      controller.abort();
    }, ANSWER_MS);
    call.expiry.unref();
    const inputRequests: InputRequests = toSdkType(
      Object.fromEntries(
        [...questions].map(([key, { method, params }]) => [key, { method, params }]),
      ),
    );
    return {
      answer: mcp.inputRequired({
        inputRequests,
        requestState: await codec.mint({ call: id }, context),
      }),
    };
  };

  return {
    start: (spec, run) => {
      const controller = new AbortController();
      const questions = new Map<string, Pending>();
      const live: LiveCall = {
        context: () => call.context,
        signal: controller.signal,
        ask: (method, params, signal) => {
          const key = `ask${(asked += 1)}`;
          return new Promise<JsonObject>((resolve, reject) => {
            const withdraw = (): void => reject(new Error('the question was withdrawn'));
            if (signal.aborted) return withdraw();
            signal.addEventListener('abort', withdraw, { once: true });
            questions.set(key, { method, params, resolve, reject });
            call.onQuestion();
          }).finally(() => questions.delete(key));
        },
      };
      const call: Parked = {
        same: sameOf(spec),
        // After a tick, so that the call is complete before it can ask.
        result: Promise.resolve().then(() => run(live)),
        questions,
        controller,
        context: spec.context,
        onQuestion: () => {},
        expiry: undefined,
      };
      // It may fail while no request is open.
      call.result.catch(() => {});
      return next(call);
    },
    resume: async (id, spec) => {
      const call = parked.get(id);
      // guard: mcp-parked-call-bound
      if (call === undefined || call.same !== sameOf(spec)) {
        throw new mcp.ProtocolError(
          mcp.ProtocolErrorCode.InvalidParams,
          'This call waits no more. Send it again, without its state',
        );
      }
      parked.delete(id);
      clearTimeout(call.expiry);
      call.context = spec.context;
      const { inputResponses } = spec.context.mcpReq;
      for (const [key, { method, resolve, reject }] of call.questions) {
        const answer = readAnswer(method, mcp.inputResponse(inputResponses, key));
        if (answer === undefined) reject(new Error('the client gave no answer'));
        else resolve(answer);
      }
      // What was answered is no question of the next step.
      call.questions.clear();
      return next(call);
    },
    close: () => {
      for (const call of parked.values()) {
        clearTimeout(call.expiry);
        call.controller.abort();
      }
      parked.clear();
    },
  };
}

/** Ends the questions of a call. None of them is a question of its next step. */
function refuse({ questions }: Parked, why: string): void {
  for (const { reject } of questions.values()) reject(new Error(why));
  questions.clear();
}

/** Tool, input and credential, as one hash. */
function sameOf({ tool, input, context }: CallOfClient): string {
  const owner = context.http?.req?.headers.get('authorization') ?? '';
  return createHash('sha256')
    .update(canonicalJson([tool, input, owner]))
    .digest('hex');
}

function readAnswer(
  method: AskedMethod,
  view: ReturnType<McpSdk['inputResponse']>,
): JsonObject | undefined {
  if (method === 'elicitation/create' && view.kind === 'elicit') {
    const { action, content } = view;
    const answer: unknown = content === undefined ? { action } : { action, content };
    return isJsonObject(answer) ? answer : undefined;
  }
  const result: unknown = view.kind === 'sampling' ? view.result : undefined;
  return method === 'sampling/createMessage' && isJsonObject(result) ? result : undefined;
}
