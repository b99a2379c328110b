/** Approvals: rules that decide without a question, and questions that wait for an answer. */
export type { ApprovalChannel, ApproverKind } from '../approval-events.js';
export { openRules } from '../engine/node/rule-file.js';
export {
  type Answer,
  type ApprovalRequest,
  type Approver,
  type HeldRequest,
  type StoredQuestion,
  type Verdict,
} from '../approval/approver.js';
export type { ApprovalEntry, ApprovalState, StoredAnswer } from '../approval/store.js';
export type { ApprovalAnswer, StoredApprovals } from '../approval/stored-approvals.js';
export { openApprovals } from '../engine/node/open-approvals.js';
export type {
  AnsweredQuestion,
  ApprovalListeners,
  ApprovalOptions,
  Approvals,
} from '../engine/approvals.js';
export { type Condition, type Rule, sentenceOf } from '../approval/rule.js';
export type { RuleBook } from '../approval/rule-book.js';
