import type { StoredQuestion } from '../approval/approver.js';
import { decide, fits, type Rule, type RuleCase } from '../approval/rule.js';
import { conditionsFor, type InputConditions, proposeRule } from '../approval/scope.js';
import { shorten } from '../report/html/markup.js';
import type { PendingRow, TriedRule } from './pages/approvals.js';

/** Questions that were asked since the console started, for proposals. */
export interface PastQuestions {
  add(question: StoredQuestion): void;
  list(): readonly StoredQuestion[];
  /** Forgets the questions for a tenant. */
  forget(tenant: string): void;
}

const MAX_PAST = 500;
/** Larger inputs are not kept for proposals. */
const MAX_INPUT_CHARACTERS = 16_384;

export function keepPastQuestions(): PastQuestions {
  const past = new Map<string, StoredQuestion>();
  return {
    add: (question) => {
      if (question.shown.length > MAX_INPUT_CHARACTERS) return;
      past.set(question.approvalId, question);
      const [oldest] = past.keys();
      if (past.size > MAX_PAST && oldest !== undefined) past.delete(oldest);
    },
    list: () => [...past.values()],
    forget: (tenant) => {
      for (const [id, question] of past) if (question.tenant === tenant) past.delete(id);
    },
  };
}

/** What an answer with a rule can be: each has a name that its form sends back. */
export interface Proposal {
  readonly name: 'exact' | 'scope';
  readonly rule: Rule;
  readonly input: InputConditions;
}

/**
 * The rules that an answer to this question could store: for this input alone, and for inputs that differ as the
 * earlier questions about this tool differ. Made again when the answer comes, from the same stored questions.
 */
export function proposalsFor(
  question: StoredQuestion,
  past: readonly StoredQuestion[],
  nowMs: number,
): readonly Proposal[] {
  const exact = exactConditions(question);
  const scope = scopeOf(question, past);
  const proposals: Proposal[] = [];
  for (const [name, input] of [
    ['exact', exact],
    ['scope', scope],
  ] as const) {
    const rule = input === undefined ? undefined : proposeRule(question, input, nowMs);
    if (rule === undefined || input === undefined) continue;
    if (proposals.some((one) => JSON.stringify(one.input) === JSON.stringify(input))) continue;
    proposals.push({ name, rule, input });
  }
  return proposals;
}

/**
 * The inputs that a `session` answer covers. `undefined`: the answer is for a request, or the input is no
 * object, so that it covers the tool.
 */
export function scopeOf(
  question: StoredQuestion,
  waiting: readonly StoredQuestion[],
): InputConditions | undefined {
  if (question.kind === 'effect') return undefined;
  return conditionsFor([question, ...sameTool(question, waiting)].map(({ input }) => input));
}

/** The last question about each tool. */
export function lastOfEachTool(questions: readonly StoredQuestion[]): readonly StoredQuestion[] {
  return [...new Map(questions.map((one) => [one.id, one])).values()];
}

/** Each member keeps its value. */
function exactConditions({ input }: StoredQuestion): InputConditions | undefined {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return undefined;
  const entries = Object.entries(input);
  if (entries.length === 0 || entries.some(([key]) => key.includes('.'))) return undefined;
  return Object.fromEntries(entries.map(([key, value]) => [key, { equals: value }]));
}

/** The questions about this tool in this conversation. */
function sameTool(question: StoredQuestion, past: readonly StoredQuestion[]): StoredQuestion[] {
  return past.filter(
    (one) =>
      one.approvalId !== question.approvalId &&
      one.id === question.id &&
      one.bundle === question.bundle &&
      one.tenant === question.tenant &&
      one.conversationId === question.conversationId &&
      one.kind === question.kind,
  );
}

function caseOf({ plugin, tool, bundle, input, tenant }: StoredQuestion): RuleCase {
  return { plugin, tool, bundle, input, tenant };
}

/**
 * The rows of the queue. Each rule is tried on its question, and on the other questions that were asked.
 * `allowed`: earlier questions that a person allowed, from which rules are proposed too.
 */
export function rowsOf(
  pending: readonly StoredQuestion[],
  past: readonly StoredQuestion[],
  rules: readonly Rule[],
  nowMs: number,
  allowed: readonly StoredQuestion[] = [],
): readonly PendingRow[] {
  const perTool = new Map<string, StoredQuestion[]>();
  for (const question of pending) {
    if (question.risk === 'high') continue;
    perTool.set(question.id, [...(perTool.get(question.id) ?? []), question]);
  }
  const batches = [...perTool].filter(([, questions]) => questions.length > 1).map(([id]) => id);
  return pending.map((question) => {
    // guard: batch-without-high-risk
    const batch = question.risk === 'high' ? -1 : batches.indexOf(question.id);
    const scope = scopeOf(question, pending);
    return {
      question,
      ...(scope === undefined ? {} : { scope }),
      rules: proposalsFor(question, [...pending, ...allowed], nowMs).map(({ name, rule }) =>
        tried(name, rule, question, past, rules, nowMs),
      ),
      ...(batch < 0 ? {} : { batch: `batch-${batch}` }),
    };
  });
}

function tried(
  name: string,
  rule: Rule,
  question: StoredQuestion,
  past: readonly StoredQuestion[],
  rules: readonly Rule[],
  nowMs: number,
): TriedRule {
  const earlier = past.filter(({ approvalId }) => approvalId !== question.approvalId);
  const others = earlier.filter((one) => one.kind === 'call' && fits(rule, caseOf(one), nowMs));
  const decision = decide([...rules, rule], caseOf(question), question.risk, nowMs);
  return {
    name,
    rule,
    // A rule that denies or asks wins over it.
    allows: decision?.verdict === 'allow',
    others: others.map(({ id, input }) => `${id} ${shorten(JSON.stringify(input), 160)}`),
    ofRecent: earlier.length,
  };
}
