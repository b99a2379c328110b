import type { Approval } from '../approval/approval.js';
import type { CallSpec } from './call.js';
import { answerOf, type CallResult, failureOf } from './result.js';

/**
 * Asks before a call runs, and runs it where the answer is yes. The call's deadline begins when it
 * runs: people take longer than tools.
 */
export async function askFirst(
  approval: Approval,
  spec: CallSpec,
  run: (spec: CallSpec) => Promise<CallResult>,
): Promise<CallResult> {
  const { callId, tool, place, inputText, options, events } = spec;
  const began = performance.now();
  const about = { call: callId, plugin: tool.plugin, tool: tool.tool };
  events.emit({ type: 'approval-asked', ...about });
  try {
    await approval.ask({
      callId,
      plugin: tool.plugin,
      tool: tool.tool,
      id: tool.id,
      title: tool.title,
      bundle: place.room.bundle.hash,
      inputText,
      why: tool.asks ?? '',
      signal: options.signal ?? new AbortController().signal,
    });
  } catch (error) {
    const failure = failureOf(error, tool);
    events.emit({ type: 'approval-refused', ...about, reason: failure.message });
    return answerOf(callId, began, failure, { format: place.format, tool });
  }
  events.emit({ type: 'approval-given', ...about });
  return run(spec);
}
