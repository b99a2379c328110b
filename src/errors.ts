/**
 * Every error code of Bulkhead, with the details of its errors. A code never changes its meaning. Grouped
 * as `bulkhead explain` prints them.
 */
export interface ErrorDetails {
  // Calls of the host to the library.
  /** An option or argument is not valid. */
  INVALID_OPTIONS: { readonly option: string };
  /** The engine was closed before or during the call. */
  ENGINE_CLOSED: object;
  /** A wall that the host requires is missing on this machine. */
  WALL_MISSING: { readonly wall: string };

  /** An artifact or its signature is not valid, or differs from the accepted one. */
  INVALID_ARTIFACT: { readonly file: string };
  /** The trust file is not valid. No locked plugin runs. */
  INVALID_TRUST: { readonly file: string; readonly problems: readonly string[] };
  /** The file of a key cannot be used: it is missing, has another kind, or other users can read it. */
  INVALID_KEY: { readonly file: string };

  // Reading a plugin.
  /** The directory does not contain a plugin of a known format. */
  PLUGIN_NOT_FOUND: { readonly directory: string };
  /** A package of npm cannot be fetched, or must not be. */
  PACKAGE_REFUSED: { readonly package: string };
  /** The manifest is not valid. `problems` has each place and its error. */
  INVALID_MANIFEST: { readonly file: string; readonly problems: readonly string[] };
  /** The plugin's sources cannot be bundled. `problems` has the file, line and column. */
  BUNDLE_FAILED: { readonly problems: readonly BuildProblem[] };
  /** A path leads out of the plugin's directory. */
  OUTSIDE_PLUGIN: { readonly path: string } & Partial<Omit<BuildProblem, 'message'>>;
  /** The code cannot run under SES, for a reason that rewriting cannot fix. */
  SES_INCOMPATIBLE: { readonly plugin: string };
  /** Two plugins claim one name, and precedence does not decide. */
  NAME_COLLISION: { readonly name: string; readonly plugins: readonly string[] };

  // The lock file.
  /** The lock file is not valid. No plugin runs. */
  INVALID_LOCK: { readonly file: string; readonly problems: readonly string[] };
  /** The plugin is not in the lock file, or differs from it and the accepted version is not stored here. */
  NOT_LOCKED: { readonly plugin: string };
  /** The plugin's directory differs from the accepted version. The accepted version still runs. */
  UPDATE_PENDING: { readonly plugin: string };

  // Permissions.
  /** The text of a permission is not valid. */
  INVALID_PERMISSION: { readonly kind: string; readonly text: string };
  TIME_DENIED: Denied;
  RANDOM_DENIED: Denied;
  NETWORK_DENIED: Denied;
  ENVIRONMENT_DENIED: Denied;
  FILESYSTEM_DENIED: Denied;
  STORAGE_DENIED: Denied;
  POWER_DENIED: Denied;
  /** A permission was revoked while the plugin ran. */
  PERMISSION_REVOKED: { readonly permission: string };
  /** The plugin used a Node built-in that no permission grants. */
  BUILTIN_DENIED: { readonly plugin: string };
  /** The plugin requests to run unconfined, and the operator has not allowed it. */
  HOST_MODE_DENIED: { readonly plugin: string };

  // Use of granted permissions.
  /** An allowed request failed: unknown host, connection refused or reset, invalid TLS. */
  NETWORK_FAILED: { readonly host: string };
  /** A request exceeded a limit of the network broker. */
  NETWORK_LIMIT: { readonly limit: string };
  /** An allowed read failed: the file does not exist or is not a regular file. */
  FILESYSTEM_FAILED: { readonly path: string };
  /** A read exceeded a limit of the filesystem broker. */
  FILESYSTEM_LIMIT: { readonly limit: string };
  /** An allowed storage operation failed: e.g. the file does not exist or the directory is not empty. */
  STORAGE_FAILED: { readonly path: string };
  /** The plugin's storage is full, or an operation exceeded another storage limit. */
  STORAGE_LIMIT: { readonly limit: string };
  /** The plugin needs a credential that the host does not have or did not grant. */
  CREDENTIAL_MISSING: { readonly plugin: string; readonly credential: string };
  /** The host does not provide a granted power. */
  POWER_UNAVAILABLE: { readonly power: string };
  /** The arguments do not match the power's schema. */
  POWER_INVALID: { readonly power: string };
  /** The host's code of a power threw, timed out, or returned a result that does not match its schema. */
  POWER_FAILED: { readonly power: string };
  /** A power has too many calls at the same time, or a call has too much data. */
  POWER_LIMIT: { readonly limit: string };

