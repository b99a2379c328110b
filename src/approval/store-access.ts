import { isBulkheadError } from '../errors.js';
import type { StoredQuestion } from './approver.js';
import type { Question } from './question.js';
import { refusals } from './refusals.js';
import type { ApprovalStore } from './store.js';

/** Runs an access to the store. Throws `APPROVAL_DENIED` if it fails: a call needs a stored approval. */
export function stored<Result>(question: Question, access: () => Result): Result {
  try {
    return access();
  } catch (error) {
    throw isBulkheadError(error) ? error : refusals.notStored(question, error);
  }
}

/** Ends the questions and unused approvals that fit. */
export function withdrawStored(
  store: ApprovalStore,
  fits: (question: StoredQuestion) => boolean,
): void {
  for (const { question, state } of store.findAll(fits)) {
    if (state !== 'pending' && state !== 'approved') continue;
    try {
      store.end(question.approvalId, 'withdrawn');
    } catch {
      // The question expires. What it asks for is refused meanwhile.
    }
  }
}
