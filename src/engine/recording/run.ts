import { randomBytes } from 'node:crypto';
import type { CatalogTool } from '../../catalog/catalog.js';
import { BulkheadError } from '../../errors.js';
import type { EventBus } from '../../events.js';
import type { GuestSource } from '../instance/guest-source.js';
import type { Instance } from '../instance/instance.js';
import type { Placed } from '../plugins/placement.js';
import type { CallRecording } from '../types/recording.js';
import type { CallResult } from '../types/result.js';
import { digestOf } from './recording.js';
import { makeRecorder, type Recorder } from './recorder.js';

/** A call to record: its tool, and where that runs. */
export interface RecordedCall {
  readonly tool: CatalogTool;
  readonly place: Placed;
}

/**
 * Runs a call in a separate instance, and records it. The guest is loaded for
 * this call, so it has no state from earlier calls. Throws `INVALID_OPTIONS` for a tool without a
 * compartment, because its wire cannot be tapped.
 */
export async function recordCall(
  call: RecordedCall,
  guests: Pick<GuestSource, 'takeTapped'>,
  run: (instance: Instance) => Promise<CallResult>,
): Promise<{ readonly result: CallResult; readonly recording: CallRecording }> {
  const { place, tool } = call;
  if ('remote' in place || tool.confinement === 'host') throw notConfined(tool.id);
  const recorder = makeRecorder();
  const seed = [...new Uint32Array(new Uint8Array(randomBytes(16)).buffer)];
  const instance = place.instance.openSeparate({
    take: () => guests.takeTapped(recorder.line),
    tape: { seed },
  });
  try {
    const result = await run(instance);
    return { result, recording: recordingOf(call, instance, result, recorder, seed) };
  } finally {
    await instance.close();
  }
}

/** Emits a recording, for listeners that name its event. */
export function announceRecording(events: EventBus, recording: CallRecording): void {
  if (!events.hasListener('call-recorded')) return;
  const { call, plugin, tool } = recording;
  const text = JSON.stringify(recording);
  events.emit({ type: 'call-recorded', call, plugin, tool, recording: text });
}

function recordingOf(
  { tool }: RecordedCall,
  { bundle }: Instance,
  result: CallResult,
  recorder: Recorder,
  seed: readonly number[],
): CallRecording {
  const { tape, frames, complete } = recorder.taken();
  const content: Omit<CallRecording, 'digest'> = {
    format: 'bulkhead-recording',
    version: 2,
    recordedAt: new Date().toISOString(),
    node: process.version,
    call: result.callId,
    plugin: tool.plugin,
    tool: tool.tool,
    // A replay runs the recorded code, so the recording names the code's own hash.
    bundle: bundle.hash,
    outcome: result.code ?? (result.isError ? 'error' : 'ok'),
    complete,
    tape: { seed, ...tape },
    frames,
  };
  return { ...content, digest: digestOf(content) };
}

function notConfined(tool: string): BulkheadError {
  return new BulkheadError(
    'INVALID_OPTIONS',
    `${tool} does not run in a compartment of ours: what it does cannot be recorded. Call it without record, or take its plugin out of hostMode where it has one.`,
    { option: 'record' },
  );
}
