import type { Answerer } from '../approval-events.js';
import type { Answer, ApprovalRequest, Approver, Verdict } from './approver.js';
import type { Rule } from './rule.js';
import { messageOf } from '../errors.js';

/** Whether a verdict approves. Any other value denies, because the host may not be type-checked. */
export function isConsent(verdict: unknown): verdict is Verdict {
  return verdict === 'once' || verdict === 'session' || verdict === 'always';
}

/** The approver's answer. Never rejects: an approver that throws denies. */
export async function answerOf(approve: Approver, request: ApprovalRequest): Promise<Answer> {
  try {
    const answer: unknown = await approve(request);
    // A copy: each member of the host's object is read once, here.
    if (isAnswer(answer)) return { ...answer };
    return isConsent(answer) ? { verdict: answer } : { verdict: 'deny' };
  } catch (error) {
    // An exception is not an approval.
    // guard: failed-approver-denies
    return { verdict: 'deny', reason: messageOf(error) };
  }
}

const APPROVERS: ReadonlySet<unknown> = new Set(['person', 'flag', 'program']);
const CHANNELS: ReadonlySet<unknown> = new Set(['terminal', 'command-line', 'http', 'mcp', 'host']);

/** Who answered. An answer that does not say that a person gave it counts as a program's. */
export function answererOf({ approver = 'program', channel = 'host', by }: Answer): Answerer {
  return {
    // guard: unnamed-approver-is-program
    approver: APPROVERS.has(approver) ? approver : 'program',
    channel: CHANNELS.has(channel) ? channel : 'host',
    ...(typeof by === 'string' ? { by: by.slice(0, MAX_NAME_CHARACTERS) } : {}),
  };
}

const MAX_NAME_CHARACTERS = 200;

/** A rule as the one who answered. */
export function ruleAnswerer({ id, by }: Rule): Answerer & { readonly rule: string } {
  return { approver: 'rule', channel: 'rules', rule: id, ...(by === undefined ? {} : { by }) };
}

function isAnswer(value: unknown): value is Answer {
  return typeof value === 'object' && value !== null && 'verdict' in value;
}
