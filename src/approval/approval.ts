import { createHash } from 'node:crypto';
import type { Json } from '../../sandbox/wire/messages.js';
import { BulkheadError } from '../errors.js';
import type { ApprovalRequest, Approver, Verdict } from './approver.js';

export interface Question {
  readonly callId: string;
  readonly plugin: string;
  readonly tool: string;
  /** `plugin:tool`, for messages. */
  readonly id: string;
  readonly title: string;
  /** Hash of the bundle that would run. */
  readonly bundle: string;
  /** The input as it will cross: what is approved is what runs. */
  readonly inputText: string;
  readonly why: string;
  readonly signal: AbortSignal;
}

/** Asks before a tool runs, and remembers what somebody said for longer than one call. */
export interface Approval {
  /** Resolves where the call may run. Rejects `APPROVAL_REQUIRED` or `APPROVAL_DENIED`. */
  ask(question: Question): Promise<void>;
}

/**
 * Approval by whoever the host put in charge; without anybody, every question is a no. `session`
 * and `always` hold for that tool of that very bundle for as long as the engine lives.
 */
export function makeApproval(approve: Approver | undefined): Approval {
  const remembered = new Set<string>();
  return {
    ask: async (question) => {
      const rule = `${question.bundle} ${question.tool}`;
      if (remembered.has(rule)) return;
      if (approve === undefined) throw nobodyToAsk(question);
      const { verdict, reason } = await verdictOf(approve, requestOf(question));
      // Anything but a word of consent is a no, also from a host that is not type-checked.
      if (verdict === 'session' || verdict === 'always') remembered.add(rule);
      else if (verdict !== 'once') throw refused(question, reason);
    },
  };
}

function copyOf(text: string): Json {
  const copy: Json = JSON.parse(text);
  return copy;
}

function requestOf(question: Question): ApprovalRequest {
  const { bundle, inputText, id: _id, ...rest } = question;
  return {
    ...rest,
    // A copy of its own: an approver that changes it changes nothing that runs.
    input: copyOf(inputText),
    digest: createHash('sha256')
      .update(JSON.stringify([bundle, question.tool, inputText]))
      .digest('hex'),
  };
}

async function verdictOf(
  approve: Approver,
  request: ApprovalRequest,
): Promise<{ readonly verdict: Verdict; readonly reason?: string }> {
  try {
    const answer = await approve(request);
    return typeof answer === 'string' ? { verdict: answer } : answer;
  } catch (error) {
    // An approver that breaks has not said yes.
    return { verdict: 'deny', reason: error instanceof Error ? error.message : String(error) };
  }
}

function nobodyToAsk({ id, why }: Question): BulkheadError {
  return new BulkheadError(
    'APPROVAL_REQUIRED',
    `${id} asks before it runs (${why}), and there is nobody to ask. Give createEngine an \`approve\` function, or approve on the command line with --yes.`,
    { tool: id },
  );
}

function refused({ id }: Question, reason: string | undefined): BulkheadError {
  return new BulkheadError(
    'APPROVAL_DENIED',
    `${id} was not approved${reason === undefined ? '' : `: ${reason}`}.`,
    { tool: id, ...(reason === undefined ? {} : { reason }) },
  );
}
