import { randomUUID } from 'node:crypto';
import { isBulkheadError } from '../errors.js';
import type { EventBus } from '../events.js';
import type { RiskBand } from '../plugin/risk.js';
import type { Answer, ApprovalRequest, Approver, Verdict } from './approver.js';
import { decide, type Decision } from './decide.js';
import {
  aboutOf,
  caseOf,
  offersFor,
  prepare,
  type Prepared,
  type Question,
  requestOf,
  sessionKey,
} from './question.js';
import { refusals } from './refusals.js';
import { keepRule } from './keep-rule.js';
import type { RuleCase } from './rule.js';
import type { RuleBook } from './rule-book.js';

/** Asks before something happens, and remembers what somebody said for longer than once. */
export interface Approval {
  /** What the rules say of a call that is about to run. Throws `INVALID_RULES`. */
  ruled(about: RuleCase, risk: RiskBand): Decision | undefined;
  /**
   * Resolves with the digest of what was approved. Rejects `APPROVAL_DENIED` by a person or a rule,
   * `APPROVAL_REQUIRED` where there is nobody to ask, `APPROVAL_TIMEOUT`, `CANCELLED` and
   * `INVALID_RULES`. Tells its listeners either way.
   */
  ask(question: Question): Promise<string>;
}

export interface ApprovalSpec {
  readonly approve: Approver | undefined;
  readonly rules: RuleBook;
  readonly events: EventBus;
  /** How long a question waits for its answer. */
  readonly timeoutMs: number;
  readonly now: () => number;
}

/** How a question came to its yes. */
interface Given {
  readonly verdict: 'once' | 'session' | 'always';
  readonly approval?: string;
  readonly rule?: string;
  readonly by?: string;
}

/**
 * Approval by rules, by what was said earlier, and by whoever the host put in charge, in that order;
 * without anybody, every question is a no. `session` and `always` hold for that tool of that very
 * bundle: code that changed is asked about anew.
 */
export function makeApproval(spec: ApprovalSpec): Approval {
  const { approve, rules, events, timeoutMs, now } = spec;
  const remembered = new Set<string>();
  /** Questions that wait for an answer: what is said to one of them may answer others. */
  const waiting = new Set<() => void>();

  const settled = (question: Prepared): Given | undefined => {
    const decision = decide(rules.list(), caseOf(question), question.risk, now());
    if (decision?.verdict === 'deny') throw refusals.byRule(question, decision);
    if (decision?.verdict === 'allow') return { verdict: 'always', rule: decision.rule.id };
    // What is high somebody has to see each time, also where it was not when it was approved.
    if (decision !== undefined || question.risk === 'high') return undefined;
    return remembered.has(sessionKey(question)) ? { verdict: 'session' } : undefined;
  };

  const remember = (question: Prepared, answer: Answer): Given => {
    const who = answer.by === undefined ? {} : { by: answer.by };
    // What is high is approved once at most, whatever was said.
    if (!offersFor(question.risk).includes(answer.verdict)) return { verdict: 'once', ...who };
    if (answer.verdict === 'always') {
      const rule = keepRule(question, answer, rules, now());
      if (rule !== undefined) return { verdict: 'always', rule, ...who };
      return { verdict: 'once', ...who };
    }
    if (answer.verdict === 'session') {
      remembered.add(sessionKey(question));
      return { verdict: 'session', ...who };
    }
    return { verdict: 'once', ...who };
  };

  /** Whom a caller brought answers for this call alone. */
  const heed = (question: Prepared, answer: Answer): Given =>
    remember(question, approve === undefined ? { ...answer, verdict: 'once' } : answer);

  const askPerson = async (question: Prepared, approvalId: string): Promise<Given> => {
    if (!question.attended) throw refusals.unattended(question);
    const approver = approve ?? question.approve;
    if (approver === undefined) throw refusals.nobody(question);
    if (question.signal.aborted) throw refusals.givenUp(question);
    const askedAtMs = now();
    const end = new AbortController();
    const answered = new Promise<Given>((resolve, reject) => {
      const timer = setTimeout(() => reject(refusals.late(question, timeoutMs)), timeoutMs);
      const giveUp = (): void => reject(refusals.givenUp(question));
      const lookAgain = (): void => {
        try {
          const given = settled(question);
          if (given !== undefined) resolve(given);
        } catch (error) {
          reject(error);
        }
      };
      waiting.add(lookAgain);
      question.signal.addEventListener('abort', giveUp, { once: true });
      end.signal.addEventListener('abort', () => {
        clearTimeout(timer);
        waiting.delete(lookAgain);
        question.signal.removeEventListener('abort', giveUp);
      });
      events.emit({
        type: 'approval-asked',
        ...aboutOf(question),
        approval: approvalId,
        expiresAtMs: askedAtMs + timeoutMs,
      });
      const request = requestOf(question, { approvalId, askedAtMs, timeoutMs, signal: end.signal });
      answerOf(approver, request)
        .then((answer) => {
          // An answer that comes after the time, or after another, is nobody's.
          if (end.signal.aborted) return;
          if (!isConsent(answer.verdict)) reject(refusals.denied(question, answer.reason));
          else resolve({ ...heed(question, answer), approval: approvalId });
        })
        .catch(reject);
    });
    try {
      return await answered;
    } finally {
      end.abort();
    }
  };

  return {
    ruled: (about, risk) => decide(rules.list(), about, risk, now()),
    ask: async (asked) => {
      const question = prepare(asked);
      const approvalId = `apr_${randomUUID()}`;
      const began = now();
      try {
        const given = settled(question) ?? (await askPerson(question, approvalId));
        events.emit({
          type: 'approval-given',
          ...aboutOf(question),
          ...given,
          waitedMs: now() - began,
        });
        if (given.verdict !== 'once') for (const lookAgain of waiting) lookAgain();
        return question.digest;
      } catch (error) {
        events.emit({
          type: 'approval-refused',
          ...aboutOf(question),
          approval: approvalId,
          code: isBulkheadError(error) ? error.code : 'APPROVAL_DENIED',
          reason: error instanceof Error ? error.message : String(error),
          waitedMs: now() - began,
        });
        throw error;
      }
    },
  };
}

// Anything but a word of consent is a no, also from a host that is not type-checked.
function isConsent(verdict: unknown): verdict is Verdict {
  return verdict === 'once' || verdict === 'session' || verdict === 'always';
}

async function answerOf(approve: Approver, request: ApprovalRequest): Promise<Answer> {
  try {
    const answer: unknown = await approve(request);
    if (isAnswer(answer)) return answer;
    return isConsent(answer) ? { verdict: answer } : { verdict: 'deny' };
  } catch (error) {
    // An approver that breaks has not said yes.
    return { verdict: 'deny', reason: error instanceof Error ? error.message : String(error) };
  }
}

function isAnswer(value: unknown): value is Answer {
  return typeof value === 'object' && value !== null && 'verdict' in value;
}
