import { BulkheadError } from '../../errors.js';
import type { StopGate } from '../../stops/gate.js';
import { stoppedError } from '../../stops/stop.js';
import { isolationOf } from '../types/guest-options.js';
import type { CallOptions, Isolation } from '../types/options.js';
import type { CallResult } from '../types/result.js';
import type { Settings } from '../types/settings.js';
import { bound, digestsOf, whyRefused } from './admission.js';
import type { CallSpec } from './call.js';

/** A call that another engine admitted, and what that engine knew when it did. */
export interface AdmittedCall {
  readonly callId: string;
  /** `plugin:tool`. */
  readonly tool: string;
  readonly input: unknown;
  readonly options: CallOptions;
  /** The hash of the artifact that was admitted. */
  readonly artifact: string;
  /** The digest of the call in the engine that admitted it: artifact, input, tenant, grant, configuration, risk. */
  readonly digest: string;
  /** Which calls may share a guest with it, as that engine says. */
  readonly isolation: Isolation;
}

/**
 * Runs an admitted call if this engine has the same artifact, and would ask the same question about it. It
 * does not ask again. The digest is compared once more right before the call is sent to its guest. Throws the
 * errors of `engine.call`, and `STOPPED`, `NOT_LOCKED`, `POLICY_DENIED` and `FLEET_FAILED`.
 */
export type RunAdmitted = (call: AdmittedCall) => Promise<CallResult>;

export interface RunAdmittedSpec {
  readonly settings: Pick<Settings, 'policy' | 'isolation'>;
  readonly stops: StopGate;
  readonly specOf: (tool: string, input: unknown, options: CallOptions, callId: string) => CallSpec;
  readonly run: (call: CallSpec) => Promise<CallResult>;
}

export function makeRunAdmitted({ settings, stops, specOf, run }: RunAdmittedSpec): RunAdmitted {
  return async ({ callId, tool, input, options, artifact, digest, isolation }) => {
    const spec = specOf(tool, input, options, callId);
    const { id, plugin } = spec.tool;
    const stop = stops.find(plugin, options.tenant);
    if (stop !== undefined) throw stoppedError(stop);
    // guard: admitted-artifact-compared
    if ('remote' in spec.place || spec.place.instance.bundle.artifact !== artifact) {
      throw new BulkheadError(
        'NOT_LOCKED',
        `${id} does not run here: the lock file of this runner accepts another artifact of ${plugin} than the gateway's. Give both the same lock file.`,
        { plugin },
      );
    }
    const own = isolationOf(settings, plugin);
    // guard: admitted-isolation-compared
    if (STRICTNESS[own] < STRICTNESS[isolation]) {
      throw new BulkheadError(
        'FLEET_FAILED',
        `${id} does not run here: the gateway isolates the calls of ${plugin} by ${isolation}, and this runner by ${own}. Give both the same configuration.`,
        { reason: 'grant' },
      );
    }
    const withheld = whyRefused(spec.tool, options, settings);
    if (withheld !== undefined) {
      throw new BulkheadError('POLICY_DENIED', `${id} is not offered here: ${withheld}.`, {
        tool: id,
      });
    }
    const digestNow = digestsOf(spec);
    // guard: admitted-digest-compared
    if (digestNow() !== digest) {
      throw new BulkheadError(
        'FLEET_FAILED',
        `${id} does not run here: this runner gives ${plugin} other permissions, configuration, mounts or risk than the gateway. Give both the same lock file and configuration. After a revocation, restart the one that has not heard of it.`,
        { reason: 'grant' },
      );
    }
    return run(bound(spec, digest, digestNow));
  };
}

/** A call that shares its guest with no other has the strictest isolation. */
const STRICTNESS: Readonly<Record<Isolation, number>> = { plugin: 0, tenant: 1, call: 2 };
