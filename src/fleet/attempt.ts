import { setMaxListeners } from 'node:events';
import type { Msg } from '@nats-io/transport-node';
import type { CarriedCall } from '../engine/call/carried.js';
import type { CallResult, Failure } from '../engine/types/result.js';
import { messageOf } from '../errors.js';
import type { SigningKey } from '../keys/signing-key.js';
import type { Answerer, AskMessage } from './answer-asked.js';
import type { Bodies, BodyReference } from './bodies.js';
import { busy, noRunner, refused } from './call-failures.js';
import type { Cell } from './connection.js';
import { sealEnvelope } from './envelope.js';
import { parse } from './frame.js';
import { type Reply, readReply, readResult } from './reply.js';
import type { KnownRunner, RunnerTable } from './runner-table.js';
import type { SessionKey } from './session.js';
import { hash12, tenantToken } from './subjects.js';

/** How one attempt ended. `elsewhere`: the call did not begin, and another runner may take it. */
export type Attempt =
  | { readonly is: 'answered'; readonly result: CallResult }
  | { readonly is: 'elsewhere'; readonly failure: Failure; readonly runner?: string | undefined }
  /** The runner does not know the session, e.g. because it has just started. It takes a signature. */
  | { readonly is: 'unsigned' }
  | { readonly is: 'over'; readonly failure: Failure }
  | { readonly is: 'lost'; readonly runner?: string | undefined };

/** What an attempt needs of the gateway. */
export interface AttemptSpec {
  readonly cell: Cell;
  readonly key: SigningKey;
  readonly version: string;
  readonly runners: RunnerTable;
  readonly bodies: Bodies;
  readonly answer: Answerer;
  /** The key that it shares with a runner; `undefined`: calls to it are signed. */
  readonly sessionWith: (runner: KnownRunner) => SessionKey | undefined;
  /** The current number of the gateway's epoch. */
  readonly epoch: () => number;
  readonly now: () => number;
}

/** Milliseconds in which a call must begin. Later, a runner refuses its message. */
const EXPIRY_MS = 30_000;

/** Milliseconds in which a cancelled call may still name its runner, which is then told to stop it. */
const FORGET_AFTER_MS = 10_000;

/** Questions about one call at once. */
const MAX_ASKS = 64;

export interface AttemptDetails {
  readonly body: BodyReference | undefined;
  readonly number: number;
  /** Absent: any runner of the cell. */
  readonly to: KnownRunner | undefined;
  /** Do not use the session with the runner: it has ended. */
  readonly isSigned: boolean;
}

/** One message with a call, until the runner's answer. */
export class OpenAttempt {
  readonly spec: AttemptSpec;
  readonly open: Map<string, OpenAttempt>;
  readonly call: CarriedCall;
  readonly details: AttemptDetails;
  readonly resolve: (attempt: Attempt) => void;
  readonly token: string;
  runner: string | undefined;
  instance: string | undefined;
  ended: (() => void) | undefined;
  isCancelled = false;
  /** Questions of the runner that are not answered yet. */
  asks = 0;
  wasAbsent = false;
  /** The result is being fetched from the object store. */
  isAnswered = false;
  forget: NodeJS.Timeout | undefined;

  constructor(
    spec: AttemptSpec,
    open: Map<string, OpenAttempt>,
    call: CarriedCall,
    details: AttemptDetails,
    resolve: (attempt: Attempt) => void,
  ) {
    this.spec = spec;
    this.open = open;
    this.call = call;
    this.details = details;
    this.resolve = resolve;
    // The id is unguessable, so no other user of the server can answer.
    this.token = `${call.callId}-${details.number}`;
  }

  send(): void {
    const { spec, call, details, token } = this;
    const { cell, runners, key, version, epoch, now } = spec;
    const { artifact = '', options } = call;
    const { tenant } = options;
    const chosen = details.to;
    this.runner = chosen?.runner;
    this.instance = chosen?.instance;
    const frame = sealEnvelope(
      key,
      {
        version,
        gateway: cell.name,
        cell: cell.cell,
        audience: chosen?.runner ?? '*',
        call: call.callId,
        attempt: details.number,
        ...(tenant === undefined ? {} : { tenant }),
        tool: call.tool.id,
        artifact,
        digest: call.digest,
        ...(options.approval === undefined ? {} : { approval: options.approval }),
        epoch: epoch(),
        expiresAtMs: now() + EXPIRY_MS,
        timeoutMs: call.timeoutMs,
        isolation: call.isolation,
        ...(options.context === undefined ? {} : { context: options.context }),
        ...(options.incomplete === true ? { incomplete: true } : {}),
        ...(options.unattended === true ? { unattended: true } : {}),
        ...(options.dryRun === true ? { dryRun: true } : {}),
        ...(options.record === true ? { record: true } : {}),
        ...(call.onOutput === undefined && call.onProgress === undefined ? {} : { watched: true }),
        ...(details.body === undefined ? {} : { body: details.body }),
      },
      details.body === undefined ? call.inputText : undefined,
      chosen === undefined || details.isSigned ? undefined : spec.sessionWith(chosen),
    );
    const hash = hash12(artifact);
    const subject =
      chosen === undefined
        ? cell.subjects.call(tenantToken(tenant), hash)
        : cell.subjects.pin(chosen.runner, hash);
    if (chosen !== undefined) this.ended = runners.sent(chosen.runner);
    this.open.set(token, this);
    call.end.listener = () => this.cancel();
    try {
      cell.connection.publish(subject, frame, { reply: `${cell.inbox}.calls.${token}` });
    } catch (error) {
      const message = `${call.tool.id} was not sent: ${messageOf(error)}.`;
      this.settle({ is: 'over', failure: { code: 'FLEET_FAILED', message } });
    }
  }

