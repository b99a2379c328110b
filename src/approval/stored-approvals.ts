import { BulkheadError } from '../errors.js';
import type { Answer, StoredQuestion } from './approver.js';
import type { ApprovalEntry, ApprovalStore } from './store.js';

/**
 * Stored questions and their answers. The methods trust their caller: call `answer` only after you have
 * authenticated the person or program that answers, and never with the credential that calls tools.
 */
export interface StoredApprovals {
  /** The questions that can be answered, oldest first. Default: of all tenants. */
  list(filter?: { readonly tenant?: string }): readonly StoredQuestion[];
  /**
   * A question with its answer and its state. `undefined` if the id is unknown. Ended questions are
   * removed an hour after their expiry.
   */
  get(approvalId: string): ApprovalEntry | undefined;
  /**
   * The question that was asked with that reference, with its answer and its state. If there are
   * several: the one with that digest, else the newest. `tenant`: as in the call. A reference is a
   * pointer, e.g. the id that a model gave to a call. It approves nothing.
   */
  find(wanted: ApprovalReference): ApprovalEntry | undefined;
  /**
   * Answers a question. Only the first answer counts. Rejects with `APPROVAL_INVALID` if the question is
   * unknown, answered, spent or expired, does not offer the verdict, or has another digest than the
   * given one. Rejects with `INVALID_OPTIONS` without `by`.
   */
  answer(approvalId: string, answer: ApprovalAnswer): Promise<void>;
  /** Ends a question or an unused approval. Resolves with whether it was open. */
  withdraw(approvalId: string): Promise<boolean>;
}

/** An answer to a stored question. */
export interface ApprovalAnswer extends Answer {
  /** Who answers: the name of the person or program that the host authenticated. */
  readonly by: string;
  /** The digest of the question that was displayed. Default: not compared. */
  readonly digest?: string;
}

/** Names a question by the caller's own id of the call. */
export interface ApprovalReference {
  readonly reference: string;
  readonly tenant?: string;
  readonly digest?: string;
}

type Record = ApprovalStore['answer'];

/** `record` stores an answer. Default: only in the store. */
export function makeStoredApprovals(
  store: ApprovalStore,
  record: Record = (approvalId, answer, digest) => store.answer(approvalId, answer, digest),
): StoredApprovals {
  return {
    list: ({ tenant } = {}) =>
      store.pending().filter((question) => tenant === undefined || question.tenant === tenant),
    get: (approvalId) => store.find(approvalId),
    find: ({ reference, tenant, digest }) => {
      // guard: reference-bound-to-tenant
      const isOwn = (question: StoredQuestion): boolean => question.tenant === tenant;
      const found = store.findAll((one) => one.reference === reference && isOwn(one));
      return found.find(({ question }) => question.digest === digest) ?? found[0];
    },
    answer: async (approvalId, { digest, ...answer }) => {
      // guard: answer-needs-name
      if (typeof answer.by !== 'string' || answer.by.trim() === '') throw unnamed();
      record(approvalId, answer, digest);
    },
    withdraw: async (approvalId) => {
      const { state } = store.find(approvalId) ?? {};
      if (state !== 'pending' && state !== 'approved') return false;
      return store.end(approvalId, 'withdrawn');
    },
  };
}

function unnamed(): BulkheadError<'INVALID_OPTIONS'> {
  return new BulkheadError(
    'INVALID_OPTIONS',
    'An answer to an approval needs `by`: the name of the person or program that answers.',
    { option: 'by' },
  );
}
