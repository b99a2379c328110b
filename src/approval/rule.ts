import type { Json } from '../../sandbox/wire/messages.js';
import { canonicalJson } from '../plugin/canonical.js';

/**
 * What somebody decided once and for later. Rules are few, seen by everybody who may see the host's
 * files, and can be taken back: the next call is decided without them.
 */
export interface Rule {
  /** Names the rule, for records and for taking it back. */
  readonly id: string;
  /**
   * `allow` answers for a person where a call asks, and never where the risk is high. `ask` makes
   * ask what would run. `deny` refuses.
   */
  readonly verdict: 'allow' | 'ask' | 'deny';
  /** A plugin's id, or `*`. */
  readonly plugin: string;
  /** A tool's id within its plugin, or `*`. */
  readonly tool: string;
  /** The bundle for which an `allow` holds; `*`: whatever the plugin's code becomes. */
  readonly bundle?: string;
  /** What members of the input have to be, by path: `city`, `address.country`. */
  readonly input?: Readonly<Record<string, Condition>>;
  /** Holds for that request of a running tool, `POST https://api.example.com`, not for its call. */
  readonly effect?: string;
  /** For whom; `*`: for anybody. An `allow` without it is for calls that name nobody. */
  readonly tenant?: string;
  /** When it ends, as ISO 8601. */
  readonly until?: string;
  readonly reason?: string;
  readonly by?: string;
  /** When it was made, as ISO 8601. */
  readonly at?: string;
}

/** What a member of the input has to be. A member that is not there fits nothing. */
export type Condition =
  | { readonly equals: Json }
  | { readonly oneOf: readonly Json[] }
  | { readonly startsWith: string };

/** A call, or a request of a running one, as rules see it. */
export interface RuleCase {
  readonly plugin: string;
  readonly tool: string;
  readonly bundle: string;
  readonly input: Json;
  readonly tenant?: string | undefined;
  /** `POST https://api.example.com`; absent where a call asks. */
  readonly effect?: string | undefined;
}

export function fits(rule: Rule, about: RuleCase, nowMs: number): boolean {
  return (
    (rule.plugin === '*' || rule.plugin === about.plugin) &&
    (rule.tool === '*' || rule.tool === about.tool) &&
    rule.effect === about.effect &&
    fitsBundle(rule, about.bundle) &&
    fitsTenant(rule, about.tenant) &&
    // What has no end that can be read has none that can be trusted.
    (rule.until === undefined || nowMs < Date.parse(rule.until)) &&
    Object.entries(rule.input ?? {}).every(([path, condition]) =>
      meets(memberOf(about.input, path), condition),
    )
  );
}

/** An allow is for the code that was looked at; what refuses holds for whatever comes. */
function fitsBundle({ verdict, bundle }: Rule, running: string): boolean {
  if (bundle === undefined) return verdict !== 'allow';
  return bundle === '*' || bundle === running;
}

/** What was allowed for nobody in particular is not allowed for each in particular. */
function fitsTenant({ verdict, tenant }: Rule, calling: string | undefined): boolean {
  if (tenant === '*') return true;
  if (tenant === undefined && verdict !== 'allow') return true;
  return tenant === calling;
}

/** How much a rule says of what it is for: of several that fit, the one that says most is named. */
export function specificity(rule: Rule): number {
  const conditions = Object.keys(rule.input ?? {}).length;
  return (
    (rule.plugin === '*' ? 0 : 1_000) +
    (rule.tool === '*' ? 0 : 500) +
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
  const wanted = 'oneOf' in condition ? condition.oneOf : [condition.equals];
  return wanted.some((one) => canonicalJson(one) === canonicalJson(value));
}
