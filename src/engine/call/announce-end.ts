import type { EventBus } from '../../events.js';
import type { CallResult } from '../types/result.js';

interface EndedCall {
  readonly call: string;
  readonly plugin: string;
  readonly tool: string;
}

/**
 * Emits the end of a call that had started, and its answer for listeners that name it. The last argument: the failure,
 * in the engine's words.
 */
export function announceEnd(
  events: EventBus,
  { call, plugin, tool }: EndedCall,
  { isError, code, durationMs, value, content }: Omit<CallResult, 'callId'>,
  { stack, message }: { readonly stack?: string | undefined; readonly message?: string } = {},
): void {
  // The words of a tool's own failure are its own.
  const isReworded =
    message !== undefined && code !== 'TOOL_FAILED' && content[0]?.text !== message;
  events.emit({
    type: 'call-ended',
    call,
    plugin,
    tool,
    outcome: isError ? 'error' : 'ok',
    ...(code === undefined ? {} : { code }),
    ...(stack === undefined ? {} : { stack }),
    ...(isReworded ? { why: message } : {}),
    durationMs,
  });
  if (!events.hasListener('call-answered')) return;
  const answer = JSON.stringify(value ?? content);
  events.emit({ type: 'call-answered', call, plugin, tool, answer });
}
