import { isRecord } from '../../sandbox/wire/json.js';
import type { Json } from '../../sandbox/wire/messages.js';
import { canonicalJson } from '../canonical.js';
import type { StoredQuestion } from './approver.js';
import type { Condition, Rule } from './rule.js';
import { folderOf } from './under.js';

/** Conditions on the members of an input, by path. */
export type InputConditions = Readonly<Record<string, Condition>>;

/**
 * The narrowest conditions that one answer can cover later calls with. A member that has the same value in all
 * the given inputs must keep it; a path or URL must stay in its folder; names and addresses that differ must be
 * among these. Free text, other values that differ, and the number of a thing in something that another member
 * names, may vary. `undefined`: an input has a member that no condition can name.
 */
export function conditionsFor(inputs: readonly Json[]): InputConditions | undefined {
  const all = inputs.map(membersOf);
  const [first] = all;
  if (first === undefined || all.some((one) => one === undefined)) return undefined;
  const conditions: Record<string, Condition> = {};
  for (const [path, value] of first) {
    const values = all.map((one) => one?.get(path));
    const condition = conditionOf(path, value, values);
    if (condition !== undefined) conditions[path] = condition;
  }
  const isNamed = Object.values(conditions).some(
    (one) => 'equals' in one && typeof one.equals === 'string',
  );
  for (const [path, value] of first) {
    // guard: number-of-a-named-thing
    if (isNamed && isNumberOfOne(path, value)) delete conditions[path];
  }
  return conditions;
}

/** The members of an input that conditions leave open, by path. */
export function openMembers(input: Json, conditions: InputConditions): string[] {
  return [...(membersOf(input) ?? new Map<string, Json>()).keys()].filter(
    (path) => !Object.hasOwn(conditions, path),
  );
}

/** Whether a member counts things: issue 41 of a repository, page 3 of a book. Not an amount or a limit. */
function isNumberOfOne(path: string, value: Json): boolean {
  const name = path.split('.').at(-1) ?? '';
  return typeof value === 'number' && Number.isInteger(value) && COUNTER.test(name);
}

const COUNTER =
  /^(?:number|index|page|line|row|issue|chapter)$|(?:Number|Index|Page)$|_(?:number|index|page)$/;

function conditionOf(
  path: string,
  value: Json,
  values: readonly (Json | undefined)[],
): Condition | undefined {
  const same = values.every(
    (one) => one !== undefined && canonicalJson(one) === canonicalJson(value),
  );
  const folders = values.map((one) => (typeof one === 'string' ? folderOf(one) : undefined));
  const [folder] = folders;
  const inOneFolder = folder !== undefined && folders.every((one) => one === folder);
  // `acme/heat` in a member `repo` is a name, and another name in `acme/` is another thing.
  // guard: one-name-is-not-its-folder
  if (inOneFolder && (same ? isFile(path, value) : values.every(hasExtension))) {
    return { under: folder };
  }
  if (isFreeText(value)) return undefined;
  if (same) return { equals: value };
  // guard: differing-names-listed
  return values.some(isName) ? { oneOf: distinct(values) } : undefined;
}

/** The name of a person, place or thing: an address, a URL, a path, `acme/heat`. */
function isName(value: Json | undefined): boolean {
  return typeof value === 'string' && /[@/\\:]|\.[a-z]/i.test(value);
}

function distinct(values: readonly (Json | undefined)[]): Json[] {
  const known = new Map(values.map((value) => [canonicalJson(value ?? null), value ?? null]));
  return [...known.values()];
}

/** Whether a member names a file: by its own name, and by the extension of its value. */
function isFile(path: string, value: Json): boolean {
  return /(?:path|file|filename)$/i.test(path) && hasExtension(value);
}

function hasExtension(value: Json | undefined): boolean {
  return typeof value === 'string' && /\.[a-z0-9]{1,8}$/i.test(value);
}

/** Text for people. Names, ids, addresses and dates have no blanks. */
function isFreeText(value: Json): boolean {
  return typeof value === 'string' && (/\s/u.test(value.trim()) || value === '');
}

const MAX_MEMBERS = 40;

/** The members of an input that conditions can name: those whose path has no other reading. */
function membersOf(input: Json): ReadonlyMap<string, Json> | undefined {
  if (!isRecord(input)) return undefined;
  const members = new Map<string, Json>();
  const walk = (value: Readonly<Record<string, Json>>, prefix: string): boolean =>
    Object.entries(value).every(([key, member]) => {
      if (key.includes('.') || members.size >= MAX_MEMBERS) return false;
      if (isRecord(member) && Object.keys(member).length > 0)
        return walk(member, `${prefix}${key}.`);
      members.set(`${prefix}${key}`, member);
      return true;
    });
  return walk(input, '') ? members : undefined;
}

/** Milliseconds after which a proposed rule ends. */
const RULE_MS = 7 * 86_400_000;

/**
 * The rule that an answer to this question could store: for its tool, its artifact and its tenant, with an
 * expiry. `undefined`: high risk is never proposed, and a name with `*` would match more than its tool.
 */
export function proposeRule(
  question: Pick<StoredQuestion, 'plugin' | 'tool' | 'bundle' | 'tenant' | 'risk' | 'kind'>,
  input: InputConditions,
  nowMs: number,
): Rule | undefined {
  const { plugin, tool, bundle, tenant, risk, kind } = question;
  // guard: high-risk-never-proposed
  if (risk === 'high' || kind === 'effect') return undefined;
  if (plugin.includes('*') || tool.includes('*')) return undefined;
  return {
    id: 'proposed',
    verdict: 'allow',
    plugin,
    tool,
    bundle,
    ...(Object.keys(input).length === 0 ? {} : { input }),
    ...(tenant === undefined ? {} : { tenant }),
    withoutSecrets: true,
    until: `${new Date(nowMs + RULE_MS).toISOString().slice(0, 19)}Z`,
  };
}
