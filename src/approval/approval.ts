import { randomUUID } from 'node:crypto';
import { type BulkheadError, isBulkheadError, messageOf } from '../errors.js';
import type { Answerer } from '../approval-events.js';
import type { EventBus } from '../events.js';
import type { Approval } from './approval-api.js';
import { storeRule } from './always-rule.js';
import { answererOf, answerOf, isConsent, ruleAnswerer } from './answers.js';
import type { Answer, Approver, StoredQuestion } from './approver.js';
import { refusals } from './refusals.js';
import { decide } from './rule.js';
import {
  type Prepared,
  aboutOf,
  caseOf,
  offersFor,
  prepare,
  sessionKey,
  type SessionSubject,
  storedQuestion,
  subjectOfSession,
} from './question.js';
import type { RuleBook } from './rule-book.js';
import { makeSessionAnswers } from './session-answers.js';
import { stored, withdrawStored } from './store-access.js';
import { type ApprovalStore, invalidApproval, notPending, unknownApproval } from './store.js';

interface ApprovalSpec {
  readonly approve: Approver | undefined;
  readonly rules: RuleBook;
  readonly store: ApprovalStore;
  readonly events: EventBus;
  /** The time for which a call waits for the answer. */
  readonly timeoutMs: number;
  /** The time for which a question can be answered, and its approval can be spent. */
  readonly expiryMs: number;
  readonly now: () => number;
}

/** How a question was approved. */
interface Given extends Answerer {
  readonly verdict: 'once' | 'session' | 'always';
  readonly approval?: string;
  readonly rule?: string;
}

/**
 * Decides by rules, then by earlier answers, then by the approver. Without an approver it denies.
 * `session` and `always` apply to one tool of one bundle: changed code needs a new approval.
 */
