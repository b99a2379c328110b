import type { Json, JsonObject } from '../../../sandbox/wire/messages.js';
import { BulkheadError } from '../../errors.js';
import type { CallPreparation, PreparedCall } from '../format.js';
import { isRecord } from '../../../sandbox/wire/json.js';

/**
 * The payload of one tool invocation (Spindle tools, Invocation payload): the caller's arguments
 * without claims about users, and the host's part. A call for a council or with a chat also gets
 * the chat as text and its deadline. These replace arguments of the same names.
 *
 * Reads from `context`: `requestId`, `councilMember`, `contextMessages`, and `context`, the chat as
 * text (default: built from the messages). Throws `INVALID_OPTIONS`.
 */
export function prepareInvocation(call: CallPreparation): PreparedCall {
  const { input, inputSchema, callId } = call;
  const given: JsonObject = call.context ?? {};
  const messages = readMessages(given['contextMessages']);
  const member = readMember(given['councilMember']);
  const { context: written, requestId } = given;
  const text =
    typeof written === 'string'
      ? written
      : messages === undefined
        ? undefined
        : formatMessages(messages);
  const hasChat = text !== undefined || member !== undefined;
  const hostPart: JsonObject = {
    requestId: typeof requestId === 'string' && requestId !== '' ? requestId : callId,
    ...(member === undefined ? {} : { councilMember: member }),
    ...(messages === undefined ? {} : { contextMessages: messages }),
    ...(hasChat ? { context: text ?? '' } : {}),
  };
  return {
    input: stripUsers(input, inputSchema),
    context: (deadlineAtMs): Json =>
      hasChat ? { ...hostPart, deadlineMs: deadlineAtMs } : hostPart,
  };
}

function readMessages(given: Json | undefined): ReturnType<typeof flattenMessages> {
  if (given === undefined || given === null) return undefined;
  const messages = flattenMessages(given);
  if (messages !== undefined) return messages;
  throw invalid('contextMessages', 'a list of messages: [{"role": "user", "content": "…"}]');
}

function readMember(given: Json | undefined): ReturnType<typeof readCouncilMember> {
  if (given === undefined || given === null) return undefined;
  const member = readCouncilMember(given);
  if (member !== undefined) return member;
  throw invalid('councilMember', 'an object: {"memberId": "…", "name": "…"}');
}

function invalid(field: string, takes: string): BulkheadError {
  const option = `context.${field}`;
  return new BulkheadError('INVALID_OPTIONS', `The option ${option} takes ${takes}.`, { option });
}

/**
 * Arguments without claims about the user (Spindle tools, No userId in args). A model writes
 * arguments, so such a claim proves nothing. The host sends the user separately.
 *
 * `__userId`, `__user_id` and `userId` are removed at the top. Similar names (`UserId`, `user_id`,
 * nested ones) are removed unless the tool's schema has them at that path.
 */
export function stripUsers(args: Json, schema: JsonObject): Json {
  return strip(args, schema, 0);
}

const ALWAYS: ReadonlySet<string> = new Set(['__userId', '__user_id', 'userId']);

/** The wire refuses deeper inputs. */
const MAX_DEPTH = 200;

function strip(value: Json, schema: unknown, depth: number): Json {
  if (depth > MAX_DEPTH || typeof value !== 'object' || value === null) return value;
  if (isList(value)) {
    const items: unknown = isRecord(schema) ? schema['items'] : undefined;
    return value.map((item) => strip(item, items, depth + 1));
  }
  const properties: unknown = isRecord(schema) ? schema['properties'] : undefined;
  const named = isRecord(properties) ? properties : {};
  const entries = Object.entries(value).flatMap(([key, member]): [string, Json][] => {
    const isNamed = Object.hasOwn(named, key);
    if (depth === 0 && ALWAYS.has(key)) return [];
    // guard: spindle-user-arguments-stripped
    if (looksLikeUser(key) && !isNamed) return [];
    return [[key, strip(member, isNamed ? named[key] : undefined, depth + 1)]];
  });
  return Object.fromEntries(entries);
}

function looksLikeUser(key: string): boolean {
  return key.replaceAll(/[_\s-]/g, '').toLowerCase() === 'userid';
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

/** The council member that a tool is called for (Spindle tools, Council member context). */
export interface CouncilMemberContext extends JsonObject {
  /** The id of the member's row in the council's settings. */
  readonly memberId: string;
  /** The id of the item that the member is based on, and its pack. */
  readonly itemId: string;
  readonly packId: string;
  readonly packName: string;
  readonly name: string;
  /** As the user wrote it; empty by default. */
  readonly role: string;
  /** The probability that the member takes part, in percent. */
  readonly chance: number;
  /** Relative to the host. */
  readonly avatarUrl: string | null;
  readonly definition: string;
  readonly personality: string;
  readonly behavior: string;
  /** 0 feminine, 1 masculine, 2 neutral, 3 any. */
  readonly genderIdentity: number;
}

/** A member with its twelve fields; missing ones are empty. `undefined` for other values. */
export function readCouncilMember(given: unknown): CouncilMemberContext | undefined {
  if (!isRecord(given)) return undefined;
  const text = (field: string): string => (typeof given[field] === 'string' ? given[field] : '');
  const { avatarUrl, chance, genderIdentity } = given;
  return {
    memberId: text('memberId'),
    itemId: text('itemId'),
    packId: text('packId'),
    packName: text('packName'),
    name: text('name'),
    role: text('role'),
    chance: typeof chance === 'number' && Number.isFinite(chance) ? clamp(chance) : 100,
    avatarUrl: typeof avatarUrl === 'string' ? avatarUrl : null,
    definition: text('definition'),
    personality: text('personality'),
    behavior: text('behavior'),
    genderIdentity: isGender(genderIdentity) ? genderIdentity : 3,
  };
}

function clamp(chance: number): number {
  return Math.min(100, Math.max(0, chance));
}

function isGender(value: unknown): value is number {
  return value === 0 || value === 1 || value === 2 || value === 3;
}

/** One message of a chat, as extensions see it (Spindle tools, Structured context messages). */
export interface ContextMessage extends JsonObject {
  /** `system`, `user` or `assistant`. Other roles of the host pass unchanged. */
  readonly role: string;
  readonly content: string;
}

/**
 * Messages with only their text: the text parts of a content are joined, images and sounds are
 * dropped. `undefined` if the value is not a list of messages.
 */
export function flattenMessages(given: unknown): readonly ContextMessage[] | undefined {
  if (!Array.isArray(given)) return undefined;
  const messages = given.map(flattenMessage);
  return messages.every((message) => message !== undefined) ? messages : undefined;
}

function flattenMessage(given: unknown): ContextMessage | undefined {
  if (!isRecord(given) || typeof given['role'] !== 'string') return undefined;
  const { role, content, name } = given;
  return {
    role,
    content: textOf(content),
    ...(typeof name === 'string' ? { name } : {}),
  };
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map(partText).join('');
}

function partText(part: unknown): string {
  if (typeof part === 'string') return part;
  const isText = isRecord(part) && (part['type'] === 'text' || part['type'] === undefined);
  return isText && typeof part['text'] === 'string' ? part['text'] : '';
}

/** The messages as one text: a system message without its role, any other after its role. */
export function formatMessages(messages: readonly ContextMessage[]): string {
  return messages
    .map(({ role, content }) => (role === 'system' ? content : `${role}: ${content}`))
    .join('\n\n');
}
