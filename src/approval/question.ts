import type { Json } from '../../sandbox/wire/messages.js';
import type { AboutQuestion } from '../approval-events.js';
import { BulkheadError } from '../errors.js';
import { canonicalJson } from '../canonical.js';
import { hash } from '../hash.js';
import type { RiskBand } from '../plugin/risk.js';
import { isolatedJson } from '../visible.js';
import type { Approver, HeldRequest, StoredQuestion, Verdict } from './approver.js';
import { originOf } from './effect-target.js';
import type { Rule, RuleCase } from './rule.js';

/** A call that is about to run, or a request that a running call is about to send. */
export interface Question {
  readonly kind: 'call' | 'effect';
  readonly callId: string;
  readonly plugin: string;
  readonly version?: string | undefined;
  readonly tool: string;
  /** `plugin:tool`, for messages. */
  readonly id: string;
  readonly title: string;
  /** Hash of the bundle that would run. */
  readonly bundle: string;
  /** The exact JSON text that the guest receives. */
  readonly inputText: string;
  /**
   * The effective grant, the configuration and all else that determines what the code can do. The object must not
   * be changed afterwards: its text is computed once.
   */
  readonly terms?: Json | undefined;
  readonly risk: RiskBand;
  readonly riskWhy: string;
  readonly why: string;
  readonly effect?: HeldRequest | undefined;
  readonly tenant?: string | undefined;
  /** Who asks, for the approver and the audit log. */
  readonly asker?: string | undefined;
  /** The caller's own id of the call. */
  readonly reference?: string | undefined;
  readonly conversationId?: string | undefined;
  /** The caller's approver, used if the engine does not have one. */
  readonly approve?: Approver | undefined;
  /** The rule that proves that the call only reads. It needs no answer then. */
  readonly provenBy?: Rule | undefined;
  /** Whether the caller says that a person can answer. */
  readonly attended: boolean;
  readonly signal: AbortSignal;
}

/** A question with its parsed input and its digest. */
export interface Prepared extends Question {
  readonly input: Json;
  readonly digest: string;
}

/** All that an approval covers. */
export type Covered = Pick<
  Question,
  'bundle' | 'id' | 'inputText' | 'tenant' | 'terms' | 'risk' | 'effect'
>;

/** Throws `INVALID_INPUT` if the input cannot be displayed. */
export function prepare(question: Question): Prepared {
  const { input, text } = readInput(question);
  return { ...question, input, digest: digestOf(partsOf(question, text)) };
}

/**
 * Returns what computes the digest for an input as often as needed. It reads the input once, and hashes again only
 * if something else that an approval covers has changed. Throws `INVALID_INPUT`.
 */
export function makeDigest(
  about: Pick<Covered, 'id' | 'inputText'>,
  others: () => Omit<Covered, 'inputText' | 'effect'>,
): () => string {
  const { text: input } = readInput(about);
  let last: { readonly parts: readonly unknown[]; readonly digest: string } | undefined;
  return () => {
    const parts = partsOf(others(), input);
    // Without a request, each part is a text, or null.
    if (last === undefined || parts.some((part, at) => part !== last?.parts[at])) {
      last = { parts, digest: digestOf(parts) };
    }
    return last.digest;
  };
}

/** The input, and its canonical text. */
function readInput({ id, inputText }: Pick<Covered, 'id' | 'inputText'>): {
  readonly input: Json;
  readonly text: string;
} {
  try {
    const input = valueOf(inputText);
    return { input, text: canonicalJson(input) };
  } catch (error) {
    throw new BulkheadError(
      'INVALID_INPUT',
      `The input of ${id} is nested too deeply to be displayed for approval. Use fewer levels of nesting.`,
      { tool: id },
      { cause: error },
    );
  }
}

export function caseOf({ plugin, tool, bundle, input, tenant, effect }: Prepared): RuleCase {
  return { plugin, tool, bundle, input, tenant, effect: effect && targetOf(effect) };
}

/** The target of a request, as rules name it: `POST https://api.example.com`. */
function targetOf({ method, url }: HeldRequest): string {
  return `${method} ${originOf(url)}`;
}

