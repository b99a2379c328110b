import { isRecord } from '../../sandbox/wire/json.js';
import { randomBytes } from 'node:crypto';
import type { Json } from '../../sandbox/wire/messages.js';
import { BulkheadError } from '../errors.js';
import {
  type Shape,
  type ShapeResult,
  array,
  boolean,
  object,
  oneOf,
  optional,
  readShape,
  record,
  string,
} from '../schema/shape.js';
import { originOf } from './effect-target.js';
import type { Condition, EffectTarget, Rule } from './rule.js';

/** Stores the text of the rules. */
export interface RuleFile {
  /** For messages. */
  readonly name: string;
  /** The current text; `undefined` if the file does not exist. */
  read(): string | undefined;
  /** Replaces the text atomically. */
  write(text: string): void;
}

/** The current rules of a file. An edit of the file takes effect at the next call. */
export interface RuleBook {
  /** Throws `INVALID_RULES` if the file is not valid. */
  list(): readonly Rule[];
  /** Adds a rule. Throws `INVALID_RULES` and errors of the write. */
  add(rule: Omit<Rule, 'id'>): Rule;
  /** Removes a rule. Returns whether a rule with that id existed. */
  remove(id: string): boolean;
}

/** A rule book over a file. */
export function openRuleBook(file: RuleFile): RuleBook {
  let lastText: string | undefined;
  let last: readonly Rule[] = [];

  const list = (): readonly Rule[] => {
    const text = file.read();
    if (text === lastText) return last;
    const read = text === undefined ? { ok: true as const, value: [] } : parseRules(text);
    if (!read.ok) throw invalidRules(file.name, read.problems);
    lastText = text;
    last = read.value;
    return last;
  };

  return {
    list,
    add: (rule) => {
      const rules = list();
      const added = { id: `r-${randomBytes(4).toString('hex')}`, ...rule };
      const problems = neverMatches(added).map(([member, why]) => `${member}: ${why}`);
      if (problems.length > 0) throw invalidRule(problems);
      file.write(formatRules([...rules, added]));
      return added;
    },
    remove: (id) => {
      const rules = list();
      const left = rules.filter((rule) => rule.id !== id);
      if (left.length === rules.length) return false;
      file.write(formatRules(left));
      return true;
    },
  };
}

/** A rule book in memory. */
export function makeRuleBook(): RuleBook {
  let text: string | undefined;
  return openRuleBook({
    name: 'rules',
    read: () => text,
    write: (next) => {
      text = next;
    },
  });
}

function invalidRule(problems: readonly string[]): BulkheadError<'INVALID_RULES'> {
  return new BulkheadError('INVALID_RULES', `The rule was not added: ${problems.join('; ')}.`, {
    file: '',
    problems,
  });
}

function invalidRules(file: string, problems: readonly string[]): BulkheadError<'INVALID_RULES'> {
  return new BulkheadError(
    'INVALID_RULES',
    `The rules in ${file} are not valid, so the engine does not use any of them: ${problems.join('; ')}. Correct the file, or remove it to start without rules.`,
    { file, problems },
  );
}

/**
 * Reads the text of a rules file. Rejects the whole file if one rule is not valid: without a misspelt
 * condition, a rule would allow too much.
 */
export function parseRules(text: string): ShapeResult<readonly Rule[]> {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch (error) {
    const why = error instanceof Error ? error.message.slice(0, 200) : String(error);
    return { ok: false, problems: [`rules: are not JSON: ${why}`] };
  }
  if (isRecord(data) && data['version'] === 1) return { ok: false, problems: [OLD_VERSION] };
  const read = readShape(fileShape, data, 'rules');
  if (!read.ok) return read;
  const { rules } = read.value;
  const problems = rules.flatMap(problemsOf);
  return problems.length === 0 ? { ok: true, value: rules } : { ok: false, problems };
}

const OLD_VERSION =
  'rules: are of version 1, and version 2 is required. The rules themselves are the same: write "version": 2';

