import type { Json } from '../../sandbox/wire/messages.js';
import { BulkheadError } from '../errors.js';
import type { AboutQuestion } from '../approval-events.js';
import type { RiskBand } from '../plugin/risk.js';
import { jsonLines } from '../visible.js';
import type { ApprovalRequest, Approver, HeldRequest, Verdict } from './approver.js';
import { digestOf } from './digest.js';
import type { RuleCase } from './rule.js';

/** What is to be decided: a call before it runs, or what a running one is about to send. */
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
  /** The input as it will cross: what is approved is what runs. */
  readonly inputText: string;
  readonly risk: RiskBand;
  readonly riskWhy: string;
  readonly why: string;
  readonly effect?: HeldRequest | undefined;
  readonly tenant?: string | undefined;
  readonly conversationId?: string | undefined;
  /** Whom the caller brought to answer, where the engine itself has nobody. */
  readonly approve?: Approver | undefined;
  /** Whether somebody is there who could be asked, as far as the caller says. */
  readonly attended: boolean;
  readonly signal: AbortSignal;
}

/** A question with what is made of it once: the input as a value, and the digest. */
export interface Prepared extends Question {
  readonly input: Json;
  readonly digest: string;
}

/** Throws `INVALID_INPUT` where nobody could look at the input. */
export function prepare(question: Question): Prepared {
  const { bundle, id, tenant, effect } = question;
  try {
    const input = valueOf(question.inputText);
    return { ...question, input, digest: digestOf({ bundle, id, input, tenant, effect }) };
  } catch (error) {
    throw new BulkheadError(
      'INVALID_INPUT',
      `The input of ${id} is nested too deeply to be shown to anybody.`,
      { tool: id },
      { cause: error },
    );
  }
}

export function caseOf({ plugin, tool, bundle, input, tenant, effect }: Prepared): RuleCase {
  return { plugin, tool, bundle, input, tenant, effect: effect && targetOf(effect) };
}

/** Whom a request goes to, as rules name it: `POST https://api.example.com`. */
function targetOf({ method, url }: HeldRequest): string {
  return `${method} ${new URL(url).origin}`;
}

/** What counts as the same for somebody who says "in this session". */
export function sessionKey({
  plugin,
  tool,
  bundle,
  tenant,
  conversationId,
  effect,
}: Prepared): string {
  const target = effect === undefined ? null : targetOf(effect);
  return JSON.stringify([plugin, tool, bundle, tenant ?? null, conversationId ?? null, target]);
}

/** What is high somebody has to see each time. */
export function offersFor(risk: RiskBand): readonly Verdict[] {
  return risk === 'high' ? ['deny', 'once'] : ['deny', 'once', 'session', 'always'];
}

/** What events tell of a question. A query often holds secrets, so it is left out. */
export function aboutOf(question: Prepared): AboutQuestion {
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

function withoutQuery({ method, url }: HeldRequest): string {
  const { origin, pathname, search } = new URL(url);
  return `${method} ${origin}${pathname}${search === '' ? '' : '?…'}`;
}

export interface Asking {
  readonly approvalId: string;
  readonly askedAtMs: number;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export function requestOf(question: Prepared, asking: Asking): ApprovalRequest {
  const { approvalId, askedAtMs, timeoutMs, signal } = asking;
  const { version, effect, tenant, conversationId } = question;
  // A copy of its own: an approver that changes it changes nothing that runs.
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
    shown: jsonLines(input),
    risk: question.risk,
    riskWhy: question.riskWhy,
    why: question.why,
    ...(effect === undefined ? {} : { effect }),
    digest: question.digest,
    ...(tenant === undefined ? {} : { tenant }),
    ...(conversationId === undefined ? {} : { conversationId }),
    offers: offersFor(question.risk),
    askedAtMs,
    expiresAtMs: askedAtMs + timeoutMs,
    signal,
  };
}

function valueOf(text: string): Json {
  const value: Json = JSON.parse(text);
  return value;
}
