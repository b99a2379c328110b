import type { Json } from '../../sandbox/wire/messages.js';
import {
  readShape,
  array,
  oneOf,
  record,
  type Shape,
  type ShapeResult,
  string,
} from '../schema/shape.js';
import { object, optional } from '../schema/shape-object.js';
import type { Condition, Rule } from './rule.js';

/**
 * Reads the text of a file of rules. One that cannot be read whole is not read at all: of a rule
 * whose condition is misspelt, what is left would allow more than somebody meant.
 */
export function parseRules(text: string): ShapeResult<readonly Rule[]> {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch (error) {
    const why = error instanceof Error ? error.message.slice(0, 200) : String(error);
    return { ok: false, problems: [`rules: are not JSON: ${why}`] };
  }
  const read = readShape(fileShape, data, 'rules');
  if (!read.ok) return read;
  const { rules } = read.value;
  const problems = rules.flatMap(problemsOf);
  return problems.length === 0 ? { ok: true, value: rules } : { ok: false, problems };
}

/** The text of a file that holds these rules, for people to read, too. */
export function formatRules(rules: readonly Rule[]): string {
  return `${JSON.stringify({ version: 1, rules }, undefined, 2)}\n`;
}

const MAX_CONDITIONS = 50;

function problemsOf(rule: Rule, index: number, all: readonly Rule[]): string[] {
  const at = `rules[${index}]`;
  const twice = all.findIndex(({ id }) => id === rule.id) < index;
  const conditions = Object.keys(rule.input ?? {}).length;
  return [
    ...(twice ? [`${at}.id: another rule has the id ${rule.id}`] : []),
    ...(rule.verdict === 'allow' && rule.bundle === undefined
      ? [`${at}.bundle: is missing; an allow names the code that it is for, or "*" for any`]
      : []),
    ...(conditions > MAX_CONDITIONS
      ? [`${at}.input: has more than ${MAX_CONDITIONS} conditions`]
      : []),
  ];
}

const json: Shape<Json> = {
  read: (value) => {
    const copy: Json = JSON.parse(JSON.stringify(value));
    return { value: copy };
  },
};

const conditionShape: Shape<Condition> = {
  read: (value, at, problems) => {
    const shapes: readonly Shape<Condition>[] = [
      object({ equals: json }, 'refuse'),
      object({ oneOf: array(json) }, 'refuse'),
      object({ startsWith: string() }, 'refuse'),
    ];
    for (const shape of shapes) {
      const read = shape.read(value, at, []);
      if (read !== undefined) return read;
    }
    problems.push(`${at}: must be one of {"equals": …}, {"oneOf": […]} and {"startsWith": "…"}`);
    return undefined;
  },
};

const word = string('a text that is not empty', (text) => text !== '');
const time = string('a time in ISO 8601', (text) => !Number.isNaN(Date.parse(text)));

const ruleShape: Shape<Rule> = object(
  {
    id: string('a text of 1 to 64 letters, digits, "-" and "_"', (text) =>
      /^[\w-]{1,64}$/.test(text),
    ),
    verdict: oneOf('allow', 'ask', 'deny'),
    plugin: word,
    tool: word,
    bundle: optional(word),
    input: optional(record(conditionShape)),
    effect: optional(word),
    tenant: optional(word),
    until: optional(time),
    reason: optional(string()),
    by: optional(string()),
    at: optional(time),
  },
  'refuse',
);

const fileShape = object(
  { $schema: optional(string()), version: oneOf(1), rules: array(ruleShape) },
  'refuse',
);
