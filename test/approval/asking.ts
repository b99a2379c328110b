import type { Approval } from '../../src/approval/approval-api.js';
import { makeApproval } from '../../src/approval/approval.js';
import type { ApprovalRequest, Approver } from '../../src/approval/approver.js';
import type { Question } from '../../src/approval/question.js';
import {
  type ApprovalFiles,
  type ApprovalStore,
  makeMemoryFiles,
  openApprovalStore,
} from '../../src/approval/store.js';
import { makeRuleBook, type RuleBook } from '../../src/approval/rule-book.js';
import { type BulkheadEvent, makeEventBus } from '../../src/events.js';

export const question = (changed: Partial<Question> = {}): Question => ({
  kind: 'call',
  callId: 'c1',
  plugin: 'notes',
  version: '1.0.0',
  tool: 'remove',
  id: `notes:${changed.tool ?? 'remove'}`,
  title: 'Remove a note',
  bundle: 'sha512-a',
  inputText: '{"path":"a.md"}',
  risk: 'medium',
  riskWhy: 'its author declares it medium',
  why: 'its manifest requires it',
  attended: true,
  signal: new AbortController().signal,
  ...changed,
});

/** An `Approval` that collects its requests and events. */
export function open(
  approve: Approver | undefined,
  {
    rules = makeRuleBook(),
    timeoutMs = 60_000,
    expiryMs = 600_000,
    files = makeMemoryFiles(),
    now = Date.now,
  }: {
    rules?: RuleBook;
    timeoutMs?: number;
    expiryMs?: number;
    files?: ApprovalFiles;
    now?: () => number;
  } = {},
): {
  readonly store: ApprovalStore;
  readonly approval: Approval;
  readonly asked: ApprovalRequest[];
  readonly events: BulkheadEvent[];
  readonly rules: RuleBook;
} {
  const asked: ApprovalRequest[] = [];
  const events: BulkheadEvent[] = [];
  const bus = makeEventBus(Date.now);
  bus.on((event) => events.push(event));
  const recordingApprover: Approver = (request) => {
    asked.push(request);
    return (approve ?? fail)(request);
  };
  const store = openApprovalStore(files, now);
  const approval = makeApproval({
    approve: approve && recordingApprover,
    rules,
    store,
    events: bus,
    timeoutMs,
    expiryMs,
    now,
  });
  return { approval, asked, events, rules, store };
}

function fail(): never {
  throw new Error('the approver must not be called');
}