  receive(message: Msg): void {
    const { call, spec, runner } = this;
    if (isNoResponder(message)) {
      if (runner !== undefined) spec.runners.avoid(runner);
      return this.settle({ is: 'elsewhere', failure: noRunner(call), runner });
    }
    const reply = readReply(message.string());
    if (reply !== undefined) this.take(reply);
  }

  take(reply: Reply): void {
    const { call, spec } = this;
    switch (reply.type) {
      case 'started':
        this.runner ??= reply.runner;
        this.instance = reply.instance;
        this.ended ??= spec.runners.sent(this.runner);
        if (this.isCancelled) this.cancel();
        return;
      case 'output':
        call.onOutput?.(reply.text);
        return;
      case 'progress': {
        const { progress, total, message } = reply.progress;
        if (typeof progress !== 'number') return;
        call.onProgress?.({
          progress,
          ...(typeof total === 'number' ? { total } : {}),
          ...(typeof message === 'string' ? { message } : {}),
        });
        return;
      }
      case 'ask':
        return this.answerAsked(reply);
      case 'busy':
        spec.runners.avoid(reply.runner);
        return this.settle({
          is: 'elsewhere',
          failure: busy(call, reply.retryAfterMs),
          runner: reply.runner,
        });
      case 'refused': {
        if (reply.reason === 'session') return this.settle({ is: 'unsigned' });
        // The call did not begin there. A runner with another lock file must not stop what others can run.
        const failure = refused(reply.reason, reply.message);
        return this.settle({ is: 'elsewhere', failure, runner: reply.runner });
      }
      case 'result':
        if ('result' in reply) return this.settle({ is: 'answered', result: reply.result });
        void this.fetchResult(reply.body);
    }
  }

  answerAsked(message: AskMessage): void {
    const { call, spec, runner, token } = this;
    // guard: fleet-asks-capped
    if (runner === undefined || this.asks >= MAX_ASKS) return;
    this.asks += 1;
    const { requests, options } = call;
    const { signal } = call.end;
    // Each question listens to it.
    setMaxListeners(2 * MAX_ASKS, signal);
    void spec
      .answer({ token, runner, tenant: options.tenant, requests, signal }, message)
      // Without an answer, the runner refuses what it asked for.
      .catch(() => undefined)
      .finally(() => {
        this.asks -= 1;
      });
  }

  async fetchResult(body: BodyReference): Promise<void> {
    const { bodies } = this.spec;
    this.isAnswered = true;
    try {
      const result = readResult(parse(await bodies.read(body)));
      this.settle(result === undefined ? { is: 'lost' } : { is: 'answered', result });
    } catch {
      // The call has run, and its result is not there.
      this.settle({ is: 'lost' });
    }
    void bodies.remove(body);
  }

  /** The caller does not wait any more. The runner stops the call, also if it reports it later. */
  cancel(): void {
    this.isCancelled = true;
    this.forget ??= setTimeout(() => this.settle({ is: 'lost' }), FORGET_AFTER_MS).unref();
    const { cell } = this.spec;
    if (this.runner === undefined || !cell.isConnected()) return;
    cell.connection.publish(
      cell.subjects.cancel(this.runner, `${this.call.callId}-${this.details.number}`),
    );
  }

  /** What the runner said about the call. Its answer may be on the way when it says so for the first time. */
  heardOf(isAbsent: boolean): void {
    if (isAbsent && this.wasAbsent && !this.isAnswered)
      this.settle({ is: 'lost', runner: this.runner });
    this.wasAbsent = isAbsent;
  }

  checkRunner(): void {
    const { runner, instance, spec } = this;
    if (runner !== undefined && !this.isAnswered && spec.runners.isLost(runner, instance)) {
      this.settle({ is: 'lost', runner });
    }
  }

  settle(attempt: Attempt): void {
    if (!this.open.delete(this.token)) return;
    clearTimeout(this.forget);
    this.call.end.listener = undefined;
    this.ended?.();
    this.resolve(attempt);
  }
}

/** Whether a message is the server's own answer, because the subject has no listener. */
export function isNoResponder({ data, headers }: Msg): boolean {
  return data.length === 0 && headers?.code === 503;
}
