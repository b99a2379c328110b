import { type Approval, makeApproval } from '../../src/approval/approval.js';
import type { ApprovalRequest, Approver } from '../../src/approval/approver.js';
import type { Question } from '../../src/approval/question.js';
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

/** Approval with everything that was asked and told. */
export function open(
  approve: Approver | undefined,
  { rules = makeRuleBook(), timeoutMs = 60_000 }: { rules?: RuleBook; timeoutMs?: number } = {},
): {
  readonly approval: Approval;
  readonly asked: ApprovalRequest[];
  readonly events: BulkheadEvent[];
  readonly rules: RuleBook;
} {
  const asked: ApprovalRequest[] = [];
  const events: BulkheadEvent[] = [];
  const bus = makeEventBus(Date.now);
  bus.on((event) => events.push(event));
  const noting: Approver = (request) => {
    asked.push(request);
    return (approve ?? fail)(request);
  };
  const approval = makeApproval({
    approve: approve && noting,
    rules,
    events: bus,
    timeoutMs,
    now: Date.now,
  });
  return { approval, asked, events, rules };
}

function fail(): never {
  throw new Error('nobody is asked');
}
