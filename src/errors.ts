/**
 * Every code that Bulkhead throws or answers with, and what an error of that code carries.
 * A code never changes its meaning. Area by area, as `bulkhead explain` prints them.
 */
export interface ErrorDetails {
  // The host's own call of us.
  /** An option or argument is not what the function takes. */
  INVALID_OPTIONS: { readonly option: string };
  /** The engine was closed before or during the call. */
  ENGINE_CLOSED: object;
  /** A wall that the host requires does not stand on this machine. */
  WALL_MISSING: { readonly wall: string };

  // Reading a plugin.
  /** There is no plugin in that directory, or it is of no format that we know. */
  PLUGIN_NOT_FOUND: { readonly directory: string };
  /** The manifest is not valid. `problems` names each place and what is wrong there. */
  INVALID_MANIFEST: { readonly file: string; readonly problems: readonly string[] };
  /** The plugin's sources cannot be made into one bundle. `problems` has file, line and column. */
  BUNDLE_FAILED: { readonly problems: readonly BuildProblem[] };
  /** A path of the plugin leads out of its directory. */
  OUTSIDE_PLUGIN: { readonly path: string } & Partial<Omit<BuildProblem, 'message'>>;
  /** The code cannot run under SES, for a reason that rewriting cannot mend. */
  SES_INCOMPATIBLE: { readonly plugin: string };
  /** Two plugins claim one name, and precedence does not decide between them. */
  NAME_COLLISION: { readonly name: string; readonly plugins: readonly string[] };

  // What an operator accepted.
  /** The lock file cannot be read: nothing runs by half of it. */
  INVALID_LOCK: { readonly file: string; readonly problems: readonly string[] };
  /** The plugin is not in the lock file, or not what it says, and what it says is not kept here. */
  NOT_LOCKED: { readonly plugin: string };
  /** What is in the plugin's directory was not accepted yet; what was accepted runs on. */
  UPDATE_WAITS: { readonly plugin: string };

  // Permissions.
  /** The text of a permission cannot be read. */
  INVALID_PERMISSION: { readonly kind: string; readonly text: string };
  TIME_DENIED: Denied;
  RANDOM_DENIED: Denied;
  NETWORK_DENIED: Denied;
  ENVIRONMENT_DENIED: Denied;
  FILESYSTEM_DENIED: Denied;
  STORAGE_DENIED: Denied;
  POWER_DENIED: Denied;
  /** A permission was taken away while the plugin ran. */
  PERMISSION_REVOKED: { readonly permission: string };
  /** A Node built-in was used that no permission of ours grants. */
  BUILTIN_DENIED: { readonly plugin: string };
  /** The plugin asks to run unconfined, and the operator has not allowed this plugin to. */
  HOST_MODE_DENIED: { readonly plugin: string };

  // What granted capabilities run into.
  /** A request was allowed and did not succeed: no such host, refused, reset, bad TLS. */
  NETWORK_FAILED: { readonly host: string };
  /** A request ran into a cap of the network broker. */
  NETWORK_LIMIT: { readonly limit: string };
  /** A read was allowed and did not succeed: no such file, not a regular file. */
  FILESYSTEM_FAILED: { readonly path: string };
  /** A read ran into a cap of the filesystem broker. */
  FILESYSTEM_LIMIT: { readonly limit: string };
  /** An operation in the plugin's storage was allowed and did not succeed: no such file, not empty. */
  STORAGE_FAILED: { readonly path: string };
  /** The plugin's storage is full, or an operation ran into another cap of it. */
  STORAGE_LIMIT: { readonly limit: string };
  /** A plugin needs a credential that the host does not have for it, or that it was not granted. */
  CREDENTIAL_MISSING: { readonly plugin: string; readonly credential: string };
  /** A power was granted, and the host does not provide it. */
  POWER_UNAVAILABLE: { readonly power: string };
  /** The arguments do not fit the power's schema. */
  POWER_INVALID: { readonly power: string };
  /** The host's own code for a power threw, took too long, or gave what its schema does not allow. */
  POWER_FAILED: { readonly power: string };
  /** A power was asked for more at once than it may be, or with or for too much data. */
  POWER_LIMIT: { readonly limit: string };

  // Approval.
  /** The tool asks before it runs, and there is nobody to ask. */
  APPROVAL_REQUIRED: { readonly tool: string };
  /** Somebody was asked and said no. */
  APPROVAL_DENIED: { readonly tool: string; readonly reason?: string };