/** Calls with the same key share a `session` approval. */
export function sessionKey({
  plugin,
  tool,
  bundle,
  tenant,
  conversationId,
  effect,
  terms,
}: Prepared): string {
  const target = effect === undefined ? null : targetOf(effect);
  return JSON.stringify([
    plugin,
    tool,
    // guard: approval-bound-to-bundle
    bundle,
    tenant ?? null,
    conversationId ?? null,
    target,
    canonicalJson(terms ?? null),
  ]);
}

/** Whose calls share a `session` approval. */
export interface SessionSubject {
  readonly plugin: string;
  readonly tenant?: string | undefined;
}

/** The plugin and the tenant of a session key. */
export function subjectOfSession(key: string): SessionSubject {
  const [plugin, , , tenant]: readonly (string | null)[] = JSON.parse(key);
  return { plugin: plugin ?? '', tenant: tenant ?? undefined };
}

/** High risk needs approval for each call. */
export function offersFor(risk: RiskBand): readonly Verdict[] {
  return risk === 'high' ? ['deny', 'once'] : ['deny', 'once', 'session', 'always'];
}

/** The members of a question in events. Leaves out URL queries, because they often contain secrets. */
export function aboutOf(question: Prepared | StoredQuestion): AboutQuestion {
  const { callId, plugin, tool, kind, bundle, digest, risk, why, tenant, effect } = question;
  return {
    call: callId,
    plugin,
    tool,
    kind,
    bundle,
    digest,
    risk,
    why,
    ...(tenant === undefined ? {} : { tenant }),
    ...(effect === undefined ? {} : { effect: withoutQuery(effect) }),
  };
}

/** A request without its query, which often contains secrets. */
export function withoutQuery({ method, url }: HeldRequest): string {
  const { protocol, host, pathname, search } = new URL(url);
  return `${method} ${protocol}${host === '' ? '' : `//${host}`}${pathname}${search === '' ? '' : '?…'}`;
}

/** When a question was asked, and until when it can be answered. */
export interface QuestionTimes {
  readonly askedAtMs: number;
  readonly expiresAtMs: number;
}

/** A question as it is stored and displayed. */
export function storedQuestion(
  question: Prepared,
  approvalId: string,
  { askedAtMs, expiresAtMs }: QuestionTimes,
): StoredQuestion {
  const { version, effect, tenant, asker, reference, conversationId } = question;
  // A copy, so that an approver cannot change the input that runs.
  const input = valueOf(question.inputText);
  return {
    approvalId,
    kind: question.kind,
    callId: question.callId,
    plugin: question.plugin,
    ...(version === undefined ? {} : { version }),
    bundle: question.bundle,
    tool: question.tool,
    id: question.id,
    title: question.title,
    input,
    shown: isolatedJson(input),
    risk: question.risk,
    riskWhy: question.riskWhy,
    why: question.why,
    ...(effect === undefined ? {} : { effect }),
    digest: question.digest,
    ...(tenant === undefined ? {} : { tenant }),
    ...(asker === undefined ? {} : { asker }),
    ...(reference === undefined ? {} : { reference }),
    ...(conversationId === undefined ? {} : { conversationId }),
    offers: offersFor(question.risk),
    askedAtMs,
    expiresAtMs,
  };
}

function valueOf(text: string): Json {
  const value: Json = JSON.parse(text);
  return value;
}

/** sha256 in hex. */
function digestOf(parts: readonly unknown[]): string {
  return hash('sha256', JSON.stringify(parts), 'hex');
}

const termsTexts = new WeakMap<object, string>();

function textOfTerms(terms: Json | undefined): string {
  if (typeof terms !== 'object' || terms === null) return canonicalJson(terms ?? null);
  let text = termsTexts.get(terms);
  if (text === undefined) {
    text = canonicalJson(terms);
    termsTexts.set(terms, text);
  }
  return text;
}

/**
 * All that an approval covers: artifact, tool, input (as canonical JSON), tenant, the effective grant and the
 * configuration (`terms`), the risk that the approver sees, and the request with kind `effect`.
 */
function partsOf(
  { bundle, id, tenant, terms, risk, effect }: Omit<Covered, 'inputText'>,
  input: string,
): readonly unknown[] {
  const held = effect && [
    effect.method,
    effect.url,
    effect.headers,
    effect.body ?? null,
    effect.bodyBytes ?? null,
  ];
  return [
    bundle,
    id,
    input,
    // guard: approval-bound-to-tenant
    tenant ?? null,
    // guard: approval-bound-to-grant
    textOfTerms(terms),
    risk,
    held ?? null,
  ];
}
