import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import { BulkheadError, isBulkheadError, messageOf } from '../../errors.js';
import type { FileMutex } from '../../file-mutex.js';
import type { Bundler } from '../../plugin/bundle/bundler.js';
import { makeCallId } from '../call/prepare-call.js';
import type { EngineServices } from '../instance/instance.js';
import { programLogKey } from '../node/enclave-keys.js';
import { openSealedLogs } from '../node/sealed-logs.js';
import { checkOptions } from '../types/option-forms.js';
import type { Failure } from '../types/result.js';
import type { Bundle } from '../../plugin/plugin.js';
import { buildProgram } from './build-program.js';
import { openFinishedPrograms } from './finished-programs.js';
import type { NestedCallsFactory } from './nested-calls.js';
import {
  PROGRAM_LIMITS,
  PROGRAM_OPTIONS,
  type ProgramOptions,
  type ProgramResult,
  type Programs,
  type ProgramStatus,
} from './program.js';
import {
  createProgramLog,
  openProgramLog,
  type ProgramFact,
  type ProgramHead,
  type ProgramLog,
  readProgramLog,
} from './program-log.js';
import { aboutOf, callsOf } from './program-status.js';
import { isCovered, type Stop, stoppedError } from '../../stops/stop.js';
import { PROGRAM, type ProgramRun, startProgram } from './program-run.js';

export interface ProgramsSpec {
  readonly services: EngineServices;
  readonly bundler: Bundler;
  readonly calls: NestedCallsFactory;
  /** Withdraws a pending question. */
  readonly withdraw: (approval: string) => void;
  /** The build of a plugin whose tool is a program; `undefined` if the plugin has another build now. */
  readonly findBundle: (plugin: string, hash: string) => Bundle | undefined;
}

/** Runs programs, and keeps their logs in `.programs` of the storage directory. */
export interface ProgramRunner extends Programs {
  /** Throws `BUSY`, `STOPPED`, `PROGRAM_FAILED` and `INVALID_OPTIONS`. `done` rejects with `BUNDLE_FAILED` and `BUSY`. */
  start(source: string | SavedProgram, options: ProgramOptions, parent?: string): StartedProgram;
  /**
   * A program of the same tenant that runs, that was interrupted, or that ended lately. Throws
   * `INVALID_OPTIONS` if there is none.
   */
  join(id: string, options: ProgramOptions): StartedProgram;
  /** Ends the running programs that a stop covers. */
  stop(stop: Stop): void;
  /** Interrupts the running programs. They can be resumed by another engine. */
  close(): Promise<void>;
}

/** A program that is the tool of a plugin: it is built, and its manifest names the tools that it may call. */
export interface SavedProgram {
  readonly plugin: string;
  readonly bundle: Bundle;
  /** Of its whole definition. */
  readonly hash: string;
  readonly source: string;
  readonly tools: readonly string[];
}

export interface StartedProgram {
  readonly id: string;
  readonly done: Promise<ProgramResult>;
  isParked(): boolean;
  /** The ids of its pending questions. */
  questions(): readonly string[];
  cancel(): void;
}

interface Running {
  readonly head: ProgramHead;
  /** Absent while the program is built. */
  run?: ProgramRun;
  /** Why it ends before it runs. */
  over?: { readonly failure: Failure; readonly how?: 'interrupted' };
  done: Promise<ProgramResult>;
}

/** The result of a program without a waiting caller is stored for so long. */
const ENDED_FOR_MS = 10 * 60 * 1000;
const MAX_ENDED = 100;