/** The text of a rules file. */
export function formatRules(rules: readonly Rule[]): string {
  return `${JSON.stringify({ version: 2, rules }, undefined, 2)}\n`;
}

const MAX_CONDITIONS = 50;

function problemsOf(rule: Rule, index: number, all: readonly Rule[]): string[] {
  const at = `rules[${index}]`;
  const isDuplicate = all.findIndex(({ id }) => id === rule.id) < index;
  const conditions = Object.keys(rule.input ?? {}).length;
  return [
    ...(isDuplicate ? [`${at}.id: another rule has the id ${rule.id}`] : []),
    ...(rule.verdict === 'allow' && rule.bundle === undefined
      ? [
          `${at}.bundle: is missing. An allow names the bundle that it applies to, or "*" for any bundle`,
        ]
      : []),
    // guard: unmatchable-rule-refused
    ...neverMatches(rule).map(([member, why]) => `${at}.${member}: ${why}`),
    ...(conditions > MAX_CONDITIONS
      ? [`${at}.input: has more than ${MAX_CONDITIONS} conditions`]
      : []),
  ];
}

/** Members by which a rule can never match, whatever is installed. */
function neverMatches({ bundle, effect }: Rule): [member: string, why: string][] {
  return [
    ...(bundle === undefined || bundle === '*' || /^(?:sha\d{3}-.|[\da-f]{64}(?: |$))/.test(bundle)
      ? []
      : ([
          [
            'bundle',
            'is not the hash of a bundle, so the rule would never match. Use sha512-… or "*"',
          ],
        ] satisfies [string, string][])),
    ...(typeof effect !== 'string' || isTarget(effect)
      ? []
      : ([
          [
            'effect',
            'is not a method and an origin, so the rule would never match. Write it as in "POST https://api.example.com"',
          ],
        ] satisfies [string, string][])),
  ];
}

function isTarget(effect: string): boolean {
  const [, url = ''] = /^[A-Z]+ (\S+)$/.exec(effect) ?? [];
  return URL.canParse(url) && originOf(url) === url;
}

const json: Shape<Json> = {
  read: (value) => {
    const copy: Json = JSON.parse(JSON.stringify(value));
    return { value: copy };
  },
};

export const conditionShape: Shape<Condition> = {
  read: (value, at, problems) => {
    const shapes: readonly Shape<Condition>[] = [
      object({ equals: json }, 'refuse'),
      object({ oneOf: array(json) }, 'refuse'),
      object({ startsWith: string() }, 'refuse'),
      object({ under: string() }, 'refuse'),
    ];
    for (const shape of shapes) {
      const read = shape.read(value, at, []);
      if (read !== undefined) return read;
    }
    problems.push(
      `${at}: must be one of {"equals": …}, {"oneOf": […]}, {"startsWith": "…"} and {"under": "…"}`,
    );
    return undefined;
  },
};

const nonEmpty = string('a text that is not empty', (text) => text !== '');
const time = string('a time in ISO 8601', (text) => !Number.isNaN(Date.parse(text)));

const targetShape = object({ host: nonEmpty, method: optional(nonEmpty) }, 'refuse');

const effectShape: Shape<string | EffectTarget> = {
  read: (value, at, problems) =>
    (typeof value === 'string' ? nonEmpty : targetShape).read(value, at, problems),
};

const ruleShape: Shape<Rule> = object(
  {
    id: string('a text of 1 to 64 letters, digits, "-" and "_"', (text) =>
      /^[\w-]{1,64}$/.test(text),
    ),
    verdict: oneOf('allow', 'ask', 'deny'),
    plugin: nonEmpty,
    tool: nonEmpty,
    bundle: optional(nonEmpty),
    input: optional(record(conditionShape)),
    effect: optional(effectShape),
    tenant: optional(nonEmpty),
    withoutSecrets: optional(boolean),
    until: optional(time),
    reason: optional(string()),
    by: optional(string()),
    at: optional(time),
  },
  'refuse',
);

const fileShape = object(
  { $schema: optional(string()), version: oneOf(2), rules: array(ruleShape) },
  'refuse',
);
