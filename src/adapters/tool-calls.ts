import { createHash } from 'node:crypto';
import type { StoredQuestion } from '../approval/approver.js';
import type { ApprovalEntry } from '../approval/store.js';
import { invalidApproval } from '../approval/store.js';
import type { ApprovalAnswer } from '../approval/stored-approvals.js';
import type { CatalogTool } from '../catalog/catalog.js';
import type { CallDecision } from '../engine/call/admission.js';
import type { Engine } from '../engine/engine-api.js';
import type { CallOptions } from '../engine/types/options.js';
import { callForModel, errorResult, type ModelResult } from './models.js';
import { offeredTool, type OfferedTool, servedTools } from './served.js';
import { CALL_TOOL, innerCall, runSearch, SEARCH_TOOLS, wideTools } from './wide-catalog.js';

/** Options of an adapter. They apply to each of its calls. */
export interface AdapterOptions extends Pick<
  CallOptions,
  'tenant' | 'policy' | 'unattended' | 'context' | 'timeoutMs'
> {
  /** The names of the tools that the model gets; `*` stands for any text. Default: all. */
  readonly tools?: readonly string[];
  /** Who asks for approvals, for the approver and the audit log. Default: none. */
  readonly asker?: string;
  /**
   * What pauses for an approval. `framework`: the framework's own approval; the call runs when the
   * stored question is answered. `engine`: the call waits for the engine's `approve` function, or for a
   * listener to `engine.approvals`. Default: `framework`.
   */
  readonly approvals?: 'framework' | 'engine';
  /**
   * If there are more tools, the model gets `search_tools` and `call_tool` in their place. Providers
   * limit the number of tools, and models choose worse among many. Default: 100.
   */
  readonly maxTools?: number;
}

/** A call of a model: the id that the model gave to it, or its tool and input, perhaps with the id. */
export type CallReference =
  | string
  | { readonly toolName: string; readonly input: unknown; readonly id?: string };

/** The questions behind a framework's approvals. */
export interface AdapterApprovals {
  /** The question about a call: what to display, with its `approvalId` and `digest`. */
  question(call: CallReference): StoredQuestion | undefined;
  /**
   * Answers the question about a call. Call it only after you have authenticated the person who
   * answers. Rejects with `APPROVAL_INVALID`, and with `INVALID_OPTIONS` without `by`.
   */
  answer(call: CallReference, answer: ApprovalAnswer): Promise<void>;
}

/** Everything that an adapter does with an engine. */
export interface ToolCalls extends AdapterApprovals {
  /** The tools as they are now. */
  list(): readonly OfferedTool[];
  /** Why the policies or a rule deny a call; `undefined` if they do not. */
  denial(call: ModelCall): string | undefined;
  /** Stores the question about a call that needs approval. `undefined` if the call needs none. */
  ask(call: ModelCall): Promise<StoredQuestion | undefined>;
  /** Asks like `ask`, and waits until the question is answered or ends, or the signal aborts. */
  hold(call: ModelCall, signal: AbortSignal | null | undefined): Promise<void>;
  /** Runs a call. If it needs approval, it spends the answered question that `ask` stored. */
  run(call: ModelCall, options?: RunOptions): Promise<ModelResult>;
}

export interface ModelCall {
  readonly name: string;
  readonly input: unknown;
  /** The id that the model gave to the call. Without it, the same input is the same call. */
  readonly id?: string | undefined;
}

export interface RunOptions extends Pick<CallOptions, 'onOutput' | 'onProgress'> {
  readonly signal?: AbortSignal | null | undefined;
}

const DEFAULT_MAX_TOOLS = 100;