  // Approval.
  /** The tool needs approval, and the engine has no approver. */
  APPROVAL_REQUIRED: { readonly tool: string };
  /** The approver or a rule denied the call. */
  APPROVAL_DENIED: { readonly tool: string; readonly reason?: string };
  /**
   * The approver did not answer in time. The call was not denied. Until it expires, the question
   * `approval` can still be answered, and a later call can run with it.
   */
  APPROVAL_TIMEOUT: {
    readonly tool: string;
    readonly timeoutMs: number;
    readonly approval?: string;
  };
  /** The approval is unknown, spent, expired, already answered, or about another call: see `why`. */
  APPROVAL_INVALID: { readonly approval: string; readonly why: string };
  /** A tool that declares that it is read-only tried to send a write request. */
  EFFECT_DENIED: { readonly plugin: string; readonly wanted: string };
  /** The rules file is not valid. No call runs. */
  INVALID_RULES: { readonly file: string; readonly problems: readonly string[] };
  /** The operator stopped everything, the plugin or the tenant. `stopped` says which. */
  STOPPED: { readonly stopped: string };
  /** The policy of this call, or an unattended run, does not allow the tool. */
  POLICY_DENIED: { readonly tool: string };

  // Calls.
  /** No tool has that name. */
  TOOL_NOT_FOUND: { readonly tool: string; readonly close?: string };
  /** The plugin is installed but not active: disabled, or its configuration is incomplete. */
  PLUGIN_INACTIVE: { readonly plugin: string; readonly reasons: readonly string[] };
  /** A tool's definition cannot be used. */
  INVALID_TOOL: { readonly plugin: string };
  /** Bulkhead does not support the tool's JSON Schema. */
  INVALID_SCHEMA: { readonly tool: string };
  /** The input does not match the tool's JSON Schema. */
  INVALID_INPUT: { readonly tool: string };
  /** The plugin threw. */
  TOOL_FAILED: { readonly tool: string };
  /** The result cannot be copied: it is circular, or reading it throws. */
  RESULT_INVALID: { readonly tool: string };
  /** The result is larger, deeper or has more parts than allowed. */
  RESULT_TOO_LARGE: { readonly tool: string };
  /** The call exceeded its deadline. A guest that does not stop is killed. */
  DEADLINE_EXCEEDED: { readonly deadlineMs: number };
  /** The caller cancelled the call. */
  CANCELLED: object;
  /** The plugin or the engine has reached its limit of calls. Retry after `retryAfterMs`. */
  BUSY: { readonly retryAfterMs: number };

  // Programs.
  /** A program cannot start or continue: its log was changed, or it does not repeat itself. */
  PROGRAM_FAILED: { readonly reason: string };
  /** A program made too many requests, or moved too many bytes. */
  PROGRAM_LIMIT: { readonly limit: string };
  /**
   * The call of a program had begun when its host ended, or a runner of a fleet did not answer. Its result is
   * not known, and it did not run again.
   */
  CALL_UNKNOWN: { readonly tool: string };

  // Fleets.
  /** A fleet could not run the call, and it did not run: see `reason`. */
  FLEET_FAILED: { readonly reason: FleetReason };

  // Turns.
  /** The model or the connection to it failed. */
  MODEL_FAILED: { readonly status?: number };
  // Remotes.
  /** A tool server gave an unusable answer, or refused the call. */
  REMOTE_FAILED: { readonly remote: string; readonly status?: number };
  /** A server's tool differs from the reviewed one and needs a review. */
  REMOTE_CHANGED: { readonly remote: string; readonly tool: string };