export function makeApproval(spec: ApprovalSpec): Approval {
  const { approve, rules, store, events, timeoutMs, expiryMs, now } = spec;
  const remembered = makeSessionAnswers();
  /** Who denied each question that a person, a flag, a program or a rule denied. */
  const deniedBy = new WeakMap<Error, Answerer & { readonly rule?: string }>();
  /** Waiting calls: the answer to one question may decide others. */
  const waiting = new Set<Wait>();
  const listeners = new Set<(question: StoredQuestion) => void>();

  /** High risk needs approval for each call, also if the risk was lower when it was approved. */
  const earlierAnswer = (question: Prepared): Answerer | undefined =>
    question.risk === 'high' ? undefined : remembered.find(sessionKey(question), question.input);

  const settled = (question: Prepared): Given | undefined => {
    const decision = decide(rules.list(), caseOf(question), question.risk, now());
    if (decision?.verdict === 'deny') {
      const denial = refusals.byRule(question, decision);
      deniedBy.set(denial, ruleAnswerer(decision.rule));
      throw denial;
    }
    const allowing = decision === undefined ? question.provenBy : decision.rule;
    if (decision?.verdict !== 'ask' && allowing !== undefined)
      return { verdict: 'always', ...ruleAnswerer(allowing) };
    const earlier = decision === undefined ? earlierAnswer(question) : undefined;
    return earlier === undefined ? undefined : { verdict: 'session', ...earlier };
  };

  const remember = (question: Prepared, answer: Answer): Given => {
    const who = answererOf(answer);
    // High risk is approved only once.
    if (!offersFor(question.risk).includes(answer.verdict)) return { verdict: 'once', ...who };
    if (answer.verdict === 'always') {
      const rule = storeRule(question, answer, rules, now());
      if (rule !== undefined) return { verdict: 'always', rule, ...who };
      return { verdict: 'once', ...who };
    }
    if (answer.verdict === 'session') {
      const covered = remembered.add(sessionKey(question), answer, who, question.input);
      if (!covered) return { verdict: 'once', ...who };
      return { verdict: 'session', ...who };
    }
    return { verdict: 'once', ...who };
  };

  /** The caller's own approver answers only for this call. */
  const limited = (answer: Answer): Answer =>
    approve === undefined ? { ...answer, verdict: 'once' } : answer;

  const denial = (question: Prepared, answer: Answer): BulkheadError => {
    const denied = refusals.denied(question, answer.reason);
    deniedBy.set(denied, answererOf(answer));
    return denied;
  };

  /** Spends the approval. Another call or process may have spent it first. */
  const spendOnce = (question: Prepared, approvalId: string): void => {
    // guard: approval-spent-once
    if (!stored(question, () => store.end(approvalId, 'spent')))
      throw notPending(approvalId, 'spent');
  };

  /** The result of a question that was answered. Throws if the answer denies. */
  const settledBy = (question: Prepared, approvalId: string, answer: Answer): Given => {
    // guard: denied-call-rejected
    if (!isConsent(answer.verdict)) throw denial(question, answer);
    spendOnce(question, approvalId);
    return { ...remember(question, answer), approval: approvalId };
  };

  const storeQuestion = (
    question: Prepared,
    approvalId: string,
    uncapped: boolean,
  ): StoredQuestion => {
    const askedAtMs = now();
    const asked = storedQuestion(question, approvalId, {
      askedAtMs,
      expiresAtMs: askedAtMs + expiryMs,
    });
    stored(question, () => store.ask(asked, { uncapped }));
    events.emit({
      type: 'approval-asked',
      ...aboutOf(question),
      approval: approvalId,
      ...(asked.asker === undefined ? {} : { asker: asked.asker }),
      expiresAtMs: asked.expiresAtMs,
    });
    for (const listener of listeners) {
      try {
        listener(asked);
      } catch {
        // A listener that throws must not decide a call.
      }
    }
    return asked;
  };

  const askApprover = async (question: Prepared, approvalId: string): Promise<Given> => {
    if (!question.attended) throw refusals.unattended(question);
    // If the host answers, the caller's own approver does not.
    // guard: caller-approver-is-last
    const approver = approve ?? (listeners.size === 0 ? question.approve : undefined);
    // guard: approver-required
    if (approver === undefined && listeners.size === 0) throw refusals.noApprover(question);
    if (question.signal.aborted) throw refusals.cancelled(question);
    // A callback answers soon, and the host limits its own calls.
    const asked = storeQuestion(question, approvalId, approver !== undefined);
    const end = new AbortController();
    let keep = false;
    const answered = new Promise<Given>((resolve, reject) => {
      const attempt = (settle: () => Given | undefined): void => {
        if (end.signal.aborted) return;
        try {
          const given = settle();
          if (given !== undefined) resolve(given);
        } catch (error) {
          reject(error);
        }
      };
      const wait: Wait = {
        decideAgain: () => attempt(() => settled(question)),
        subject: question,
        reject,
        close: () => {
          keep = true;
          reject(refusals.closed(question));
        },
      };
      /** The answer may come from another process. */
      const readAnswer = (): void =>
        attempt(() => {
          const { answer, state } = store.find(approvalId) ?? { state: 'withdrawn' };
          if (answer !== undefined) return settledBy(question, approvalId, answer);
          if (state === 'spent' || state === 'withdrawn') throw notPending(approvalId, state);
          return undefined;
        });
      const timer = setTimeout(() => {
        // The request of a running call cannot wait for a later answer.
        keep = question.kind === 'call' && store.hasRoom(question.tenant);
        reject(refusals.timedOut(question, timeoutMs, keep ? approvalId : undefined));
      }, timeoutMs);
      const poll = setInterval(readAnswer, POLL_MS);
      const unsubscribe = store.onChange((change) => {
        if (change.answer !== undefined && change.question.approvalId === approvalId) readAnswer();
      });
      const giveUp = (): void => reject(refusals.cancelled(question));
      waiting.add(wait);
      question.signal.addEventListener('abort', giveUp, { once: true });
      end.signal.addEventListener('abort', () => {
        clearTimeout(timer);
        clearInterval(poll);
        unsubscribe();
        waiting.delete(wait);
        question.signal.removeEventListener('abort', giveUp);
      });
      // A listener may have answered at once.
      readAnswer();
      if (approver === undefined) return;
      const request = { ...asked, waitsUntilMs: asked.askedAtMs + timeoutMs, signal: end.signal };
      void answerOf(approver, request).then((given) =>
        // Ignores an answer after the timeout or after another answer.
        attempt(() => {
          const answer = store.find(approvalId)?.answer;
          if (answer !== undefined) return settledBy(question, approvalId, answer);
          return settledBy(question, approvalId, isConsent(given.verdict) ? limited(given) : given);
        }),
      );
    });
    try {
      return await answered;
    } finally {
      end.abort();
      if (!keep) endWait(approvalId, approver !== undefined);
    }
  };

  /** The call no longer waits, and its question is of no use to another call. */
  const endWait = (approvalId: string, byCallback: boolean): void => {
    try {
      store.end(approvalId, 'withdrawn');
      // A callback may answer a thousand questions a second.
      if (byCallback && store.find(approvalId)?.answer === undefined) store.forget(approvalId);
    } catch {
      // The question expires.
    }
  };

  const emitGiven = (question: Prepared, given: Given, waitedMs: number): void => {
    events.emit({ type: 'approval-given', ...aboutOf(question), ...given, waitedMs });
    if (given.verdict !== 'once') for (const { decideAgain } of waiting) decideAgain();
  };

  const emitRefused = (
    question: Prepared,
    approval: string,
    error: unknown,
    waitedMs: number,
  ): void =>
    events.emit({
      type: 'approval-refused',
      ...aboutOf(question),
      approval,
      code: isBulkheadError(error) ? error.code : 'APPROVAL_DENIED',
      reason: messageOf(error),
      ...(error instanceof Error ? deniedBy.get(error) : {}),
      waitedMs,
    });

  const spendStored = (question: Prepared, approvalId: string): Given => {
    // A rule that denies was perhaps added after the answer.
    settled(question);
    const { question: asked, answer, state } = store.find(approvalId) ?? {};
    // To another tenant, the approval does not exist.
    if (asked === undefined || asked.tenant !== question.tenant) throw unknownApproval(approvalId);
    // guard: spent-approval-digest-compared
    if (asked.digest !== question.digest) {
      throw invalidApproval(approvalId, 'another', `does not cover this call. ${COVERS}`);
    }
    if (state === 'expired') throw refusals.expired(question, expiryMs);
    if (state === 'spent' || state === 'withdrawn') throw notPending(approvalId, state);
    if (answer === undefined) throw refusals.unanswered(question, approvalId);
    return settledBy(question, approvalId, answer);
  };

  return {
    ruled: (about, risk) => decide(rules.list(), about, risk, now()),
    ask: async (asked) => {
      const question = prepare(asked);
      const approvalId = newApprovalId();
      const began = now();
      try {
        const given = settled(question) ?? (await askApprover(question, approvalId));
        emitGiven(question, given, now() - began);
        return question.digest;
      } catch (error) {
        emitRefused(question, approvalId, error, now() - began);
        throw error;
      }
    },
    remembers: (asked) => {
      const question = prepare(asked);
      const decision = decide(rules.list(), caseOf(question), question.risk, now());
      return decision === undefined && earlierAnswer(question) !== undefined;
    },
    request: (asked) => {
      const question = prepare(asked);
      const { reference, tenant, digest } = question;
      if (reference !== undefined) {
        const known = store
          .findAll(
            (one) => one.reference === reference && one.tenant === tenant && one.digest === digest,
          )
          .find(({ state }) => state === 'pending' || state === 'approved');
        if (known !== undefined) return known.question.approvalId;
      }
      const approvalId = newApprovalId();
      storeQuestion(question, approvalId, false);
      return approvalId;
    },
    spend: (approvalId, asked) => {
      const question = prepare(asked);
      const askedAtMs = store.find(approvalId)?.question.askedAtMs ?? now();
      try {
        const given = spendStored(question, approvalId);
        emitGiven(question, given, now() - askedAtMs);
        return question.digest;
      } catch (error) {
        emitRefused(question, approvalId, error, now() - askedAtMs);
        throw error;
      }
    },
    answer: (approvalId, answer, digest) => {
      store.answer(approvalId, answer, digest);
      const { question } = store.find(approvalId) ?? {};
      if (question === undefined) return;
      events.emit({
        type: 'approval-answered',
        ...aboutOf(question),
        approval: approvalId,
        verdict: answer.verdict,
        ...answererOf(answer),
        ...(answer.reason === undefined ? {} : { reason: answer.reason }),
        waitedMs: now() - question.askedAtMs,
      });
    },
    onRequest: (listener) => {
      // Wrapped, so that a listener that is added twice is called twice.
      const own = (question: StoredQuestion): void => listener(question);
      listeners.add(own);
      return () => void listeners.delete(own);
    },
    withdraw: (fits, why) => {
      for (const { subject, reject } of waiting) if (fits(subject)) reject(why);
      remembered.forget((key) => fits(subjectOfSession(key)));
      withdrawStored(store, fits);
    },
    attended: () => approve !== undefined || listeners.size > 0,
    close: () => {
      for (const { close } of waiting) close();
    },
  };
}

/** A call that waits for an answer. */
interface Wait {
  readonly subject: SessionSubject;
  readonly reject: (why: Error) => void;
  readonly decideAgain: () => void;
  readonly close: () => void;
}

/** Interval at which a waiting call looks for an answer of another process. */
const POLL_MS = 500;
const COVERS =
  'An approval covers one artifact, tool, input, tenant, grant, configuration and risk, and one of them differs';

const newApprovalId = (): string => `apr_${randomUUID()}`;
