import type { Json } from '../../sandbox/wire/messages.js';
import { canonicalJson } from '../canonical.js';
import type { RiskBand } from '../plugin/risk.js';
import { mayHoldSecret } from './secret-shape.js';
import { isUnder } from './under.js';

/**
 * A stored decision about later calls. An operator can remove it: the removal applies to the next call.
 */
export interface Rule {
  /** The rule's id, for audit records and for its removal. */
  readonly id: string;
  /**
   * `allow` approves a call that needs approval, except for high risk. `ask` requires approval.
   * `deny` refuses the call.
   */
  readonly verdict: 'allow' | 'ask' | 'deny';
  /** A plugin's id; `*` stands for any text: `*`, `mail-*`. */
  readonly plugin: string;
  /** A tool's id within its plugin; `*` stands for any text: `*`, `delete-*`. */
  readonly tool: string;
  /** The bundle that an `allow` applies to; `*`: any code of the plugin. */
  readonly bundle?: string;
  /** Conditions on members of the input, by path: `city`, `address.country`. */
  readonly input?: Readonly<Record<string, Condition>>;
  /**
   * The rule applies to this request of a running tool, not to calls: `POST https://api.example.com`, or
   * a host with a method. An operator exempts a search by POST with `{ host, method }`.
   */
  readonly effect?: string | EffectTarget;
  /** The tenant; `*`: every tenant. An `allow` without it applies only to calls without a tenant. */
  readonly tenant?: string;
  /** With `true`, the rule does not apply to an input with text in the shape of a credential. */
  readonly withoutSecrets?: boolean;
  /** The time at which the rule ends, in ISO 8601. */
  readonly until?: string;
  readonly reason?: string;
  readonly by?: string;
  /** The time at which the rule was created, in ISO 8601. */
  readonly at?: string;
}

/** Requests of a running tool. */
export interface EffectTarget {
  /** A host name, on any port: `api.example.com`. */
  readonly host: string;
  /** Default: every method. */
  readonly method?: string;
}

/** A condition on a member of the input. A missing member meets no condition. */
export type Condition =
  | { readonly equals: Json }
  | { readonly oneOf: readonly Json[] }
  | { readonly startsWith: string }
  /** A path or URL in this folder, compared part by part: `notes/`, `https://api.example.com/v1/`. */
  | { readonly under: string };

/** A call, or a request of a running call, as rules match it. */
export interface RuleCase {
  readonly plugin: string;
  readonly tool: string;
  readonly bundle: string;
  readonly input: Json;
  readonly tenant?: string | undefined;
  /** `POST https://api.example.com`; absent for a call. */
  readonly effect?: string | undefined;
}

export function fits(rule: Rule, about: RuleCase, nowMs: number): boolean {
  // guard: rule-without-secrets
  if (rule.withoutSecrets === true && mayHoldSecret(about.input)) return false;
  return (
    matchesName(rule.plugin, about.plugin) &&
    matchesName(rule.tool, about.tool) &&
    fitsEffect(rule.effect, about.effect) &&
    fitsBundle(rule, about.bundle) &&
    fitsTenant(rule, about.tenant) &&
    // An invalid end means that the rule does not apply.
    (rule.until === undefined || nowMs < Date.parse(rule.until)) &&
    meetsAll(about.input, rule.input)
  );
}

/** Whether an input meets every condition. */
export function meetsAll(input: Json, conditions: Rule['input'] = {}): boolean {
  return Object.entries(conditions).every(([path, condition]) =>
    meets(memberOf(input, path), condition),
  );
}

/** A rule for calls never applies to a request, and the other way round. */
function fitsEffect(wanted: Rule['effect'], sent: string | undefined): boolean {
  if (typeof wanted !== 'object' || sent === undefined) return wanted === sent;
  const [method, origin = ''] = sent.split(' ');
  if (!URL.canParse(origin)) return false;
  // guard: effect-rule-compares-host
  if (new URL(origin).hostname !== wanted.host.toLowerCase()) return false;
  return wanted.method === undefined || wanted.method.toUpperCase() === method;
}

/** Whether a name matches a pattern, in which each `*` stands for any text, also for none. */
export function matchesName(pattern: string, name: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return pattern === name;
  // guard: rule-pattern-anchored
  if (name.length < first.length + last.length || !name.startsWith(first) || !name.endsWith(last))
    return false;
  let at = first.length;
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found < 0 || found + part.length > name.length - last.length) return false;
    at = found + part.length;
  }
  return true;
}

/** An allow applies to the reviewed code; the other verdicts apply to any code by default. */
function fitsBundle({ verdict, bundle }: Rule, running: string): boolean {
  // guard: allow-rule-bound-to-bundle
  if (bundle === undefined) return verdict !== 'allow';
  return bundle === '*' || bundle === running;
}

