import type { Json, JsonObject } from '../../../sandbox/wire/messages.js';
import { isRecord } from '../../../sandbox/wire/json.js';
import { NO_PERMISSIONS } from '../../permissions/permissions.js';
import { makeGrant } from '../../permissions/grant.js';
import { BulkheadError, isBulkheadError, messageOf } from '../../errors.js';
import { hostFormat } from '../../formats/table.js';
import { waitForPerson } from '../../guests/host-waits.js';
import type { Bundle, Plugin, PluginEntry } from '../../plugin/plugin.js';
import { shareSignal } from '../../shared-signal.js';
import { announceEnd } from '../call/announce-end.js';
import { type Deadline, startDeadline } from '../call/call.js';
import type { EngineServices, Instance } from '../instance/instance.js';
import type { GuestRequest, RequestModeFactory } from '../instance/request-mode.js';
import { openInstance } from '../instance/open-instance.js';
import type { Quarantine } from '../instance/quarantine.js';
import { type Failure, failureOf } from '../types/result.js';
import { inProgramSource } from './build-program.js';
import { type Ledger, makeLedger } from './ledger.js';
import type { NestedCalls, NestedCallsFactory, RequestWait } from './nested-calls.js';
import {
  PROGRAM_LIMITS,
  type ProgramCall,
  type ProgramOptions,
  type ProgramResult,
} from './program.js';
import { isJsonObject } from './requested-call.js';
import type { ProgramFact, ProgramHead, ProgramLog, ProgramReply } from './program-log.js';

/** The plugin id of programs in events and audit records. Plugins cannot have it. */
export const PROGRAM = '(program)';
export const PROGRAM_TOOL = 'run';

export interface ProgramRunSpec {
  readonly head: ProgramHead;
  /** What the log has from before an interruption. */
  readonly facts: readonly ProgramFact[];
  readonly log: ProgramLog;
  readonly bundle: Bundle;
  readonly options: ProgramOptions;
  /** The call that runs the program, if a tool does. */
  readonly parent: string | undefined;
  readonly services: EngineServices;
  readonly calls: NestedCallsFactory;
}

/** A program that runs in this process. */
export interface ProgramRun {
  readonly done: Promise<ProgramResult>;
  readonly isParked: boolean;
  readonly calls: readonly ProgramCall[];
  /** Ends it. `interrupted`: it can be resumed from its log. */
  stop(failure: Failure, how?: 'interrupted'): void;
}

export function startProgram(spec: ProgramRunSpec): ProgramRun {
  return new Run(spec);
}

class Run implements ProgramRun {
  readonly done: Promise<ProgramResult>;
  readonly #spec: ProgramRunSpec;
  readonly #ledger: Ledger;
  readonly #nested: NestedCalls;
  readonly #instance: Instance;
  readonly #deadline: Deadline;
  readonly #end = new AbortController();
  readonly #began = performance.now();
  #resolve: (result: ProgramResult) => void = () => {};
  #over = false;
  #text = '';
  #requests = 0;
  #bytes = 0;
  /** Requests that the program waits for, and those of them that wait for a person. */
  #open = 0;
  #forPerson = 0;
  #isParked = false;

