import { createHash } from 'node:crypto';
import type { Json, JsonObject } from '../../sandbox/wire/messages.js';
import type { CouncilMember } from './settings.js';
import type { CouncilTool } from './tools.js';

/** A function as models' APIs are told of it. */
export interface InlineFunction {
  /** Every model's API accepts it: `[a-zA-Z0-9_-]{1,64}`. */
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject;
}

/** What one function stands for. A tool that is nobody's is called without a member. */
export interface InlineTarget {
  readonly member: CouncilMember | undefined;
  readonly tool: CouncilTool;
}

/** The functions of one generation, by the names that the model calls them by. */
export interface InlineFunctions {
  readonly functions: readonly InlineFunction[];
  find(name: string): InlineTarget | undefined;
}

const MAX_NAME = 64;

/** A model reads every description in every generation. */
const MAX_DESCRIPTION = 1_024;

/** Names are looked up and never taken apart, so that a tool's own may hold what separates others. */
export function makeInlineFunctions(targets: readonly InlineTarget[]): InlineFunctions {
  const byName = new Map<string, InlineTarget>();
  const functions = targets.map((target): InlineFunction => {
    const name = freeName(target, byName);
    byName.set(name, target);
    return {
      name,
      description: describe(target),
      parameters: target.tool.kind === 'plugin' ? target.tool.tool.inputSchema : PROMPT_SCHEMA,
    };
  });
  return { functions, find: (name) => byName.get(name) };
}

const PROMPT_SCHEMA: JsonObject = { type: 'object', properties: {} };

function freeName({ member, tool }: InlineTarget, taken: ReadonlyMap<string, unknown>): string {
  const bare = tool.kind === 'plugin' ? tool.tool.name : tool.name;
  const whole = clean(member === undefined ? bare : `${member.memberId.slice(0, 8)}_${bare}`);
  if (whole.length <= MAX_NAME && !taken.has(whole)) return whole;
  const id = JSON.stringify([member?.memberId, tool.name]);
  const hash = createHash('sha256').update(id).digest('hex').slice(0, 12);
  return `${whole.slice(0, MAX_NAME - hash.length - 1)}_${hash}`;
}

function clean(text: string): string {
  return text.replaceAll(/[^a-zA-Z0-9_-]/g, '_');
}

function describe({ member, tool }: InlineTarget): string {
  const who = member === undefined ? '' : `As ${member.name}: `;
  const plain = `${who}${tool.displayName}. ${tool.description}`
    // eslint-disable-next-line no-control-regex -- exactly these characters are what is taken out
    .replaceAll(/[\u0000-\u001f\u007f]+/g, ' ');
  return plain.length <= MAX_DESCRIPTION ? plain : `${plain.slice(0, MAX_DESCRIPTION - 1)}…`;
}

/** What a model wrote as arguments: a text of JSON, or an object already. */
export function readArguments(given: unknown): Json {
  const value: unknown =
    typeof given === 'string' && given.trim() !== '' ? JSON.parse(given) : given;
  const copy: Json = JSON.parse(JSON.stringify(value ?? {})) ?? {};
  return typeof copy === 'object' ? copy : {};
}
