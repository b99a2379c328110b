import type { Json } from '../../wire/messages.js';
import { isRecord } from '../../wire/json.js';
import type { CallWorld, DialectWorld } from '../dialect.js';
import type { Callback } from './callbacks.js';
import { readField } from './strict.js';

/**
 * Delivers one tool invocation to the handlers of `TOOL_INVOCATION` in order (Spindle tools,
 * Handling tool invocations). The first answer other than `undefined` and `null` counts, as text.
 * If a handler throws, later handlers are not called.
 *
 * The host's part is in the call's context, never in the arguments: `{ requestId, councilMember,
 * contextMessages, context, deadlineMs }`. Each is optional.
 */
export async function invokeTool(
  handlers: readonly Callback[],
  toolName: string,
  input: unknown,
  call: Pick<CallWorld, 'context'>,
  log: DialectWorld['log'],
): Promise<string> {
  if (handlers.length === 0) throw new Error('No TOOL_INVOCATION handler registered');
  const payload = makePayload(toolName, input, call.context);
  let answer: unknown;
  for (const handler of handlers) {
    const given = await attempt(handler, payload, log);
    answer ??= given;
  }
  if (typeof answer === 'object' && answer !== null) {
    log('warn', [
      `TOOL_INVOCATION: the result of ${toolName} is an object, which a model reads as "[object Object]". Return a text, such as JSON.stringify(result).`,
    ]);
  }
  // oxlint-disable-next-line typescript/no-base-to-string -- an object is "[object Object]" there, too
  return String(answer ?? '');
}

async function attempt(
  handler: Callback,
  payload: object,
  log: DialectWorld['log'],
): Promise<unknown> {
  try {
    return await Reflect.apply(handler, undefined, [payload]);
  } catch (error) {
    // A thrown value without a message gets the original's message.
    const message: unknown = readField(error, 'message');
    if (error instanceof Error && message !== '') throw error;
    // Otherwise nothing says what it was.
    log('error', ['TOOL_INVOCATION: its handler threw', error]);
    const words = typeof message === 'string' && message !== '' ? message : FAILED;
    // oxlint-disable-next-line preserve-caught-error -- it is not an error, or has no message
    throw new Error(words);
  }
}

const FAILED = 'Tool invocation failed';

/** Argument names that claim a user. Only the host sets them (Spindle tools, No userId in args). */
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
