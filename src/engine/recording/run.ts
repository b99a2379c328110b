import { randomBytes } from 'node:crypto';
import { BulkheadError } from '../../errors.js';
import type { CallSpec } from '../call/call.js';
import { runInTurn } from '../call/call-in-turn.js';
import type { Machinery } from '../machinery.js';
import type { CallResult } from '../call/result.js';
import { makeRecorder, type Recorder } from './recorder.js';
import type { CallRecord } from './record.js';

/**
 * Runs a call in a guest that is there for it alone, and gives the record with the answer. The guest
 * is loaded for it, so that nothing of earlier calls is in it that a replay would not know.
 *
 * Throws `INVALID_OPTIONS` for a tool without a compartment: what it does is not ours to hear.
 */
export async function runRecorded(
  spec: CallSpec,
  machinery: Pick<Machinery, 'takeHeard'>,
): Promise<CallResult> {
  const { place, tool } = spec;
  if ('remote' in place || tool.confinement === 'host') throw notConfined(tool.id);
  const recorder = makeRecorder();
  const seed = [...new Uint32Array(new Uint8Array(randomBytes(16)).buffer)];
  const room = place.room.again({
    take: () => machinery.takeHeard(recorder.line),
    tape: { seed },
  });
  try {
    const result = await runInTurn(spec, { ...place, room });
    return Object.assign(result, { record: recordOf(spec, result, recorder, seed) });
  } finally {
    await room.close();
  }
}

function recordOf(
  { tool, place }: CallSpec,
  result: CallResult,
  recorder: Recorder,
  seed: readonly number[],
): CallRecord {
  const { tape, frames, complete } = recorder.taken();
  return {
    format: 'bulkhead-record',
    version: 1,
    recordedAt: new Date().toISOString(),
    node: process.version,
    call: result.callId,
    plugin: tool.plugin,
    tool: tool.tool,
    bundle: place.hash,
    outcome: result.code ?? (result.isError ? 'error' : 'ok'),
    complete,
    tape: { seed, ...tape },
    frames,
  };
}

function notConfined(tool: string): BulkheadError {
  return new BulkheadError(
    'INVALID_OPTIONS',
    `${tool} does not run in a compartment of ours: what it does cannot be recorded. Call it without record, or take its plugin out of hostMode where it has one.`,
    { option: 'record' },
  );
}