export function makePrograms(spec: ProgramsSpec): ProgramRunner {
  const { services, bundler, calls } = spec;
  const { storageDirectory, cacheDirectory, enclaveKeyFile } = services.settings;
  const directory = join(storageDirectory, '.programs');
  const running = new Map<string, Running>();
  const ended = new LRUCache<
    string,
    { readonly tenant: string | undefined; readonly result: ProgramResult }
  >({ max: MAX_ENDED, ttl: ENDED_FOR_MS });
  let isClosed = false;
  let key: Buffer | undefined;
  const logs = openSealedLogs(
    directory,
    () => (key ??= programLogKey(enclaveKeyFile, storageDirectory)),
  );
  const finished = openFinishedPrograms(
    { storageDirectory, enclaveKeyFile, now: services.now },
    services.settings.logger,
  );

  const begin = (
    head: ProgramHead,
    opened: { readonly log: ProgramLog; readonly facts: readonly ProgramFact[] },
    mutex: FileMutex,
    options: ProgramOptions,
    parent?: string,
    built?: Bundle,
  ): StartedProgram => {
    const one: Running = { head, done: Promise.resolve().then(() => execute()) };
    const execute = async (): Promise<ProgramResult> => {
      let isKept = false;
      try {
        const bundle = built ?? (await buildProgram(head.source, { cacheDirectory, bundler }));
        const run = startProgram({ head, ...opened, bundle, options, parent, services, calls });
        one.run = run;
        if (one.over !== undefined) run.stop(one.over.failure, one.over.how);
        const result = await run.done;
        isKept = result.code === 'ENGINE_CLOSED';
        ended.set(head.id, { tenant: head.tenant, result });
        if (!result.isError && head.saved === undefined) finished.keep(head, result.calls);
        return result;
      } finally {
        running.delete(head.id);
        opened.log.close();
        // guard: finished-program-log-removed
        if (!isKept) logs.remove(head.id);
        mutex.release();
      }
    };
    running.set(head.id, one);
    // A program that goes on after its caller has an answer has no one to hear of its failure.
    one.done.catch(() => {});
    return startedOf(one);
  };

  const stop = (one: Running, failure: Failure, how?: 'interrupted'): void => {
    if (one.run === undefined) one.over = { failure, ...(how === undefined ? {} : { how }) };
    else one.run.stop(failure, how);
  };

  const startedOf = (one: Running): StartedProgram => ({
    id: one.head.id,
    done: one.done,
    isParked: () => one.run?.isParked === true,
    questions: () =>
      (one.run?.calls ?? []).flatMap(({ state, approval }) =>
        state === 'waiting' && approval !== undefined ? [approval] : [],
      ),
    cancel: () => stop(one, CANCELLED),
  });

  const requireNotStopped = (tenant: string | undefined): void => {
    const inForce = services.stops.find(PROGRAM, tenant);
    // guard: stopped-program-refused
    if (inForce !== undefined) throw stoppedError(inForce);
  };

  const reserve = (tenant: string | undefined): void => {
    const own = [...running.values()].filter(({ head }) => head.tenant === tenant).length;
    const { maxPrograms, maxProgramsPerTenant } = PROGRAM_LIMITS;
    // guard: programs-per-tenant-cap
    if (own < maxProgramsPerTenant && running.size < maxPrograms) return;
    const most = own < maxProgramsPerTenant ? maxPrograms : maxProgramsPerTenant;
    throw new BulkheadError(
      'BUSY',
      `${most} programs run or wait for a person, which is the maximum. Answer their questions, or cancel one.`,
      { retryAfterMs: RETRY_MS },
    );
  };

  const start = (
    given: string | SavedProgram,
    options: ProgramOptions,
    parent?: string,
  ): StartedProgram => {
    if (isClosed) throw closed();
    const saved = typeof given === 'object' && given !== null ? given : undefined;
    const source = saved?.source ?? given;
    if (typeof source !== 'string' || source.trim() === '') {
      throw invalid('source', 'A program takes its source as text.');
    }
    checkOptions(options, PROGRAM_OPTIONS, 'engine.runProgram');
    requireNotStopped(options.tenant);
    reserve(options.tenant);
    removeExpired();
    const now = services.now();
    const { tenant, input, tools = saved?.tools } = options;
    const head: ProgramHead = {
      type: 'program',
      version: 1,
      id: makeCallId(),
      ...(tenant === undefined ? {} : { tenant }),
      source,
      ...(tools === undefined ? {} : { tools }),
      ...(input === undefined ? {} : { input }),
      ...(saved === undefined ? {} : { saved: { plugin: saved.plugin, hash: saved.hash } }),
      seed: [...new Uint32Array(new Uint8Array(randomBytes(16)).buffer)],
      startedAtMs: now,
      expiresAtMs: now + PROGRAM_LIMITS.programExpiryMs,
    };
    const { log, mutex } = createLog(head);
    return begin(head, { log, facts: [] }, mutex, options, parent, saved?.bundle);
  };

  const resume = (id: string, options: ProgramOptions): StartedProgram => {
    if (isClosed) throw closed();
    requireStored(id);
    const mutex = lockOf(id);
    try {
      const { head, facts, log } = openProgramLog(logs, id);
      requireNotStopped(head.tenant);
      reserve(head.tenant);
      return begin(head, { log, facts }, mutex, options, undefined, bundleOf(head));
    } catch (error) {
      mutex.release();
      throw error;
    }
  };

  /** A program of a plugin continues only with the build that it began with. */
  const bundleOf = ({ id, saved }: ProgramHead): Bundle | undefined => {
    if (saved === undefined) return undefined;
    const bundle = spec.findBundle(saved.plugin, saved.hash);
    // guard: resumed-saved-program-same-build
    if (bundle !== undefined) return bundle;
    throw new BulkheadError(
      'PROGRAM_FAILED',
      `The program ${id} cannot continue: ${saved.plugin} is not installed, or has another version now. Cancel the program, or install the former version.`,
      { reason: 'its plugin was changed' },
    );
  };

  const createLog = (
    head: ProgramHead,
  ): { readonly log: ProgramLog; readonly mutex: FileMutex } => {
    try {
      const mutex = lockOf(head.id);
      return { log: createProgramLog(logs, head), mutex };
    } catch (error) {
      if (isBulkheadError(error)) throw error;
      throw new BulkheadError(
        'PROGRAM_FAILED',
        `The program did not start: its log in ${directory} cannot be written (${messageOf(error)}). Set storageDirectory to a directory that can be written.`,
        { reason: 'its log cannot be written' },
      );
    }
  };

  /** Throws `INVALID_OPTIONS` if another process has it. */
  const lockOf = (id: string): FileMutex => {
    const mutex = logs.lock(id);
    if ('release' in mutex) return mutex;
    throw invalid('id', `The program ${id} runs in the process ${mutex.heldBy}.`);
  };

  const stored = (): readonly string[] => logs.list().filter((id) => ID.test(id));

  const requireStored = (id: string): void => {
    // An id is part of a file name.
    // guard: program-id-checked
    if (typeof id === 'string' && ID.test(id) && stored().includes(id)) return;
    throw unknown(id);
  };

  /** Withdraws the pending questions of an interrupted program. */
  const withdrawAll = (id: string): void => {
    for (const { state, approval } of statusOf(id)?.calls ?? []) {
      if (state === 'waiting' && approval !== undefined) spec.withdraw(approval);
    }
  };

  /** Removes the logs that no one resumed in time. */
  const removeExpired = (): void => {
    for (const id of stored()) {
      if (running.has(id)) continue;
      try {
        const { head } = readProgramLog(logs, id);
        if (services.now() < head.expiresAtMs) continue;
        const mutex = lockOf(id);
        logs.remove(id);
        mutex.release();
      } catch {
        // It is changed, or another process has it. Only `cancel` removes such a log.
      }
    }
  };

  const statusOf = (id: string): ProgramStatus | undefined => {
    const here = running.get(id);
    if (here !== undefined) {
      const state = here.run?.isParked === true ? 'parked' : 'running';
      return { ...aboutOf(here.head), state, calls: here.run?.calls ?? [] };
    }
    try {
      const { head, facts } = readProgramLog(logs, id);
      if (services.now() >= head.expiresAtMs) return undefined;
      return { ...aboutOf(head), state: 'interrupted', calls: callsOf(facts) };
    } catch (error) {
      services.settings.logger.warn({ program: id }, messageOf(error));
      return undefined;
    }
  };

  return {
    start,
    join: (id, options) => {
      const { tenant } = options;
      const last = ended.get(id);
      const here = running.get(id);
      const owner = here?.head ?? last ?? statusOf(id);
      // To another tenant, the program does not exist.
      // guard: program-of-one-tenant
      if (owner === undefined || owner.tenant !== tenant) throw unknown(id);
      if (here !== undefined) return startedOf(here);
      if (last === undefined) return resume(id, options);
      const { result } = last;
      return { id, done: Promise.resolve(result), isParked: no, questions: none, cancel: () => {} };
    },
    list: ({ tenant } = {}) =>
      [...new Set([...stored(), ...running.keys()])]
        .flatMap((id) => statusOf(id) ?? [])
        .filter((one) => tenant === undefined || one.tenant === tenant)
        .toSorted((a, b) => a.startedAtMs - b.startedAtMs),
    resume: async (id, options = {}) => (running.get(id) ?? resume(id, options)).done,
    cancel: async (id) => {
      const here = running.get(id);
      if (here !== undefined) {
        stop(here, CANCELLED);
        await here.done.catch(() => {});
        return;
      }
      requireStored(id);
      const mutex = lockOf(id);
      withdrawAll(id);
      logs.remove(id);
      mutex.release();
    },
    stop: (why) => {
      const { code, message } = stoppedError(why);
      for (const one of running.values()) {
        // guard: stopped-programs-end
        if (isCovered(why, PROGRAM, one.head.tenant)) stop(one, { code, message });
      }
    },
    close: async () => {
      isClosed = true;
      const all = [...running.values()];
      for (const one of all) stop(one, CLOSED, 'interrupted');
      await Promise.allSettled(all.map(({ done }) => done));
    },
  };
}

const no = (): boolean => false;
const none = (): readonly string[] => [];

const ID = /^call_[0-9a-f]{32}$/;
const RETRY_MS = 1_000;

const CANCELLED: Failure = { code: 'CANCELLED', message: 'The program was cancelled.' };
const CLOSED: Failure = {
  code: 'ENGINE_CLOSED',
  message:
    'The engine was closed. engine.programs.resume(id) of another engine continues the program.',
};

function invalid(option: string, message: string): BulkheadError<'INVALID_OPTIONS'> {
  return new BulkheadError('INVALID_OPTIONS', message, { option });
}

function unknown(id: unknown): BulkheadError<'INVALID_OPTIONS'> {
  return invalid(
    'id',
    `There is no program ${JSON.stringify(id) ?? ''}. engine.programs.list() lists them.`,
  );
}

function closed(): BulkheadError<'ENGINE_CLOSED'> {
  return new BulkheadError(
    'ENGINE_CLOSED',
    'The engine was closed: it runs no further programs.',
    {},
  );
}
