import type { Json, JsonObject } from '../../../sandbox/wire/messages.js';
import type { Approver } from '../../approval/approver.js';
import type { ToolPolicy } from '../../approval/policy.js';
import type { ErrorCode } from '../../errors.js';
import {
  anyText,
  flag,
  listener,
  milliseconds,
  type OptionForms,
  record,
  signal,
} from '../types/option-forms.js';
import { approver, policy, toolNames } from '../types/options-table.js';

/** Options of a program. */
export interface ProgramOptions {
  /**
   * The tools that the program may call, by name (`notes__read`) or id (`notes:read`); `*` stands for any
   * text. Default: all that the policies offer.
   */
  readonly tools?: readonly string[];
  /** The program sees it as `input`. Default: an empty object. */
  readonly input?: JsonObject;
  /** The tenant of the program and of each of its calls. Default: one tenant for all. */
  readonly tenant?: string;
  /** The policy of each call, in addition to the engine's. Default: none. */
  readonly policy?: ToolPolicy;
  /** The context of each call. Default: none. */
  readonly context?: JsonObject;
  /** Whether the run is unattended, as for `CallOptions`. Default: false. */
  readonly unattended?: boolean;
  /** Asked instead of the engine's approver. Default: the engine's. */
  readonly approve?: Approver;
  /**
   * Deadline in milliseconds. Time in which the program waits for a person alone does not count. Default:
   * `limits.timeoutMs`, which it cannot exceed.
   */
  readonly timeoutMs?: number;
  /** Ends the program. Its running calls are cancelled. */
  readonly signal?: AbortSignal;
  /** Receives what the program writes with `text`, while it runs. */
  readonly onOutput?: (chunk: string) => void;
  /** Receives each change of a call of the program. */
  readonly onCall?: (call: ProgramCall) => void;
}

/** What each option takes. */
export const PROGRAM_OPTIONS: OptionForms<ProgramOptions> = {
  tools: toolNames,
  input: record,
  tenant: anyText,
  policy,
  context: record,
  unattended: flag,
  approve: approver,
  timeoutMs: milliseconds,
  signal,
  onOutput: listener('a function of a text'),
  onCall: listener('a function of a call'),
};

/** A call that a program made. */
export interface ProgramCall {
  /** 1 for the first request of the program. Searches count too. */
  readonly number: number;
  /** `plugin:tool` */
  readonly tool: string;
  readonly input: Json;
  /**
   * `unknown`: the call had begun when the host ended, and its result is not known. It does not run again,
   * unless the operator named its tool in `idempotent`.
   */
  readonly state: 'waiting' | 'running' | 'done' | 'failed' | 'unknown';
  /** The pending question, while it waits for a person. */
  readonly approval?: string;
  /** Its id in events and audit records. Absent until it runs. */
  readonly callId?: string;
  /** Why it failed. */
  readonly code?: ErrorCode;
}

/** The end of a program. If the program fails, the result has `isError`. */
export interface ProgramResult {
  /** The id of the program in events, logs and audit records, and for `engine.programs`. */
  readonly id: string;
  readonly isError: boolean;
  /** What the program returned; `null` if it returned nothing. Absent if it failed. */
  readonly value?: Json;
  /** What the program wrote with `text`. */
  readonly text: string;
  /** Why it failed. */
  readonly code?: ErrorCode;
  /** The message for the model, with line and column in the program's source if they are known. */
  readonly message?: string;
  readonly calls: readonly ProgramCall[];
  readonly durationMs: number;
}

/** A program that has not ended. */
export interface ProgramStatus {
  readonly id: string;
  readonly tenant?: string;
  readonly source: string;
  /**
   * `parked`: each of its open requests waits for a person, and its guest is suspended. `interrupted`: its
   * host ended, and `resume` continues it.
   */
  readonly state: 'running' | 'parked' | 'interrupted';
  readonly startedAtMs: number;
  /** An interrupted program is removed after this time. */
  readonly expiresAtMs: number;
  readonly calls: readonly ProgramCall[];
}

/** The programs of an engine, and those that earlier engines with the same storage directory left. */
export interface Programs {
  /** Oldest first. Default of `tenant`: all tenants. */
  list(filter?: { readonly tenant?: string }): readonly ProgramStatus[];
  /**
   * Continues an interrupted program, and resolves with its end. Its logged results are given again, in
   * their order. A call that had begun and has no result is `unknown`. For a program that runs here, resolves
   * with its end. Throws `INVALID_OPTIONS` if there is no such program, or if another process runs it.
   */
  resume(
    id: string,
    options?: Omit<ProgramOptions, 'tenant' | 'tools' | 'input'>,
  ): Promise<ProgramResult>;
  /** Ends a program. Its pending questions are withdrawn. Throws `INVALID_OPTIONS` if there is none. */
  cancel(id: string): Promise<void>;
}

/** The caps on programs. */
export const PROGRAM_LIMITS: {
  readonly maxSourceBytes: number;
  readonly maxProgramCalls: number;
  readonly maxProgramCallsAtOnce: number;
  readonly maxProgramBytes: number;
  readonly maxPrograms: number;
  readonly maxProgramsPerTenant: number;
  readonly programExpiryMs: number;
  readonly maxFinishedPerTenant: number;
  readonly maxFinished: number;
} = {
  maxSourceBytes: 256 * 1024,
  /** Requests of one program: calls, searches and descriptions. */
  maxProgramCalls: 500,
  maxProgramCallsAtOnce: 16,
  /** Inputs and results of all requests of one program. */
  maxProgramBytes: 32 * 1024 * 1024,
  maxPrograms: 32,
  maxProgramsPerTenant: 8,
  programExpiryMs: 24 * 60 * 60 * 1000,
  /** Sources that are kept for `bulkhead add --program`. The oldest goes first. */
  maxFinishedPerTenant: 20,
  maxFinished: 200,
};