  // Hooks.
  /** No hook has that name. */
  HOOK_NOT_FOUND: { readonly hook: string; readonly close?: string };
  /** A hook threw. */
  HOOK_FAILED: { readonly plugin: string; readonly hook: string };
  /** A hook's changes to its context are not valid. The engine ignores all of them. */
  INVALID_HOOK_CHANGE: { readonly plugin: string; readonly hook: string };

  // The audit log.
  /** The audit log cannot be opened, written or read, or it was changed after it was written. */
  AUDIT_FAILED: { readonly path: string };

  // Guests.
  /** The plugin's code threw while it was loaded. */
  LOAD_FAILED: { readonly plugin: string };
  /** A guest process could not be started. */
  GUEST_START_FAILED: { readonly reason: string };
  /** The guest exited during a call. */
  GUEST_CRASHED: GuestEnd;
  /** The guest exceeded its memory limit. */
  GUEST_OUT_OF_MEMORY: GuestEnd;
  /** The guest exceeded its CPU budget. */
  GUEST_OUT_OF_CPU: GuestEnd;
  /** The host killed the guest for another reason than this call, e.g. a revoked permission. */
  GUEST_KILLED: GuestEnd;
  /**
   * The guest was stopped because of another call. This call was not run again, because it may have
   * had effects.
   */
  NEIGHBOUR_ENDED: GuestEnd;
  /** The guest sent an invalid frame and was killed. */
  PROTOCOL_VIOLATION: GuestEnd;
  /** The plugin crashed too often in a short time. The engine restarts it after `retryAfterMs`. */
  QUARANTINED: { readonly plugin: string; readonly retryAfterMs: number };
}

/**
 * Why a fleet did not run a call. `no-runner`: no runner serves the plugin and the tenant. `pinned-runner-lost`: the
 * runner that has the plugin's state is not there. `grant`: gateway and runner give the plugin different
 * permissions. `version`: their versions differ. `not-trusted`: the runner does not trust the gateway or its
 * message. `stale`: the runner has not heard from the gateway for too long. `transport`: NATS cannot be used.
 */
export type FleetReason =
  | 'no-runner'
  | 'pinned-runner-lost'
  | 'grant'
  | 'version'
  | 'not-trusted'
  | 'stale'
  | 'transport';

interface Denied {
  readonly plugin: string;
  /** The requested scope. */
  readonly wanted: string;
  /** The granted scopes of that kind. */
  readonly granted: readonly string[];
}

interface GuestEnd {
  readonly plugin: string;
  readonly reason: string;
}

export interface BuildProblem {
  readonly message: string;
  /** Relative to the plugin's directory. */
  readonly file?: string;
  /** From 1. */
  readonly line?: number;
  /** From 1. */
  readonly column?: number;
  /** The source line itself. */
  readonly lineText?: string;
  readonly remedy?: string;
}

export type ErrorCode = keyof ErrorDetails;

const BRAND = Symbol.for('dev.bulkhead.error');

/**
 * Every error that Bulkhead throws. Match on `code`, because messages may change. A message names what
 * was refused, on what, why, and the edit that fixes it.
 */
export class BulkheadError<Code extends ErrorCode = ErrorCode> extends Error {
  override readonly name = 'BulkheadError';
  readonly code: Code;
  readonly details: ErrorDetails[Code];

  constructor(
    code: Code,
    message: string,
    details: ErrorDetails[Code],
    options?: { readonly cause?: unknown },
  ) {
    super(message, options);
    this.code = code;
    this.details = details;
    Object.defineProperty(this, BRAND, { value: true });
  }
}

/** Whether `error` is a `BulkheadError`, with that code if given. Works across copies of Bulkhead. */
export function isBulkheadError<Code extends ErrorCode = ErrorCode>(
  error: unknown,
  code?: Code,
): error is BulkheadError<Code> {
  return (
    error instanceof Error &&
    BRAND in error &&
    (code === undefined || ('code' in error && error.code === code))
  );
}

/** The code of an error of the system or of Node, such as `ENOENT`. `undefined` if there is none. */
export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined;
}

/** The message of a caught value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
