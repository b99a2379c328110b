import type { Json } from '../../sandbox/wire/messages.js';
import {
  array,
  boolean,
  number,
  object,
  oneOf,
  optional,
  readShape,
  record,
  type Shape,
  string,
} from '../schema/shape.js';
import type { Answer, StoredQuestion, Verdict } from './approver.js';
import { conditionShape } from './rule-book.js';

/** The question in a text. A text of another version, or with errors, does not count. */
export function parseQuestion(text: string | undefined): StoredQuestion | undefined {
  return parse(questionShape, text);
}

/** The answer in a text, if it answers that question with a verdict that the question offers. */
export function parseAnswer(
  text: string | undefined,
  { digest, offers }: StoredQuestion,
): (Answer & { readonly by: string; readonly atMs: number }) | undefined {
  const read = parse(answerShape, text);
  if (read === undefined) return undefined;
  const { digest: answered, ...answer } = read;
  // guard: stored-answer-bound-to-digest
  return answered === digest && offers.includes(answer.verdict) ? answer : undefined;
}

/** How an approval ended. A text that cannot be read also ends an approval. */
export function parseEnd(text: string | undefined): 'spent' | 'withdrawn' | undefined {
  return text === undefined ? undefined : (parse(endShape, text)?.how ?? 'spent');
}

function parse<T>(shape: Shape<T>, text: string | undefined): T | undefined {
  if (text === undefined) return undefined;
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    return undefined;
  }
  const read = readShape(shape, data, 'approval');
  return read.ok ? read.value : undefined;
}

/** Text that `JSON.parse` returned. */
const json: Shape<Json> = {
  read: (value) => {
    const copy: Json = JSON.parse(JSON.stringify(value));
    return { value: copy };
  },
};

const verdict: Shape<Verdict> = oneOf('deny', 'once', 'session', 'always');

const header: Shape<readonly [string, string]> = {
  read: (value, at, problems) => {
    const read = array(string()).read(value, at, problems);
    const [name, text] = read?.value ?? [];
    return name === undefined || text === undefined ? undefined : { value: [name, text] };
  },
};

const questionShape: Shape<StoredQuestion> = object({
  approvalId: string(),
  kind: oneOf('call', 'effect'),
  callId: string(),
  plugin: string(),
  version: optional(string()),
  bundle: string(),
  tool: string(),
  id: string(),
  title: string(),
  input: json,
  shown: string(),
  risk: oneOf('low', 'medium', 'high'),
  riskWhy: string(),
  why: string(),
  effect: optional(
    object({
      method: string(),
      url: string(),
      headers: array(header),
      body: optional(string()),
      bodyBytes: optional(number),
    }),
  ),
  digest: string(),
  tenant: optional(string()),
  asker: optional(string()),
  reference: optional(string()),
  conversationId: optional(string()),
  offers: array(verdict),
  askedAtMs: number,
  expiresAtMs: number,
});

const answerShape = object({
  verdict,
  reason: optional(string()),
  by: string(),
  approver: optional(oneOf('person', 'flag', 'program')),
  channel: optional(oneOf('terminal', 'command-line', 'http', 'mcp', 'rules', 'host')),
  input: optional(record(conditionShape)),
  withoutSecrets: optional(boolean),
  until: optional(string()),
  atMs: number,
  digest: string(),
});

const endShape = object({ how: oneOf('spent', 'withdrawn'), atMs: number });
