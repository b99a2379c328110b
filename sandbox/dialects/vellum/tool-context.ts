import { isRecord } from '../../wire/parse.js';
import type { CallWorld } from '../dialect.js';
import { withSignal } from '../with-signal.js';

/** What a tool that was told nothing of its conversation is told of it. */
const DEFAULTS = { conversationId: 'default', workingDir: '/plugin' };

/**
 * The context of one call, with the fields that Vellum documents and no others: what else its host
 * knows of the conversation is none of a plugin's business. Optional fields are absent where the
 * caller did not say.
 */
export function makeToolContext(call: CallWorld): object {
  const { conversationId, workingDir, requestId, assistantId, isInteractive } = isRecord(
    call.context,
  )
    ? call.context
    : {};
  const context = {
    conversationId: textOr(conversationId, DEFAULTS.conversationId),
    workingDir: textOr(workingDir, DEFAULTS.workingDir),
    ...(typeof requestId === 'string' ? { requestId } : {}),
    ...(typeof assistantId === 'string' ? { assistantId } : {}),
    ...(typeof isInteractive === 'boolean' ? { isInteractive } : {}),
    ...(call.output === undefined ? {} : { onOutput: makeOnOutput(call.output) }),
  };
  return withSignal(context, call);
}

function makeOnOutput(write: (text: string) => void): (chunk: unknown) => void {
  return harden((chunk: unknown): void => {
    // An object would be asked for its text, which is for the plugin to do.
    if (typeof chunk === 'string') write(chunk);
    else if (typeof chunk === 'number' || typeof chunk === 'boolean') write(String(chunk));
  });
}

function textOr(value: unknown, otherwise: string): string {
  return typeof value === 'string' ? value : otherwise;
}
