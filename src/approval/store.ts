import { BulkheadError } from '../errors.js';
import type { Answer, StoredQuestion } from './approver.js';
import { parseAnswer, parseEnd, parseQuestion } from './stored.js';

/** Stores immutable texts by name, also across restarts. */
export interface ApprovalFiles {
  /**
   * Creates a text atomically and durably. Returns `false` if the name exists, and then changes nothing:
   * of several processes, one gets `true`. Throws the errors of the write.
   */
  create(name: string, text: string): boolean;
  /** The text of that name; `undefined` if there is none. */
  read(name: string): string | undefined;
  names(): readonly string[];
  remove(name: string): void;
}

/** An answer with its time. `by` names who answered, as the channel authenticated them. */
export type StoredAnswer = Answer & { readonly by: string; readonly atMs: number };

/**
 * `pending`: not answered. `approved`: a call may spend it once. `denied`, `expired`: no call may.
 * `spent`: a call ran with it. `withdrawn`: the caller gave up.
 */
export type ApprovalState = 'pending' | 'approved' | 'denied' | 'spent' | 'withdrawn' | 'expired';

export type ApprovalEnd = 'spent' | 'withdrawn';

/** One question with its answer and its state. */
export interface ApprovalEntry {
  readonly question: StoredQuestion;
  readonly answer?: StoredAnswer;
  readonly state: ApprovalState;
}

/**
 * Questions, their answers and what became of them. Each is an immutable text of its own, and only the
 * first of two writers creates it. So an answer is never replaced, and an approval is spent once, also if
 * several processes share the files.
 *
 * ```
 *   <id>.question.json    what was asked
 *   <id>.answer.json      the first answer
 *   <id>.end.json         spent, or withdrawn
 * ```
 */
export interface ApprovalStore {
  /**
   * Stores a question. Throws the errors of the write, and `APPROVAL_DENIED` if too many questions are
   * pending; with `uncapped`, there is no such limit.
   */
  ask(question: StoredQuestion, options?: { readonly uncapped?: boolean }): void;
  find(approvalId: string): ApprovalEntry | undefined;
  /** The questions of every state that fit, newest first. */
  findAll(fits: (question: StoredQuestion) => boolean): readonly ApprovalEntry[];
  /** The pending questions, oldest first. */
  pending(): readonly StoredQuestion[];
  /** Records the first answer. Throws `APPROVAL_INVALID`. */
  answer(approvalId: string, answer: Answer & { readonly by: string }, digest?: string): void;
  /** Whether one more question of that tenant can be pending. */
  hasRoom(tenant: string | undefined): boolean;
  /** Ends an approval. Returns `false` if it has already ended, e.g. because another call spent it. */
  end(approvalId: string, how: ApprovalEnd): boolean;
  /** Removes an approval that has ended. */
  forget(approvalId: string): void;
  /** Calls the listener after each question and answer of this process. */
  onChange(listener: (change: ApprovalChange) => void): () => void;
}

/** Without `answer`: a new question. */
export interface ApprovalChange {
  readonly question: StoredQuestion;
  readonly answer?: StoredAnswer;
}

/** Pending questions of one tenant. A model that calls in a loop must not hide an important question. */
export const MAX_PENDING = 100;

/** Pending questions of all tenants. */
export const MAX_PENDING_TOTAL = 1_000;

/** Ended approvals are stored this long after their expiry, so that a late call learns what happened. */
const KEPT_AFTER_EXPIRY_MS = 60 * 60 * 1000;

