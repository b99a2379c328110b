import { type CallSpec, runCall } from './call.js';
import { runRemoteCall } from './remote-call.js';
import type { CallResult } from './result.js';

/** Runs a call where its tool is. */
export function runPlaced(spec: CallSpec): Promise<CallResult> {
  const { place } = spec;
  return 'remote' in place ? runRemoteCall({ ...spec, place }) : runCall({ ...spec, place });
}
