import type { FailureCode } from './failure.js';

/**
 * The exit codes of the process. They are stable. 124 is reserved for `timeout(1)`; 130 is the
 * convention of shells for an interrupt.
 */
export const EXIT = {
  ok: 0,
  usage: 1,
  findings: 2,
  denied: 3,
  broken: 4,
  toolError: 5,
  timeout: 6,
  fault: 70,
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

export function exitCodeOf(code: FailureCode): ExitCode {
  return byCode[code];
}

const byCode: Readonly<Record<FailureCode, ExitCode>> = {
  INVALID_OPTIONS: EXIT.usage,
  TOOL_NOT_FOUND: EXIT.usage,
  HOOK_NOT_FOUND: EXIT.usage,

  TIME_DENIED: EXIT.denied,
  RANDOM_DENIED: EXIT.denied,
  NETWORK_DENIED: EXIT.denied,
  ENVIRONMENT_DENIED: EXIT.denied,
  FILESYSTEM_DENIED: EXIT.denied,
  STORAGE_DENIED: EXIT.denied,
  POWER_DENIED: EXIT.denied,
  PERMISSION_REVOKED: EXIT.denied,
  BUILTIN_DENIED: EXIT.denied,
  HOST_MODE_DENIED: EXIT.denied,
  APPROVAL_REQUIRED: EXIT.denied,
  APPROVAL_DENIED: EXIT.denied,
  APPROVAL_TIMEOUT: EXIT.denied,
  APPROVAL_INVALID: EXIT.denied,
  EFFECT_DENIED: EXIT.denied,
  INVALID_RULES: EXIT.denied,
  POLICY_DENIED: EXIT.denied,
  STOPPED: EXIT.denied,

  MODEL_FAILED: EXIT.broken,
  WALL_MISSING: EXIT.broken,
  PLUGIN_NOT_FOUND: EXIT.broken,
  INVALID_MANIFEST: EXIT.broken,
  BUNDLE_FAILED: EXIT.broken,
  OUTSIDE_PLUGIN: EXIT.broken,
  PACKAGE_REFUSED: EXIT.broken,
  SES_INCOMPATIBLE: EXIT.broken,
  NAME_COLLISION: EXIT.broken,
  INVALID_PERMISSION: EXIT.broken,
  PLUGIN_INACTIVE: EXIT.broken,
  CREDENTIAL_MISSING: EXIT.broken,
  INVALID_LOCK: EXIT.broken,
  INVALID_KEY: EXIT.usage,
  INVALID_TRUST: EXIT.broken,
  INVALID_ARTIFACT: EXIT.denied,
  NOT_LOCKED: EXIT.denied,
  UPDATE_PENDING: EXIT.findings,
  INVALID_TOOL: EXIT.broken,
  INVALID_SCHEMA: EXIT.broken,
  LOAD_FAILED: EXIT.broken,
  GUEST_START_FAILED: EXIT.broken,
  QUARANTINED: EXIT.broken,
  AUDIT_FAILED: EXIT.broken,

  NETWORK_FAILED: EXIT.toolError,
  NETWORK_LIMIT: EXIT.toolError,
  FILESYSTEM_FAILED: EXIT.toolError,
  FILESYSTEM_LIMIT: EXIT.toolError,
  STORAGE_FAILED: EXIT.toolError,
  STORAGE_LIMIT: EXIT.toolError,
  POWER_UNAVAILABLE: EXIT.toolError,
  POWER_INVALID: EXIT.toolError,
  POWER_FAILED: EXIT.toolError,
  POWER_LIMIT: EXIT.toolError,
  INVALID_INPUT: EXIT.toolError,
  TOOL_FAILED: EXIT.toolError,
  HOOK_FAILED: EXIT.toolError,
  INVALID_HOOK_CHANGE: EXIT.toolError,
  RESULT_INVALID: EXIT.toolError,
  RESULT_TOO_LARGE: EXIT.toolError,
  BUSY: EXIT.toolError,
  PROGRAM_FAILED: EXIT.toolError,
  PROGRAM_LIMIT: EXIT.toolError,
  CALL_UNKNOWN: EXIT.toolError,
  FLEET_FAILED: EXIT.toolError,
  GUEST_CRASHED: EXIT.toolError,
  GUEST_OUT_OF_MEMORY: EXIT.toolError,
  GUEST_KILLED: EXIT.toolError,
  NEIGHBOUR_ENDED: EXIT.toolError,
  REMOTE_FAILED: EXIT.toolError,
  REMOTE_CHANGED: EXIT.denied,
  PROTOCOL_VIOLATION: EXIT.toolError,

  DEADLINE_EXCEEDED: EXIT.timeout,
  GUEST_OUT_OF_CPU: EXIT.timeout,

  CANCELLED: EXIT.interrupted,
  ENGINE_CLOSED: EXIT.interrupted,
  INTERNAL: EXIT.fault,
};
