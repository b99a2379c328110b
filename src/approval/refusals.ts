import { BulkheadError } from '../errors.js';
import type { Decision } from './decide.js';
import type { Question } from './question.js';
import { sentenceOf } from './sentence.js';

/** Every sentence with which a question is answered by a no. A model reads them, and a caller. */
export const refusals = {
  nobody: (question: Question): BulkheadError<'APPROVAL_REQUIRED'> =>
    new BulkheadError(
      'APPROVAL_REQUIRED',
      `${what(question)} asks first (${question.why}), and there is nobody to ask. Give createEngine an \`approve\` function, or approve on the command line with --yes.`,
      { tool: question.id },
    ),

  unattended: (question: Question): BulkheadError<'APPROVAL_REQUIRED'> =>
    new BulkheadError(
      'APPROVAL_REQUIRED',
      `${what(question)} asks first (${question.why}), and nobody attends this run. A rule that allows it, or a run that somebody attends, would let it through.`,
      { tool: question.id },
    ),

  denied: (question: Question, reason: string | undefined): BulkheadError<'APPROVAL_DENIED'> =>
    new BulkheadError(
      'APPROVAL_DENIED',
      `${what(question)} was not approved${reason === undefined ? '' : `: ${reason}`}.`,
      { tool: question.id, ...(reason === undefined ? {} : { reason }) },
    ),

  byRule: (question: Question, { rule }: Decision): BulkheadError<'APPROVAL_DENIED'> => {
    const reason = rule.reason ?? sentenceOf(rule);
    return new BulkheadError(
      'APPROVAL_DENIED',
      `${what(question)} is denied by rule ${rule.id} (${reason}). To take the rule back: bulkhead rules remove ${rule.id}.`,
      { tool: question.id, reason },
    );
  },

  late: (question: Question, timeoutMs: number): BulkheadError<'APPROVAL_TIMEOUT'> =>
    new BulkheadError(
      'APPROVAL_TIMEOUT',
      `${what(question)} was not approved: nobody answered within ${Math.round(timeoutMs / 1000)} s. It was not refused either: ask the person before calling again.`,
      { tool: question.id, timeoutMs },
    ),

  givenUp: (question: Question): BulkheadError<'CANCELLED'> =>
    new BulkheadError('CANCELLED', `The call of ${question.id} was cancelled.`, {}),
};

function what({ id, effect }: Question): string {
  return effect === undefined ? id : `What ${id} is about to send (${effect.method} ${effect.url})`;
}