/** An allow without a tenant does not apply to calls of a tenant. */
function fitsTenant({ verdict, tenant }: Rule, calling: string | undefined): boolean {
  if (tenant === '*') return true;
  if (tenant === undefined && verdict !== 'allow') return true;
  return tenant === calling;
}

/** How specific a rule is: `decide` returns the most specific of several rules. */
function specificity(rule: Rule): number {
  const conditions = Object.keys(rule.input ?? {}).length;
  return (
    (rule.plugin.includes('*') ? Math.min(rule.plugin.length - 1, 400) : 1_000) +
    (rule.tool.includes('*') ? Math.min(rule.tool.length - 1, 200) : 500) +
    (rule.tenant === undefined ? 0 : 250) +
    Math.min(conditions, 200) +
    (rule.bundle === undefined || rule.bundle === '*' ? 0 : 1)
  );
}

function memberOf(input: Json, path: string): Json | undefined {
  let value: Json | undefined = input;
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null) return undefined;
    const members: ReadonlyMap<string, Json> = new Map(Object.entries(value));
    value = members.get(key);
  }
  return value;
}

function meets(value: Json | undefined, condition: Condition): boolean {
  if (value === undefined) return false;
  if ('startsWith' in condition) {
    return typeof value === 'string' && value.startsWith(condition.startsWith);
  }
  if ('under' in condition) return typeof value === 'string' && isUnder(value, condition.under);
  const wanted = 'oneOf' in condition ? condition.oneOf : [condition.equals];
  return wanted.some((one) => canonicalJson(one) === canonicalJson(value));
}

export interface Decision {
  readonly verdict: Rule['verdict'];
  readonly rule: Rule;
}

/**
 * The rules' decision: a deny wins over an ask, and an ask over an allow. Returns the most specific rule
 * with that verdict. A rule cannot allow high risk, which needs approval for each call.
 */
export function decide(
  rules: readonly Rule[],
  about: RuleCase,
  risk: RiskBand,
  nowMs: number,
): Decision | undefined {
  const fitting = rules.filter((rule) => fits(rule, about, nowMs));
  for (const verdict of ['deny', 'ask', 'allow'] as const) {
    // guard: high-risk-never-by-rule
    if (verdict === 'allow' && risk === 'high') return undefined;
    const [rule] = fitting
      .filter((one) => one.verdict === verdict)
      .toSorted((a, b) => specificity(b) - specificity(a));
    if (rule !== undefined) return { verdict, rule };
  }
  return undefined;
}

/** A rule as text: `allow weather:weather if input.city is "Oslo" with bundle sha512-ab12…`. */
export function sentenceOf(rule: Rule): string {
  const which =
    rule.plugin === '*' && rule.tool === '*' ? 'everything' : `${rule.plugin}:${rule.tool}`;
  const conditions = conditionSentences(rule.input ?? {});
  return [
    `${rule.verdict} ${which}`,
    ...(rule.effect === undefined ? [] : [`to send ${effectText(rule.effect)}`]),
    ...(conditions.length === 0 ? [] : [`if ${conditions.join(' and ')}`]),
    ...(rule.withoutSecrets === true ? ['without credentials in the input'] : []),
    ...(rule.tenant === undefined ? [] : [`for ${rule.tenant}`]),
    ...(rule.verdict === 'allow' ? [bundleText(rule.bundle)] : []),
    ...(rule.until === undefined ? [] : [`until ${rule.until}`]),
  ].join(' ');
}

/** Conditions as texts: `input.city is "Oslo"`. */
export function conditionSentences(conditions: NonNullable<Rule['input']>): string[] {
  return Object.entries(conditions).map(
    ([path, condition]) => `input.${path} ${conditionText(condition)}`,
  );
}

function effectText(effect: string | EffectTarget): string {
  if (typeof effect === 'string') return effect;
  return `${effect.method ?? 'any request'} to ${effect.host}`;
}

function bundleText(bundle: string | undefined): string {
  if (bundle === undefined) return '(without a bundle: it never applies)';
  return bundle === '*' ? 'with any bundle' : `with bundle ${bundle.slice(0, 19)}…`;
}

function conditionText(condition: Condition): string {
  if ('startsWith' in condition) return `starts with ${JSON.stringify(condition.startsWith)}`;
  if ('under' in condition) return `is in ${JSON.stringify(condition.under)}`;
  if ('oneOf' in condition)
    return `is one of ${condition.oneOf.map((one) => JSON.stringify(one)).join(', ')}`;
  return `is ${JSON.stringify(condition.equals)}`;
}
