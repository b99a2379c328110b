import type { StoredQuestion } from '../approval/approver.js';
import { type InputPolicy, noteContent } from '../audit/note.js';
import { decide, fits, type Rule, type RuleCase } from '../approval/rule.js';
import { conditionsFor, type InputConditions, proposeRule } from '../approval/scope.js';
import { shorten } from '../report/html/markup.js';
import type { Programs, ProgramStatus } from '../engine/programs/program.js';
import { programThatAsks } from './asking-program.js';
import { coverId } from './cover-id.js';
import type { PendingRow, TriedRule } from './pages/approvals.js';

/** Questions that were asked since the console started, for proposals. */
export interface PastQuestions {
  add(question: StoredQuestion): void;
  list(): readonly StoredQuestion[];
  /** Forgets the questions for a tenant. */
  forget(tenant: string): void;
}

const HOUR_MS = 3_600_000;

const MAX_PAST = 500;
/** Larger inputs are not kept for proposals. */
const MAX_INPUT_CHARACTERS = 16_384;

/** `hours`: the age after which a question is forgotten. */
export function keepPastQuestions(now: () => number, hours: number): PastQuestions {
  const past = new Map<string, StoredQuestion>();
  const isOld = ({ askedAtMs }: StoredQuestion): boolean => askedAtMs <= now() - hours * HOUR_MS;
  return {
    add: (question) => {
      if (question.shown.length > MAX_INPUT_CHARACTERS || isOld(question)) return;
      past.set(question.approvalId, question);
      const [oldest] = past.keys();
      if (past.size > MAX_PAST && oldest !== undefined) past.delete(oldest);
    },
    list: () => {
      for (const [id, question] of past) {
        // guard: past-questions-expire
        if (isOld(question)) past.delete(id);
      }
      return [...past.values()];
    },
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

/** What the rows of the queue are made of. */
export interface Queue {
  readonly pending: readonly StoredQuestion[];
  /** The questions that were asked, also those that wait. */
  readonly past: readonly StoredQuestion[];
  readonly rules: readonly Rule[];
  readonly nowMs: number;
  /** Earlier questions that a person allowed, from which rules are proposed too. */
  readonly allowed: readonly StoredQuestion[];
  /** What may be shown of the inputs of questions that do not wait any more. */
  readonly inputs: InputPolicy;
  readonly programs: Pick<Programs, 'list'>;
}

/** The rows of the queue. Each rule is tried on its question, and on the other questions that were asked. */
export function rowsOf(queue: Queue): readonly PendingRow[] {
  const { pending, nowMs, allowed } = queue;
  return pending.map((question) => {
    const scope = scopeOf(question, pending);
    const program = programThatAsks(queue.programs, question);
    return {
      question,
      ...(program === undefined ? {} : { program }),
      ...(scope === undefined ? {} : { scope }),
      rules: proposalsFor(question, [...pending, ...allowed], nowMs).map(({ name, rule }) =>
        tried(name, rule, question, queue),
      ),
      // The name stays when other questions come and go, because rows of another load join the page.
      // guard: batch-without-high-risk
      ...(question.risk === 'high' ? {} : { batch: batchOf(question, program) }),
    };
  });
}

/** The calls of a program are answered together, others with those of their tool. */
function batchOf({ id }: StoredQuestion, program: ProgramStatus | undefined): string {
  const of = program === undefined ? { tool: { equals: id } } : { program: { equals: program.id } };
  return `batch-${coverId(of)}`;
}

function tried(
  name: string,
  rule: Rule,
  question: StoredQuestion,
  { pending, past, rules, nowMs, inputs }: Queue,
): TriedRule {
  const earlier = past.filter(({ approvalId }) => approvalId !== question.approvalId);
  const others = earlier.filter((one) => one.kind === 'call' && fits(rule, caseOf(one), nowMs));
  const decision = decide([...rules, rule], caseOf(question), question.risk, nowMs);
  return {
    name,
    rule,
    // A rule that denies or asks wins over it.
    allows: decision?.verdict === 'allow',
    others: others.map((one) => {
      const waits = pending.some(({ approvalId }) => approvalId === one.approvalId);
      return `${one.id} ${waits ? shorten(JSON.stringify(one.input), 160) : pastInput(one, inputs)}`;
    }),
    ofRecent: earlier.length,
  };
}

/** The input of a question that does not wait any more, as far as it may be shown. */
function pastInput({ input, askedAtMs }: StoredQuestion, policy: InputPolicy): string {
  // guard: past-inputs-as-audited
  const { text } = noteContent(JSON.stringify(input), policy);
  if (text !== undefined) return shorten(text, 160);
  return `(its input is not shown, as audit.inputs says; asked at ${new Date(askedAtMs).toISOString().slice(11, 19)} UTC)`;
}

/** A question that a person answered. */
export interface AnsweredQuestion {
  readonly question: StoredQuestion;
  readonly denied: boolean;
}

/**
 * The rule, of those that could be proposed, that would have saved a person most answers. The first of the calls
 * that it allows was asked in any case: the rule is made from its answer. High risk, and what a stored rule
 * decides, no rule can save. A rule that allows a call that was denied is never the one.
 */
export function saverOf(
  candidates: readonly Rule[],
  answered: readonly AnsweredQuestion[],
  rules: readonly Rule[],
  nowMs: number,
): { readonly rule: Rule; readonly questions: number } | undefined {
  const open = answered.filter(
    ({ question }) =>
      question.kind === 'call' &&
      decide(rules, caseOf(question), question.risk, nowMs)?.verdict !== 'allow',
  );
  const counts = candidates.map((rule) => {
    const fitting = open.filter(({ question }) => fits(rule, caseOf(question), nowMs));
    // guard: no-saver-allows-what-was-denied
    if (fitting.some(({ denied }) => denied)) return { rule, questions: 0 };
    const saved = fitting.filter(
      ({ question }) =>
        decide([...rules, rule], caseOf(question), question.risk, nowMs)?.verdict === 'allow',
    );
    return { rule, questions: saved.length - 1 };
  });
  const [best] = counts.toSorted((a, b) => b.questions - a.questions);
  return best !== undefined && best.questions > 0 ? best : undefined;
}
