import type { CallSpec } from './call.js';
import { runInTurn } from './call-in-turn.js';
import { answerOf, type CallResult } from './result.js';

/** Runs a call in a guest of its own, with what it would change stopped and listed in the result. */
export async function rehearseCall(call: CallSpec): Promise<CallResult> {
  const { callId, tool, place } = call;
  if ('remote' in place || tool.confinement !== 'compartment') {
    const began = performance.now();
    const message = `${tool.id} runs where we do not confine it: what it would change cannot be stopped, so it cannot be rehearsed.`;
    return answerOf(
      callId,
      began,
      { code: 'POLICY_DENIED', message },
      { format: place.format, tool },
    );
  }
  const { room, stopped } = place.room.rehearse();
  try {
    const result = await runInTurn(call, { ...place, room });
    return { ...result, rehearsal: stopped };
  } finally {
    await room.close();
  }
}
