import type { RiskBand } from '../plugin/risk.js';
import type { Answer, StoredQuestion } from './approver.js';
import type { Question, SessionSubject } from './question.js';
import type { Decision, RuleCase } from './rule.js';

/** Decides questions by rules and by the approver, and remembers `session` and `always`. */
export interface Approval {
  /** The rules' decision about a call that is about to run. Throws `INVALID_RULES`. */
  ruled(about: RuleCase, risk: RiskBand): Decision | undefined;
  /**
   * Resolves with the digest of the approved subject. Rejects with `APPROVAL_DENIED` (by the approver or
   * a rule), `APPROVAL_REQUIRED` (no approver), `APPROVAL_TIMEOUT`, `CANCELLED` and `INVALID_RULES`.
   * Emits an event in each case.
   */
  ask(question: Question): Promise<string>;
  /** Whether an earlier answer for the whole session approves this question. */
  remembers(question: Question): boolean;
  /**
   * Stores a question that no call waits for, and returns its id. If the same question with the same
   * reference is pending or approved, returns the id of that question.
   */
  request(question: Question): string;
  /**
   * Spends an approval for exactly this question, and returns the digest. An approval is spent once, by
   * one process. Throws `APPROVAL_INVALID`, `APPROVAL_REQUIRED` (not answered yet), `APPROVAL_DENIED`,
   * `APPROVAL_TIMEOUT` (expired) and `INVALID_RULES`.
   */
  spend(approvalId: string, question: Question): string;
  /** Records an answer. Throws `APPROVAL_INVALID`. */
  answer(approvalId: string, answer: Answer & { readonly by: string }, digest?: string): void;
  /** Calls the listener with each new question. While there is a listener, calls wait for answers. */
  onRequest(listener: (question: StoredQuestion) => void): () => void;
  /** Whether the host answers: it has an approver, or a listener to new questions. */
  attended(): boolean;
  /** Ends the waits, the questions, the unused approvals and the session answers that fit, for that reason. */
  withdraw(fits: (of: SessionSubject) => boolean, why: Error): void;
  /** Ends the waits of calls. Their questions can still be answered. */
  close(): void;
}