  /** Somebody was asked, and nobody answered in time. It was not a no. */
  APPROVAL_TIMEOUT: { readonly tool: string; readonly timeoutMs: number };
  /** A tool that declares that it only reads was kept from sending what changes something. */
  EFFECT_DENIED: { readonly plugin: string; readonly wanted: string };
  /** The file of rules cannot be read: nothing is decided by half of it. */
  INVALID_RULES: { readonly file: string; readonly problems: readonly string[] };
  /** The tool is not offered under the policy of this call, or not to runs that nobody attends. */
  POLICY_DENIED: { readonly tool: string };

  // Calls.
  /** No tool has that name. */
  TOOL_NOT_FOUND: { readonly tool: string; readonly close?: string };
  /** The plugin is installed but not active: disabled, or its configuration is incomplete. */
  PLUGIN_INACTIVE: { readonly plugin: string; readonly reasons: readonly string[] };
  /** A tool's definition cannot be used. */
  INVALID_TOOL: { readonly plugin: string };
  /** A tool's JSON Schema is not one that we run. */
  INVALID_SCHEMA: { readonly tool: string };
  /** The input does not fit the tool's JSON Schema. */
  INVALID_INPUT: { readonly tool: string };
  /** The plugin threw. */
  TOOL_FAILED: { readonly tool: string };
  /** What the tool returned cannot be copied out: circular, or it throws where it is read. */
  RESULT_INVALID: { readonly tool: string };
  /** What the tool returned is larger, deeper or of more parts than allowed. */
  RESULT_TOO_LARGE: { readonly tool: string };
  /** The call outlived its deadline. What does not stop by itself has been killed. */
  DEADLINE_EXCEEDED: { readonly deadlineMs: number };
  /** The caller gave the call up. */
  CANCELLED: object;
  /** More calls are under way than the plugin or the engine may have. */
  BUSY: { readonly retryAfterMs: number };

  // Turns.
  /** The model, or the way to it, failed. */
  MODEL_FAILED: { readonly status?: number };
  // Remotes.
  /** A server of tools answered with nothing that can be used, or refused the call. */
  REMOTE_FAILED: { readonly remote: string; readonly status?: number };
  /** A tool of a server is not what it was when somebody reviewed it, and waits for a review. */
  REMOTE_CHANGED: { readonly remote: string; readonly tool: string };

  // Hooks.
  /** No hook has that name. */
  HOOK_NOT_FOUND: { readonly hook: string; readonly close?: string };
  /** A hook threw. */
  HOOK_FAILED: { readonly plugin: string; readonly hook: string };
  /** What a hook made of its context is not valid: none of its changes is used. */
  INVALID_HOOK_CHANGE: { readonly plugin: string; readonly hook: string };

  // The audit log.
  /** The audit log cannot be opened, written or read, or is not what was written. */
  AUDIT_FAILED: { readonly path: string };

  // Guests.
  /** The plugin's code threw while it was loaded. */
  LOAD_FAILED: { readonly plugin: string };
  /** A guest process could not be started. */
  GUEST_START_FAILED: { readonly reason: string };
  /** The guest ended in the middle of a call, by itself. */
  GUEST_CRASHED: GuestEnd;
  /** The guest ran out of the memory that it may use. */
  GUEST_OUT_OF_MEMORY: GuestEnd;
  /** The guest used up the processor time that it may use. */
  GUEST_OUT_OF_CPU: GuestEnd;
  /** The host killed the guest for another reason than this call, e.g. another call's deadline. */
  GUEST_KILLED: GuestEnd;
  /** The guest said something that no honest guest says, and was killed. */
  PROTOCOL_VIOLATION: GuestEnd;
  /** The plugin crashed too often in a short time and is not started again for a while. */
  QUARANTINED: { readonly plugin: string; readonly retryAfterMs: number };
}

interface Denied {
  readonly plugin: string;
  /** What was asked for, in the words of the permission. */
  readonly wanted: string;
  /** What is granted of that kind. */
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
  readonly line?: number;
  readonly column?: number;
  /** The source line itself. */
  readonly lineText?: string;
  readonly remedy?: string;
}

export type ErrorCode = keyof ErrorDetails;

const BRAND = Symbol.for('dev.bulkhead.error');

/**
 * Everything this library throws on purpose. Match on `code`: messages may be reworded. A message
 * says what was refused, to whom, and what would allow it.
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

/** Whether `error` is ours, and of that code where one is given. Works across copies of Bulkhead. */
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
