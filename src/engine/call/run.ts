import type { CallSpec } from './call.js';
import { runInTurn } from './call-in-turn.js';
import type { Machinery } from '../machinery.js';
import { runRecorded } from '../recording/run.js';
import { rehearseCall } from './rehearsal.js';
import { runRemoteCall } from './remote-call.js';
import type { CallResult } from './result.js';

/** Runs a call where its tool is, or rehearses or records it there. */
export function runPlaced(
  spec: CallSpec,
  machinery: Pick<Machinery, 'takeHeard'>,
): Promise<CallResult> {
  const { place, options } = spec;
  if (options.rehearse === true) return rehearseCall(spec);
  if (options.record === true) return runRecorded(spec, machinery);
  return 'remote' in place ? runRemoteCall({ ...spec, place }) : runInTurn(spec, place);
}
