import type { Json, JsonObject } from '../../../../sandbox/wire/messages.js';
import { BulkheadError } from '../../../errors.js';
import type { CallPreparation, PreparedCall } from '../../format.js';
import { readCouncilMember } from './council-member.js';
import { flattenMessages, formatMessages } from './messages.js';
import { stripUsers } from './strip-users.js';

/**
 * What crosses for one tool invocation (Spindle tools, Invocation payload): arguments of the caller's
 * without claims about users, and beside them what only the host says. A call for a council, or one
 * that comes with a chat, has the chat as text in its arguments too, and the time by which it has to
 * be answered; both take the place of arguments of these names.
 *
 * Of `context` these are read: `requestId`, `councilMember`, `contextMessages`, and `context`, the
 * chat as text where it is not to be made of the messages. Throws `INVALID_OPTIONS`.
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
  const said: JsonObject = {
    requestId: typeof requestId === 'string' && requestId !== '' ? requestId : callId,
    ...(member === undefined ? {} : { councilMember: member }),
    ...(messages === undefined ? {} : { contextMessages: messages }),
    ...(hasChat ? { context: text ?? '' } : {}),
  };
  return {
    input: stripUsers(input, inputSchema),
    context: (deadlineAtMs): Json => (hasChat ? { ...said, deadlineMs: deadlineAtMs } : said),
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
