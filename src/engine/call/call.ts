import type { CatalogTool } from '../../catalog/catalog.js';
import { BulkheadError } from '../../errors.js';
import type { EventBus } from '../../events.js';
import type { Format, PreparedCall } from '../../formats/format.js';
import type { OpenCalls } from './open-calls.js';
import type { Instance } from '../instance/instance.js';
import type { DenialLog } from '../plugins/denial-log.js';
import type { Placed } from '../plugins/placement.js';
import type { RiskBand } from '../../plugin/risk.js';
import type { CallOptions } from '../types/options.js';
import type { CallResult, Failure } from '../types/result.js';

export interface CallLimits {
  readonly timeoutMs: number;
  readonly maxCallsPerPlugin: number;
  readonly maxResultBytes: number;
}

/** Services that all calls of an engine share. */
export interface CallServices {
  readonly limits: CallLimits;
  readonly events: EventBus;
  readonly denials: DenialLog;
  /** The queued and running calls, which the operator can stop. */
  readonly openCalls: OpenCalls;
  /** What a call of that risk waits for before it may have effects; `undefined`: nothing. */
  readonly beforeEffect: (risk: RiskBand) => (() => Promise<void>) | undefined;
  /** Whether the operator allows a second run of the tool's calls: option `idempotent`. */
  readonly isIdempotent: (tool: CatalogTool) => boolean;
  /** Whether a rule says that a GET to this host changes nothing, for this call. */
  readonly clearsReads: (
    call: Pick<CallSpec, 'tool' | 'place' | 'inputText' | 'options'>,
    host: string,
  ) => boolean;
  /** Whether the operator wants every call of the tool recorded: option `record`. */
  readonly isRecorded: (tool: CatalogTool) => boolean;
  /** Runs a call in an instance of its own, and records it. */
  readonly record: (
    call: Pick<CallSpec, 'tool' | 'place' | 'options'>,
    run: (instance: Instance) => Promise<CallResult>,
  ) => Promise<CallResult>;
}

/** One call, with the JSON texts that are sent to the guest. */
export interface CallSpec {
  readonly callId: string;
  readonly tool: CatalogTool;
  readonly place: Placed;
  /** The caller's input. */
  readonly givenText: string;
  /** The input that the guest receives. */
  readonly inputText: string;
  /** Builds the context that the tool's format defines. If absent, `contextText` is sent. */
  readonly context?: PreparedCall['context'] | undefined;
  readonly contextText?: string | undefined;
  readonly options: CallOptions;
  readonly services: CallServices;
  /** For an approved call: why the approval no longer covers it. The grant may change in the queue. */
  readonly whyNotApproved?: () => Failure | undefined;
  /** The program that makes the call. Default: none. */
  readonly parent?: string;
  /** Called once, right before the call may have effects. If it throws, the call does not run. */
  readonly beforeRun?: () => void;
}

/**
 * A call of medium or high risk may have effects only after this has written its audit record. It rejects
 * with `AUDIT_FAILED`, without the path of the log: models read the results of calls.
 */
export function beforeEffectOf({
  tool,
  services,
  beforeRun,
}: CallSpec): ReturnType<CallServices['beforeEffect']> {
  // guard: high-risk-call-recorded-first
  const isHighRisk = tool.risk === 'high' || tool.asks !== undefined;
  // guard: medium-risk-call-recorded-first
  const write = services.beforeEffect(isHighRisk ? 'high' : tool.risk);
  const recorded =
    write &&
    (() =>
      write().catch((cause: unknown) => {
        const message = `${tool.id} did not run: the audit log of the host could not be written, and a call of this risk needs its record first. The host's log has the reason.`;
        throw new BulkheadError('AUDIT_FAILED', message, { path: 'the audit log' }, { cause });
      }));
  if (beforeRun === undefined) return recorded;
  return async () => {
    await recorded?.();
    beforeRun();
  };
}

export function deadlineOf(
  tool: CatalogTool,
  { defaultTimeoutMs = Infinity }: Pick<Format, 'defaultTimeoutMs'>,
  options: CallOptions,
  limits: CallLimits,
): number {
  const given = options.timeoutMs ?? defaultTimeoutMs;
  return Math.max(1, Math.min(tool.timeoutMs, given, limits.timeoutMs));
}

/** `work`: what the guest did when the deadline passed, if the system says so. */
export function deadlineExceeded({ id }: CatalogTool, deadlineMs: number, work?: Work): Failure {
  return {
    code: 'DEADLINE_EXCEEDED',
    deadlineMs,
    message: `${id} did not finish within ${deadlineMs} ms and was stopped.${work === undefined ? '' : ` ${wordsOf(work)}`}`,
  };
}

/** What a guest did when the deadline passed. The guest's requests may be those of another call. */
export type Work = 'computed' | { readonly waitedFor: readonly string[] };

function wordsOf(work: Work): string {
  if (work === 'computed') {
    return 'It was computing at that time: look for a loop that does not end.';
  }
  const { waitedFor: requests } = work;
  return requests.length === 0
    ? 'It was waiting at that time: look for a promise that does not settle, or a body that is read without a timeout.'
    : `The plugin was waiting at that time for ${requests.join(', ')}.`;
}

export function cancelled({ id }: CatalogTool): Failure {
  return { code: 'CANCELLED', message: `The call of ${id} was cancelled.` };
}

export function permissionRevoked({ id, plugin }: CatalogTool): Failure {
  return {
    code: 'PERMISSION_REVOKED',
    message: `${id} was stopped: the permission by which ${plugin} has it was revoked.`,
  };
}

/** A deadline that pauses while the approver is asked. */
export interface Deadline {
  /** Pauses nest: each `pause` needs its own `resume`. */
  pause(): void;
  resume(): void;
  clear(): void;
}

export function startDeadline(ms: number, onPassed: () => void): Deadline {
  return new RunningDeadline(ms, onPassed);
}

class RunningDeadline implements Deadline {
  readonly onPassed: () => void;
  leftMs: number;
  began: number;
  pauses = 0;
  over = false;
  timer: NodeJS.Timeout | undefined;

  constructor(ms: number, onPassed: () => void) {
    this.onPassed = onPassed;
    this.leftMs = ms;
    this.began = performance.now();
    this.timer = setTimeout(() => this.pass(), ms);
  }

  pass(): void {
    this.over = true;
    this.onPassed();
  }

  pause(): void {
    this.pauses += 1;
    if (this.pauses > 1 || this.over) return;
    clearTimeout(this.timer);
    this.timer = undefined;
    this.leftMs -= performance.now() - this.began;
    // A plugin that pauses faster than timers fire must not prevent the deadline.
    // guard: paused-deadline-passes
    if (this.leftMs <= 0) this.pass();
  }

  resume(): void {
    this.pauses -= 1;
    if (this.pauses > 0 || this.over) return;
    this.began = performance.now();
    this.timer = setTimeout(() => this.pass(), this.leftMs);
  }

  clear(): void {
    this.over = true;
    clearTimeout(this.timer);
  }
}