export function openApprovalStore(files: ApprovalFiles, now: () => number): ApprovalStore {
  const listeners = new Set<(change: ApprovalChange) => void>();
  /** Questions never change once they are stored. */
  const questions = new Map<string, StoredQuestion>();
  let cleanedAtMs = 0;
  const changed = (change: ApprovalChange): void => {
    for (const listener of listeners) listener(change);
  };

  const questionOf = (id: string): StoredQuestion | undefined => {
    const known = questions.get(id);
    if (known !== undefined) return known;
    // An id is part of a file name, and it may come from a client.
    // guard: approval-id-checked
    if (!ID.test(id)) return undefined;
    const read = parseQuestion(files.read(nameOf(id, 'question')));
    // A question counts only under its own id.
    if (read?.approvalId !== id) return undefined;
    questions.set(id, read);
    return read;
  };

  const find = (id: string): ApprovalEntry | undefined => {
    const question = questionOf(id);
    if (question === undefined) return undefined;
    const answer = parseAnswer(files.read(nameOf(id, 'answer')), question);
    const end = parseEnd(files.read(nameOf(id, 'end')));
    return {
      question,
      ...(answer === undefined ? {} : { answer }),
      state: end ?? stateOf(question, answer, now()),
    };
  };

  const forget = (id: string): void => {
    // The question first: without it, nothing can be spent.
    for (const part of PARTS) files.remove(nameOf(id, part));
    questions.delete(id);
  };

  const removeOld = (): void => {
    if (now() - cleanedAtMs < CLEAN_EVERY_MS) return;
    cleanedAtMs = now();
    for (const id of idsOf(files.names())) {
      const question = questionOf(id);
      if (question === undefined) continue;
      if (now() >= question.expiresAtMs + KEPT_AFTER_EXPIRY_MS) forget(id);
    }
  };

  const pending = (): StoredQuestion[] => {
    const names = files.names();
    const known = new Set(names);
    return idsOf(names)
      .filter((id) => !known.has(nameOf(id, 'answer')) && !known.has(nameOf(id, 'end')))
      .flatMap((id) => questionOf(id) ?? [])
      .filter((question) => stateOf(question, undefined, now()) === 'pending')
      .toSorted((a, b) => a.askedAtMs - b.askedAtMs);
  };

  return {
    find,
    findAll: (fits) =>
      idsOf(files.names())
        .flatMap((id) => questionOf(id) ?? [])
        .filter(fits)
        .toSorted((a, b) => b.askedAtMs - a.askedAtMs)
        .flatMap(({ approvalId }) => find(approvalId) ?? []),
    pending,
    forget,
    hasRoom: (tenant) => whyFull(tenant, pending()) === undefined,
    ask: (question, { uncapped = false } = {}) => {
      removeOld();
      if (!uncapped) refuseIfFull(question, pending());
      files.create(nameOf(question.approvalId, 'question'), JSON.stringify(question));
      questions.set(question.approvalId, question);
      changed({ question });
    },
    answer: (id, given, digest) => {
      const entry = find(id);
      if (entry === undefined) throw unknownApproval(id);
      const { question, state } = entry;
      // guard: approval-answered-as-shown
      if (digest !== undefined && digest !== question.digest) {
        throw invalidApproval(id, 'another', 'is about another call than the one that was shown');
      }
      if (state !== 'pending') throw notPending(id, state);
      // guard: approval-verdict-offered
      if (!question.offers.includes(given.verdict)) {
        const offers = question.offers.join(', ');
        throw invalidApproval(id, 'not-offered', `can only be answered with ${offers}`);
      }
      const answer: StoredAnswer = { ...given, atMs: now() };
      const text = JSON.stringify({ ...answer, digest: question.digest });
      // guard: approval-answered-once
      if (!files.create(nameOf(id, 'answer'), text)) throw notPending(id, 'approved');
      changed({ question, answer });
    },
    end: (id, how) => files.create(nameOf(id, 'end'), JSON.stringify({ how, atMs: now() })),
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Old approvals are removed at most this often. */
const CLEAN_EVERY_MS = 60_000;

/** Stores questions in this process only. */
export function makeMemoryFiles(): ApprovalFiles {
  const texts = new Map<string, string>();
  return {
    create: (name, text) => {
      if (texts.has(name)) return false;
      texts.set(name, text);
      return true;
    },
    read: (name) => texts.get(name),
    names: () => [...texts.keys()],
    remove: (name) => void texts.delete(name),
  };
}

const PARTS = ['question', 'answer', 'end'] as const;
const ID = /^apr_[0-9a-f-]{36}$/;

function nameOf(id: string, part: (typeof PARTS)[number]): string {
  return `${id}.${part}.json`;
}

function idsOf(names: readonly string[]): string[] {
  return names.flatMap((name) => {
    const [id = '', part] = name.split('.');
    return part === 'question' && ID.test(id) ? [id] : [];
  });
}

function stateOf(
  question: StoredQuestion,
  answer: StoredAnswer | undefined,
  nowMs: number,
): ApprovalState {
  if (answer?.verdict === 'deny') return 'denied';
  // guard: approval-expires
  if (nowMs >= question.expiresAtMs) return 'expired';
  return answer === undefined ? 'pending' : 'approved';
}

/** Throws `APPROVAL_DENIED`. */
function refuseIfFull({ id, tenant }: StoredQuestion, waiting: readonly StoredQuestion[]): void {
  const reason = whyFull(tenant, waiting);
  // guard: pending-approvals-capped
  if (reason === undefined) return;
  throw new BulkheadError('APPROVAL_DENIED', `${id} was not approved: ${reason}.`, {
    tool: id,
    reason,
  });
}

function whyFull(
  tenant: string | undefined,
  waiting: readonly StoredQuestion[],
): string | undefined {
  const own = waiting.filter((one) => one.tenant === tenant).length;
  if (own < MAX_PENDING && waiting.length < MAX_PENDING_TOTAL) return undefined;
  const most = own < MAX_PENDING ? MAX_PENDING_TOTAL : MAX_PENDING;
  return `${most} requests are pending, which is the maximum. Answer some of them first`;
}

type Why = 'unknown' | 'answered' | 'expired' | 'spent' | 'withdrawn' | 'another' | 'not-offered';

const NOT_PENDING: Readonly<
  Record<Exclude<ApprovalState, 'pending'>, readonly [why: Why, text: string]>
> = {
  approved: ['answered', 'was already answered'],
  denied: ['answered', 'was already denied'],
  spent: ['spent', 'was already spent: a call ran with it'],
  withdrawn: ['withdrawn', 'was withdrawn, because its call ended'],
  expired: ['expired', 'has expired'],
};

/** The error for an approval that can no longer be answered or spent. */
export function notPending(
  approval: string,
  state: Exclude<ApprovalState, 'pending'>,
): BulkheadError<'APPROVAL_INVALID'> {
  const [why, text] = NOT_PENDING[state];
  return invalidApproval(approval, why, text);
}

export function unknownApproval(approval: string): BulkheadError<'APPROVAL_INVALID'> {
  return invalidApproval(approval, 'unknown', 'does not exist');
}

/** The error for an approval that cannot be answered or spent. */
export function invalidApproval(
  approval: string,
  why: Why,
  text: string,
): BulkheadError<'APPROVAL_INVALID'> {
  const shown = ID.test(approval) ? approval : 'with that id';
  return new BulkheadError(
    'APPROVAL_INVALID',
    `The approval ${shown} ${text}. To run the call, request a new approval.`,
    { approval: approval.slice(0, 200), why },
  );
}
