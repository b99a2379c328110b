import type { JsonObject } from '../../../../sandbox/wire/messages.js';
import { isObject } from '../../../schema/shape.js';

/** One message of a chat, as extensions see it (Spindle tools, Structured context messages). */
export interface ContextMessage extends JsonObject {
  /** `system`, `user` or `assistant`; another word of the host's is handed on. */
  readonly role: string;
  readonly content: string;
}

/**
 * Messages with their text alone: of content in parts the texts, joined; images and sounds are left
 * out. `undefined` where it is no list of messages.
 */
export function flattenMessages(given: unknown): readonly ContextMessage[] | undefined {
  if (!Array.isArray(given)) return undefined;
  const messages = given.map(flattenMessage);
  return messages.every((message) => message !== undefined) ? messages : undefined;
}

function flattenMessage(given: unknown): ContextMessage | undefined {
  if (!isObject(given) || typeof given['role'] !== 'string') return undefined;
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
  const isText = isObject(part) && (part['type'] === 'text' || part['type'] === undefined);
  return isText && typeof part['text'] === 'string' ? part['text'] : '';
}

/** The same content as one text: what a system says as it is, everybody else after their role. */
export function formatMessages(messages: readonly ContextMessage[]): string {
  return messages
    .map(({ role, content }) => (role === 'system' ? content : `${role}: ${content}`))
    .join('\n\n');
}
