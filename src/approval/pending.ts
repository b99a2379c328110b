import type { Answer, ApprovalRequest, Approver } from './approver.js';

/** Questions that wait for somebody elsewhere: a console, another process. */
export interface PendingApprovals {
  /** The approver to give to `createEngine`. */
  readonly approve: Approver;
  /** In the order in which they were asked. */
  list(): readonly ApprovalRequest[];
  /**
   * Answers one. Whoever answers names the digest of what they saw: an answer to anything else is
   * none. `gone` where there is no such question (any more), `another` where the digest differs,
   * `not-offered` where the verdict is not among those that the question offers.
   */
  answer(approvalId: string, answer: Answer & { readonly digest: string }): AnswerOutcome;
  /** Calls the listener after each change; returns how to stop. */
  on(event: 'change', listener: () => void): () => void;
}

export type AnswerOutcome = 'answered' | 'gone' | 'another' | 'not-offered';

/** Questions that wait at once. A model that calls in a loop must not bury the one that counts. */
export const MAX_PENDING = 100;

export function makePendingApprovals(): PendingApprovals {
  const open = new Map<string, { request: ApprovalRequest; settle: (answer: Answer) => void }>();
  const listeners = new Set<() => void>();
  const changed = (): void => {
    for (const listener of listeners) listener();
  };

  return {
    approve: (request) => {
      if (open.size >= MAX_PENDING) {
        return { verdict: 'deny', reason: `${MAX_PENDING} questions wait for an answer already` };
      }
      return new Promise((resolve) => {
        const settle = (answer: Answer): void => {
          if (!open.delete(request.approvalId)) return;
          request.signal.removeEventListener('abort', giveUp);
          resolve(answer);
          changed();
        };
        const giveUp = (): void =>
          settle({ verdict: 'deny', reason: 'nobody waits for it any more' });
        open.set(request.approvalId, { request, settle });
        request.signal.addEventListener('abort', giveUp, { once: true });
        if (request.signal.aborted) giveUp();
        else changed();
      });
    },
    list: () => [...open.values()].map(({ request }) => request),
    answer: (approvalId, { digest, ...answer }) => {
      const found = open.get(approvalId);
      if (found === undefined) return 'gone';
      if (found.request.digest !== digest) return 'another';
      if (!found.request.offers.includes(answer.verdict)) return 'not-offered';
      found.settle(answer);
      return 'answered';
    },
    on: (_event, listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
