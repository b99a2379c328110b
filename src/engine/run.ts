import { type CallSpec, runCall } from './call.js';
import type { Machinery } from './machinery.js';
import { runRecorded } from './recording/run.js';
import { runRemoteCall } from './remote-call.js';
import type { CallResult } from './result.js';

/** Runs a call where its tool is, and records it where that was asked for. */
export function runPlaced(
  spec: CallSpec,
  machinery: Pick<Machinery, 'takeHeard'>,
): Promise<CallResult> {
  const { place } = spec;
  if (spec.options.record === true) return runRecorded(spec, machinery);
  return 'remote' in place ? runRemoteCall({ ...spec, place }) : runCall({ ...spec, place });
}