  constructor(spec: ProgramRunSpec) {
    const { head, facts, log, bundle, options, services, calls } = spec;
    const { limits } = services.settings;
    shareSignal(options.signal);
    shareSignal(this.#end.signal);
    this.#spec = spec;
    this.done = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    this.#ledger = makeLedger(facts, log);
    this.#nested = calls({
      program: head.id,
      tools: head.tools,
      options: { ...options, ...(head.tenant === undefined ? {} : { tenant: head.tenant }) },
      signal: this.#end.signal,
      log,
    });
    this.#instance = openInstance({
      plugin: PLUGIN,
      entry: ENTRY,
      bundle,
      config: null,
      secrets: {},
      grant: makeGrant(NO_PERMISSIONS, NO_PERMISSIONS),
      placement: {
        take: () => services.guests.take('compartment'),
        group: undefined,
        quarantine: NO_QUARANTINE,
        tape: { seed: head.seed },
        mode: this.#mode,
      },
      services,
    });
    const timeoutMs = Math.max(1, Math.min(options.timeoutMs ?? Infinity, limits.timeoutMs));
    this.#deadline = startDeadline(timeoutMs, () =>
      this.stop({
        code: 'DEADLINE_EXCEEDED',
        message: `The program did not finish within ${timeoutMs} ms and was stopped. Make fewer calls, or raise the deadline.`,
      }),
    );
    options.signal?.addEventListener('abort', this.#onAbort);
    services.events.emit({
      type: 'call-started',
      ...this.#about,
      bundle: bundle.hash,
      risk: 'low',
      input: JSON.stringify({ source: head.source }),
      ...(spec.parent === undefined ? {} : { parent: spec.parent }),
    });
    if (options.signal?.aborted === true) this.#onAbort();
    else void this.#run();
  }

  get isParked(): boolean {
    return this.#isParked;
  }

  get calls(): readonly ProgramCall[] {
    return this.#nested.list();
  }

  stop(failure: Failure, how?: 'interrupted'): void {
    this.#finish(failure, how === 'interrupted');
  }

  get #about(): { readonly call: string; readonly plugin: string; readonly tool: string } {
    return { call: this.#spec.head.id, plugin: PROGRAM, tool: PROGRAM_TOOL };
  }

  readonly #onAbort = (): void =>
    this.stop({ code: 'CANCELLED', message: 'The program was cancelled.' });

  async #run(): Promise<void> {
    const { id, tenant } = this.#spec.head;
    const instance = this.#instance;
    try {
      const guest = await instance.guests.acquire({ tenant, signal: this.#end.signal });
      if (this.#over) return;
      instance.outputs.open(id, {
        onOutput: (text) => {
          this.#text += text;
          this.#spec.options.onOutput?.(text);
        },
      });
      const params = {
        tool: PROGRAM_TOOL,
        output: id,
        input: this.#spec.head.input ?? {},
        context: null,
      };
      const value: Json = await guest.peer.ask('call', params).answer;
      this.#finish({ value: value ?? null });
    } catch (error) {
      this.#finish(this.#explain(failureOf(error, { id: PROGRAM, plugin: PROGRAM })));
    }
  }

  /** The failure in words about the program, with its place in the source. */
  #explain(failure: Failure): Failure {
    const { code, name, stack } = failure;
    // Programs have no manifest in which a permission could be added.
    const message = failure.message
      .replace(`${PROGRAM} may not`, 'A program may not')
      .replace(/ To allow this, .*/, '');
    const remedy = message === failure.message ? '' : ' To fix this, call a tool that does it.';
    if (stack === undefined) return { ...failure, message: `${message}${remedy}` };
    const mapped = inProgramSource(this.#instance.mapStack(stack));
    const place = /program\.ts:(\d+):(\d+)/.exec(mapped);
    const at = place === null ? '' : ` (line ${place[1]}, column ${place[2]})`;
    const kind = name === undefined || name === 'Error' ? '' : `${name}: `;
    return { code, message: `${kind}${message}${at}${remedy}`, stack: mapped };
  }

  #finish(outcome: { readonly value: Json } | Failure, isInterrupted = false): void {
    if (this.#over) return;
    this.#over = true;
    const { head, log, options, services } = this.#spec;
    this.#deadline.clear();
    options.signal?.removeEventListener('abort', this.#onAbort);
    const calls = this.#nested.end(isInterrupted);
    log.close();
    this.#end.abort();
    const durationMs = performance.now() - this.#began;
    const failed = 'code' in outcome ? outcome : undefined;
    const answer = {
      isError: failed !== undefined,
      content: [{ type: 'text' as const, text: failed?.message ?? this.#text }],
      ...('value' in outcome ? { value: outcome.value } : {}),
      ...(failed === undefined ? {} : { code: failed.code }),
      durationMs,
    };
    announceEnd(services.events, this.#about, answer, { stack: failed?.stack });
    const result: ProgramResult = {
      id: head.id,
      isError: failed !== undefined,
      ...('value' in outcome ? { value: outcome.value } : {}),
      text: this.#text,
      ...(failed === undefined ? {} : { code: failed.code, message: failed.message }),
      calls,
      durationMs,
    };
    void this.#instance.close().finally(() => this.#resolve(result));
  }

  readonly #mode: RequestModeFactory = () => ({
    name: 'program',
    // guard: program-has-calls-only
    answer: (asked) => {
      if (asked.method !== 'program') throw refused(asked.method);
      return this.#serve(asked).catch((error: unknown): ProgramReply => {
        // Not in the log: the same request of a resumed program has the same end.
        if (!isBulkheadError(error, 'PROGRAM_LIMIT')) throw error;
        return { error: { code: error.code, message: error.message } };
      });
    },
  });

  /** Answers one request of the program. Its number is taken before anything is awaited. */
  async #serve({ peer, params }: GuestRequest): Promise<ProgramReply> {
    const { op, args } = readParams(params);
    this.#requests += 1;
    // guard: program-request-cap
    if (this.#requests > PROGRAM_LIMITS.maxProgramCalls) {
      throw limit(`made more than ${PROGRAM_LIMITS.maxProgramCalls} requests`);
    }
    this.#countBytes(args);
    let noted: ReturnType<Ledger['note']>;
    try {
      noted = this.#ledger.note(op, args);
    } catch (error) {
      const reason = messageOf(error);
      this.#finish({
        code: isBulkheadError(error) ? error.code : 'PROGRAM_FAILED',
        message: reason,
      });
      throw error;
    }
    const { number, known } = noted;
    this.#open += 1;
    this.#park();
    try {
      if (known.reply !== undefined) {
        this.#nested.restore(number, op, args, known);
        return await this.#ledger.logged(number);
      }
      await this.#ledger.caughtUp;
      const wait: RequestWait = (waiting) => this.#whileWaiting(peer, waiting);
      const { reply, isUnknown, settled } = await this.#nested.answer({
        number,
        op,
        args,
        known,
        wait,
      });
      // The guest of a program that has ended is being killed.
      if (this.#over) return await new Promise<never>(() => {});
      this.#countBytes('value' in reply ? reply.value : reply.error.message);
      const delivered = await this.#ledger.deliver(number, reply, isUnknown);
      settled?.();
      return delivered;
    } finally {
      this.#open -= 1;
      this.#park();
    }
  }

  #countBytes(value: Json): void {
    this.#bytes += Buffer.byteLength(JSON.stringify(value));
    // guard: program-bytes-cap
    if (this.#bytes > PROGRAM_LIMITS.maxProgramBytes) {
      throw limit(`moved more than ${PROGRAM_LIMITS.maxProgramBytes} bytes`);
    }
  }

  async #whileWaiting<Result>(
    peer: GuestRequest['peer'],
    waiting: Promise<Result>,
  ): Promise<Result> {
    const answered = waitForPerson(peer);
    this.#forPerson += 1;
    this.#park();
    try {
      return await waiting;
    } finally {
      this.#forPerson -= 1;
      answered();
      this.#park();
    }
  }

  /** The deadline does not run while the program waits for people alone. */
  #park(): void {
    const isParked = this.#open > 0 && this.#forPerson === this.#open && !this.#over;
    if (isParked === this.#isParked) return;
    this.#isParked = isParked;
    if (isParked) this.#deadline.pause();
    else this.#deadline.resume();
  }
}

