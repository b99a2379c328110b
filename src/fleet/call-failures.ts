import type { CarriedCall } from '../engine/call/carried.js';
import type { Failure } from '../engine/types/result.js';
import { shellWord } from '../visible.js';
import type { Heartbeat } from './heartbeat.js';
import type { Refusal } from './reply.js';

/** Milliseconds after which a retry of a busy call makes sense. */
export const RETRY_AFTER_MS: number = 200;

export function refused(reason: Refusal, message: string): Failure {
  return {
    code: reason === reason.toUpperCase() ? codeOf(reason) : 'FLEET_FAILED',
    message,
  };
}

function codeOf(reason: Refusal): Failure['code'] {
  return reason === 'NOT_LOCKED' ||
    reason === 'POLICY_DENIED' ||
    reason === 'PLUGIN_INACTIVE' ||
    reason === 'STOPPED'
    ? reason
    : 'FLEET_FAILED';
}

export function notAccepted({ tool }: CarriedCall): Failure {
  return {
    code: 'NOT_LOCKED',
    message: `${tool.id} does not run in the fleet: ${tool.plugin} was not accepted by a lock file. Run: bulkhead add`,
  };
}

export function noTransport({ tool }: CarriedCall): Failure {
  return {
    code: 'FLEET_FAILED',
    message: `${tool.id} did not run: the gateway is not connected to NATS. It connects again by itself.`,
  };
}

export function noRunner({ tool }: CarriedCall): Failure {
  return {
    code: 'FLEET_FAILED',
    message: `${tool.id} did not run: no runner serves ${tool.plugin} for this tenant. Start one with the same lock file: bulkhead runner`,
  };
}

/** In the words of `whyCallRefused`. */
export function otherMajor(
  { runner, version }: Pick<Heartbeat, 'runner' | 'version'>,
  own: string,
): Failure {
  return {
    code: 'FLEET_FAILED',
    message: `${runner} has version ${version}, and the gateway has ${own}. Give both the same major version.`,
  };
}

export function pinnedLost({ tool, options }: CarriedCall, runner: string): Failure {
  const { tenant } = options;
  const tenantOption = tenant === undefined ? '' : ` --tenant ${shellWord(tenant)}`;
  return {
    code: 'FLEET_FAILED',
    message: `${tool.id} did not run: ${tool.plugin} keeps state on the runner ${runner}, which is not there. Start that runner again. Or copy its storage to another runner, and then run: bulkhead fleet move ${shellWord(tool.plugin)} OTHER-RUNNER${tenantOption}`,
  };
}

export function busy({ tool }: CarriedCall, retryAfterMs: number): Failure {
  return {
    code: 'BUSY',
    retryAfterMs,
    message: `Each runner that can run ${tool.id} has as many calls as it may. Try again later, or start another runner.`,
  };
}

export function tooMany({ tool }: CarriedCall, maxCalls: number): Failure {
  return {
    code: 'BUSY',
    retryAfterMs: RETRY_AFTER_MS,
    message: `${tool.id} did not run: the gateway has ${maxCalls} calls under way, as many as it may. Raise fleet.maxCalls to allow more.`,
  };
}