/** `framework` is part of the references: equal ids of two frameworks are not the same call. */
export function makeToolCalls(
  engine: Engine,
  framework: string,
  options: AdapterOptions = {},
): ToolCalls {
  const { tools: patterns, asker, approvals = 'framework', maxTools = DEFAULT_MAX_TOOLS } = options;
  const { tenant, policy, unattended, context, timeoutMs } = options;
  const forQuestion = {
    ...(tenant === undefined ? {} : { tenant }),
    ...(policy === undefined ? {} : { policy }),
    ...(context === undefined ? {} : { context }),
  };
  const forCall = { ...forQuestion, ...(unattended === undefined ? {} : { unattended }) };
  const served = servedTools(engine.catalog, patterns);
  const pauses =
    approvals === 'framework' && unattended !== true && context?.['isInteractive'] !== false;

  const available = (): readonly CatalogTool[] => {
    const tools = engine.availableTools(forCall);
    return patterns === undefined
      ? tools
      : tools.filter(({ name }) => served.find(name) !== undefined);
  };
  const isWide = (): boolean => available().length > maxTools;

  /** The call that the engine runs. `undefined` if the model named no tool. */
  const resolve = (call: ModelCall): ModelCall | undefined => {
    if (call.name !== CALL_TOOL || !isWide()) return call;
    const inner = innerCall(call.input);
    return inner === undefined ? undefined : { ...inner, id: call.id };
  };

  /** `undefined` if the call is wrong. The call itself reports why. */
  const decide = ({ name, input }: ModelCall): CallDecision | undefined => {
    if (served.find(name) === undefined) return undefined;
    try {
      return engine.previewCall(name, input, forCall);
    } catch {
      return undefined;
    }
  };

  const referenceOf = (id: string | undefined, digest: string | undefined): string => {
    if (id === undefined) return `${framework} input ${digest ?? ''}`;
    const isLong = id.length > MAX_ID_CHARACTERS;
    return `${framework} ${isLong ? createHash('sha256').update(id).digest('hex') : id}`;
  };

  const find = (id: string | undefined, digest: string | undefined): ApprovalEntry | undefined =>
    engine.approvals.find({
      reference: referenceOf(id, digest),
      ...(tenant === undefined ? {} : { tenant }),
      ...(digest === undefined ? {} : { digest }),
    });

  const findReferred = (reference: CallReference): ApprovalEntry | undefined => {
    if (typeof reference === 'string') return find(reference, undefined);
    const { toolName: name, input, id } = reference;
    const call = resolve({ name, input });
    const digest = call === undefined ? undefined : decide(call)?.digest;
    if (digest === undefined) return undefined;
    const entry = find(id, digest);
    // guard: answer-for-displayed-call
    return entry?.question.digest === digest ? entry : undefined;
  };

  const ask = async (
    given: ModelCall,
    { again = false }: { readonly again?: boolean } = {},
  ): Promise<StoredQuestion | undefined> => {
    const call = resolve(given);
    if (!pauses || call === undefined) return undefined;
    const decision = decide(call);
    if (decision?.verdict !== 'ask') return undefined;
    const known = find(call.id, decision.digest);
    const isSame = known?.question.digest === decision.digest;
    if (!again && isSame && known.state === 'denied') return known.question;
    const approvalId = await engine.approvals.request(call.name, call.input, {
      ...forQuestion,
      reference: referenceOf(call.id, decision.digest),
      ...(asker === undefined ? {} : { asker }),
    });
    return engine.approvals.get(approvalId)?.question;
  };

  return {
    ask: (call) => ask(call),
    list: () => {
      const tools = available();
      return tools.length > maxTools ? wideTools(tools.length) : tools.map(offeredTool);
    },
    denial: (given) => {
      const call = resolve(given);
      const decision = call === undefined ? undefined : decide(call);
      return decision?.verdict === 'deny' ? decision.reason : undefined;
    },
    hold: async (call, signal) => {
      // Without an id, a repeated call is a new one.
      const question = await ask(call, { again: call.id === undefined });
      if (question !== undefined) await answered(engine, question, signal);
    },
    run: async (given, { signal, ...listeners } = {}) => {
      if (given.name === SEARCH_TOOLS && isWide()) return runSearch(available(), given.input);
      const call = resolve(given);
      if (call === undefined) {
        return errorResult(`${CALL_TOOL} takes the name of a tool, and its input.`);
      }
      // guard: adapter-runs-offered-tools-only
      if (served.find(call.name) === undefined) {
        return errorResult(`The tool ${call.name.slice(0, 200)} is not offered here.`);
      }
      const decision = pauses ? decide(call) : undefined;
      const entry = decision?.verdict === 'ask' ? find(call.id, decision.digest) : undefined;
      return callForModel(engine, call.name, call.input, {
        ...forCall,
        ...listeners,
        ...(timeoutMs === undefined ? {} : { timeoutMs }),
        ...(signal === undefined || signal === null ? {} : { signal }),
        ...(entry === undefined ? {} : { approval: entry.question.approvalId }),
      });
    },
    question: (reference) => findReferred(reference)?.question,
    answer: async (reference, answer) => {
      const entry = findReferred(reference);
      if (entry === undefined) throw invalidApproval('', 'unknown', 'does not exist');
      await engine.approvals.answer(entry.question.approvalId, answer);
    },
  };
}

/** Longer ids are hashed. */
const MAX_ID_CHARACTERS = 200;

/** Another process may answer. */
const POLL_MS = 500;

/** Resolves when the question is answered or has ended, or when the signal aborts. */
function answered(
  engine: Engine,
  { approvalId }: StoredQuestion,
  signal: AbortSignal | null | undefined,
): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearInterval(poll);
      unsubscribe();
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const look = (): void => {
      if (engine.approvals.get(approvalId)?.state !== 'pending') end();
    };
    const poll = setInterval(look, POLL_MS);
    const unsubscribe = engine.approvals.on('answer', look);
    signal?.addEventListener('abort', end);
    if (signal?.aborted === true) end();
    else look();
  });
}