const PLUGIN: Plugin = {
  id: PROGRAM,
  format: hostFormat.name,
  directory: '/',
  manifest: 'the program',
  name: 'program',
  version: undefined,
  description: undefined,
  about: {},
  entries: [],
  environment: [],
  config: [],
  // The host's caller gives it, and it has no permission: the lock file does not name it.
  origin: 'default',
};

const ENTRY: PluginEntry = {
  key: 'program',
  surface: 'tools',
  file: 'program.ts',
  dialect: 'program',
  confinement: 'compartment',
  declared: NO_PERMISSIONS,
  requireApproval: false,
};

/** A program has one guest, so it cannot crash repeatedly. */
const NO_QUARANTINE: Quarantine = { ended: () => {}, admit: () => {}, alert: () => undefined };

function readParams(params: unknown): { readonly op: string; readonly args: JsonObject } {
  const { op, params: args } = isRequest(params) ? params : {};
  if (typeof op !== 'string' || args === undefined || !isJsonObject(args)) {
    throw refused('such a request');
  }
  return { op: op.slice(0, 20), args };
}

/** The params are JSON from the wire. */
function isRequest(params: unknown): params is JsonObject {
  return isRecord(params);
}

function refused(what: string): BulkheadError<'PERMISSION_REVOKED'> {
  return new BulkheadError(
    'PERMISSION_REVOKED',
    `A program has no permission for ${what.slice(0, 40)}. It can call tools.`,
    { permission: what.slice(0, 40) },
  );
}

function limit(what: string): BulkheadError<'PROGRAM_LIMIT'> {
  return new BulkheadError(
    'PROGRAM_LIMIT',
    `The program ${what}, which is the most that one may. Split the work into several programs.`,
    { limit: what },
  );
}
