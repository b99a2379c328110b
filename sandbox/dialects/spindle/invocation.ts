import type { Json } from '../../wire/messages.js';
import { isRecord } from '../../wire/parse.js';
import type { CallWorld } from '../dialect.js';
import type { Callback } from './callbacks.js';
import { readField } from './read-field.js';

/**
 * Delivers one tool invocation to the handlers of `TOOL_INVOCATION` (Spindle tools, Handling tool
 * invocations): one after the other, all of them; the first answer that is neither `undefined` nor
 * `null` counts, as text; what one throws ends the invocation, and later ones are not asked.
 *
 * What the host supplies comes in the call's context, and nowhere from the arguments:
 * `{ requestId, councilMember, contextMessages, context, deadlineMs }`, each if there is one.
 */
export async function invokeTool(
  handlers: readonly Callback[],
  toolName: string,
  input: unknown,
  call: Pick<CallWorld, 'context'>,
): Promise<string> {
  if (handlers.length === 0) throw new Error('No TOOL_INVOCATION handler registered');
  const payload = makePayload(toolName, input, call.context);
  let answer: unknown;
  for (const handler of handlers) {
    const given = await attempt(handler, payload);
    answer ??= given;
  }
  // oxlint-disable-next-line typescript/no-base-to-string -- an object is "[object Object]" there, too
  return String(answer ?? '');
}

async function attempt(handler: Callback, payload: object): Promise<unknown> {
  try {
    return await Reflect.apply(handler, undefined, [payload]);
  } catch (error) {
    // An error without words, or a throw that is none, is worded as the original words it.
    const message: unknown = readField(error, 'message');
    if (error instanceof Error && message !== '') throw error;
    const words = typeof message === 'string' && message !== '' ? message : FAILED;
    // oxlint-disable-next-line preserve-caught-error -- it is no error, or says nothing
    throw new Error(words);
  }
}

const FAILED = 'Tool invocation failed';

/** Which user somebody claims to be is for the host to know (Spindle tools, No userId in args). */
const STRIPPED = ['__userId', '__user_id', 'userId'];

function makePayload(toolName: string, input: unknown, context: Json): object {
  const host = isRecord(context) ? context : {};
  const args: Record<string, unknown> = isRecord(input) ? { ...input } : {};
  for (const key of [...STRIPPED, '__deadlineMs']) Reflect.deleteProperty(args, key);
  if (host['context'] !== undefined) args['context'] = host['context'];
  if (host['deadlineMs'] !== undefined) args['__deadlineMs'] = host['deadlineMs'];
  return {
    toolName,
    args,
    requestId: typeof host['requestId'] === 'string' ? host['requestId'] : '',
    ...pick(host, 'councilMember'),
    ...pick(host, 'contextMessages'),
  };
}

function pick(host: Readonly<Record<string, unknown>>, key: string): object {
  return host[key] === undefined || host[key] === null ? {} : { [key]: host[key] };
}
