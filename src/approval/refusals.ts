import { BulkheadError } from '../errors.js';
import type { Question } from './question.js';
import { type Decision, sentenceOf } from './rule.js';

/** The messages of every refusal. The model and the caller read them. */
export const refusals = {
  noApprover: (question: Question): BulkheadError<'APPROVAL_REQUIRED'> =>
    new BulkheadError(
      'APPROVAL_REQUIRED',
      `${subject(question)} needs approval (${question.why}), and the engine does not have an approver. Pass an \`approve\` function to createEngine, or request an approval with engine.approvals.request. On the command line, use --yes.`,
      { tool: question.id },
    ),

  unattended: (question: Question): BulkheadError<'APPROVAL_REQUIRED'> =>
    new BulkheadError(
      'APPROVAL_REQUIRED',
      `${subject(question)} needs approval (${question.why}), and this run is unattended. Add a rule that allows it, or start an attended run.`,
      { tool: question.id },
    ),

  denied: (question: Question, reason: string | undefined): BulkheadError<'APPROVAL_DENIED'> =>
    new BulkheadError(
      'APPROVAL_DENIED',
      `${subject(question)} was not approved${reason === undefined ? '' : `: ${reason}`}.`,
      { tool: question.id, ...(reason === undefined ? {} : { reason }) },
    ),

  byRule: (question: Question, { rule }: Decision): BulkheadError<'APPROVAL_DENIED'> => {
    const reason = rule.reason ?? sentenceOf(rule);
    return new BulkheadError(
      'APPROVAL_DENIED',
      `${subject(question)} is denied by rule ${rule.id} (${reason}). To remove the rule, run \`bulkhead rules remove ${rule.id}\`.`,
      { tool: question.id, reason },
    );
  },

  timedOut: (
    question: Question,
    timeoutMs: number,
    approval?: string,
  ): BulkheadError<'APPROVAL_TIMEOUT'> =>
    new BulkheadError(
      'APPROVAL_TIMEOUT',
      `${subject(question)} was not approved: the approver did not answer within ${Math.round(timeoutMs / 1000)} s. It was not denied. ${approval === undefined ? 'Ask the approver before you call again.' : `The question ${approval} can still be answered. Ask the approver, then call again with that approval.`}`,
      { tool: question.id, timeoutMs, ...(approval === undefined ? {} : { approval }) },
    ),

  expired: (question: Question, expiryMs: number): BulkheadError<'APPROVAL_TIMEOUT'> =>
    new BulkheadError(
      'APPROVAL_TIMEOUT',
      `${subject(question)} did not run: its approval has expired. It was not denied. Request a new approval.`,
      { tool: question.id, timeoutMs: expiryMs },
    ),

  unanswered: (question: Question, approval: string): BulkheadError<'APPROVAL_REQUIRED'> =>
    new BulkheadError(
      'APPROVAL_REQUIRED',
      `${subject(question)} needs approval, and the question ${approval} is not answered yet. Call again when the approver has answered it.`,
      { tool: question.id },
    ),

  notStored: (question: Question, cause: unknown): BulkheadError<'APPROVAL_DENIED'> => {
    const reason = `the approval cannot be stored: ${cause instanceof Error ? cause.message : String(cause)}`;
    return new BulkheadError(
      'APPROVAL_DENIED',
      `${subject(question)} was not approved: ${reason}. Check the storage directory of the engine.`,
      { tool: question.id, reason },
      { cause },
    );
  },

  closed: (question: Question): BulkheadError<'ENGINE_CLOSED'> =>
    new BulkheadError(
      'ENGINE_CLOSED',
      `${subject(question)} did not run: the engine was closed before the approver answered.`,
      {},
    ),

  cancelled: (question: Question): BulkheadError<'CANCELLED'> =>
    new BulkheadError('CANCELLED', `The call of ${question.id} was cancelled.`, {}),
};

function subject({ id, effect }: Question): string {
  return effect === undefined ? id : `The request ${effect.method} ${effect.url} of ${id}`;
}
