import type { ProgramCall, ProgramStatus } from './program.js';
import type { ProgramFact, ProgramHead } from './program-log.js';
import { requestedCall } from './requested-call.js';

/** What the head of a log says of a program. */
export function aboutOf({
  id,
  tenant,
  source,
  startedAtMs,
  expiresAtMs,
}: ProgramHead): Omit<ProgramStatus, 'state' | 'calls'> {
  return { id, ...(tenant === undefined ? {} : { tenant }), source, startedAtMs, expiresAtMs };
}

/** The calls of a log, for a person who decides whether to resume. */
export function callsOf(facts: readonly ProgramFact[]): readonly ProgramCall[] {
  const calls = new Map<number, ProgramCall>();
  for (const fact of facts) {
    const before = calls.get(fact.number);
    if (fact.type === 'request') {
      if (fact.op === 'call') calls.set(fact.number, waitingCall(fact));
    } else if (before === undefined) continue;
    else if (fact.type === 'asked') {
      calls.set(fact.number, { ...before, state: 'waiting', approval: fact.approval });
    } else if (fact.type === 'begun') {
      calls.set(fact.number, { ...before, state: 'unknown', callId: fact.callId });
    } else {
      const { reply } = fact;
      const state = fact.unknown === true ? 'unknown' : 'error' in reply ? 'failed' : 'done';
      const code = 'error' in reply ? { code: reply.error.code } : {};
      calls.set(fact.number, { ...before, state, ...code });
    }
  }
  return [...calls.values()];
}

function waitingCall({ number, params }: Extract<ProgramFact, { type: 'request' }>): ProgramCall {
  const { plugin, tool, input } = requestedCall(params);
  return { number, tool: `${plugin}:${tool}`, input, state: 'waiting' };
}
