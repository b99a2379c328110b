import { type CallSpec, runCall } from './call.js';
import { rehearseCall } from './rehearsal.js';
import { runRemoteCall } from './remote-call.js';
import type { CallResult } from './result.js';

/** Runs a call where its tool is, or rehearses it there. */
export function runPlaced(spec: CallSpec): Promise<CallResult> {
  const { place, options } = spec;
  if (options.rehearse === true) return rehearseCall(spec);
  return 'remote' in place ? runRemoteCall({ ...spec, place }) : runCall({ ...spec, place });
}
