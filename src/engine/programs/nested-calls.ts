import type { Json } from '../../../sandbox/wire/messages.js';
import { makeSemaphore } from '../../../sandbox/wire/semaphore.js';
import type { ApprovalStore } from '../../approval/store.js';
import type { Approver } from '../../approval/approver.js';
import type { Catalog, CatalogTool } from '../../catalog/catalog.js';
import { searchTools } from '../../catalog/search.js';
import { didYouMean } from '../../did-you-mean.js';
import { type ErrorCode, isBulkheadError, messageOf } from '../../errors.js';
import { textOf } from '../../plugin/answer.js';
import { type CallAdmission, whyRefused } from '../call/admission.js';
import type { CallSpec } from '../call/call.js';
import type { CallOptions } from '../types/options.js';
import type { CallResult } from '../types/result.js';
import type { Settings } from '../types/settings.js';
import type { KnownRequest } from './ledger.js';
import { PROGRAM_LIMITS, type ProgramCall, type ProgramOptions } from './program.js';
import type { ProgramLog, ProgramReply } from './program-log.js';
import { isJsonObject, requestedCall } from './requested-call.js';
import { declarationOf, programName, signatureOf } from './signatures.js';

export interface NestedCallsSpec {
  readonly catalog: Catalog;
  readonly admission: CallAdmission;
  readonly store: ApprovalStore;
  readonly settings: Pick<Settings, 'policy' | 'approve'>;
  readonly specOf: (tool: string, input: unknown, options: CallOptions) => CallSpec;
  /** Tools that programs cannot call: those that run programs. */
  readonly excluded: ReadonlySet<string>;
}

/** One program, for its nested calls. */
export interface ProgramContext {
  /** The id of the program. */
  readonly program: string;
  readonly tools: readonly string[] | undefined;
  readonly options: ProgramOptions;
  /** Aborts when the program ends. */
  readonly signal: AbortSignal;
  readonly log: ProgramLog;
}

/** Runs a wait for a person: meanwhile the program may be suspended. */
export type RequestWait = <Result>(waiting: Promise<Result>) => Promise<Result>;

export interface NestedRequest {
  readonly number: number;
  readonly op: string;
  readonly args: Json;
  readonly known: KnownRequest;
  readonly wait: RequestWait;
}

export interface NestedReply {
  readonly reply: ProgramReply;
  readonly isUnknown: boolean;
  /** Called when the reply is in the log. */
  readonly settled?: () => void;
}

/** Answers the requests of a program. Each call is a call of the engine, with all its checks. */
export interface NestedCalls {
  /** Never rejects: a failed call is a reply, which the program sees as an error. */
  answer(request: NestedRequest): Promise<NestedReply>;
  /** Lists a call whose reply is in the log. */
  restore(number: number, op: string, args: Json, known: KnownRequest): void;
  list(): readonly ProgramCall[];
  /** The program has ended. Withdraws its pending questions, unless it can be resumed. */
  end(isInterrupted: boolean): readonly ProgramCall[];
}

export type NestedCallsFactory = (context: ProgramContext) => NestedCalls;

export function makeNestedCalls(spec: NestedCallsSpec): NestedCallsFactory {
  const { catalog, admission, store, settings, specOf, excluded } = spec;
  return ({ program, tools, options, signal, log }) => {
    const calls = new Map<number, ProgramCall>();
    const semaphore = makeSemaphore({ maxActive: PROGRAM_LIMITS.maxProgramCallsAtOnce });
    const { tenant, policy, context, unattended, onCall } = options;
    const approve = options.approve ?? settings.approve;
    const isAttended = unattended !== true && context?.['isInteractive'] !== false;
    const names = tools?.map(patternOf);
    const situation = {
      ...(policy === undefined ? {} : { policy }),
      ...(unattended === undefined ? {} : { unattended }),
    };

    const offered = (): readonly CatalogTool[] =>
      catalog.list().filter(
        (tool) =>
          !excluded.has(tool.id) &&
          // guard: program-tools-limited
          (names === undefined ||
            names.some((name) => name.test(tool.name) || name.test(tool.id))) &&
          whyRefused(tool, situation, settings) === undefined,
      );

    const note = (call: ProgramCall): void => {
      calls.set(call.number, call);
      try {
        onCall?.(call);
      } catch {
        // A listener that throws must not end a program.
      }
    };

    const find = (plugin: string, name: string): CatalogTool | ProgramReply => {
      const all = offered();
      const found = all.find((tool) => programName(tool) === plugin && tool.tool === name);
      if (found !== undefined) return found;
      const wanted = `${plugin}.${name}`.slice(0, 200);
      const close = didYouMean(
        wanted,
        all.map((tool) => `${programName(tool)}.${tool.tool}`),
      );
      const remedy =
        close === undefined ? 'Find tools with search(words).' : `Did you mean tools.${close}?`;
      return failed('TOOL_NOT_FOUND', `There is no tool tools.${wanted}. ${remedy}`);
    };

    const call = async ({ number, args, known, wait }: NestedRequest): Promise<NestedReply> => {
      const { plugin, tool: name, input } = requestedCall(args);
      const tool = find(plugin, name);
      if (!('id' in tool)) return { reply: tool, isUnknown: false };
      const about = { number, tool: tool.id, input };
      note({ ...about, state: 'running' });
      let callId = known.callId;
      const finish = (reply: ProgramReply, isUnknown = false): NestedReply => {
        const ended =
          'error' in reply ? ({ state: 'failed', code: reply.error.code } as const) : DONE;
        const state = isUnknown ? ({ state: 'unknown' } as const) : ended;
        const final = { ...about, ...(callId === undefined ? {} : { callId }), ...state };
        return { reply, isUnknown, settled: () => note(final) };
      };
      let release: (() => void) | undefined;
      try {
        const callOptions: CallOptions = {
          signal,
          ...(tenant === undefined ? {} : { tenant }),
          ...situation,
          ...(context === undefined ? {} : { context }),
          ...(approve === undefined ? {} : { approve: waitingApprover(approve, wait) }),
        };
        const made = (approval?: string): CallSpec =>
          specOf(tool.id, about.input, {
            ...callOptions,
            ...(approval === undefined ? {} : { approval }),
          });
        const first = made();
        // guard: begun-call-not-run-again
        if (callId !== undefined && !first.services.isIdempotent(tool)) {
          return finish(unknownResult(tool), true);
        }
        let approval = usable(known.approval);
        const mayAsk = approve === undefined && isAttended;
        if (approval === undefined && mayAsk && admission.preview(first).verdict === 'ask') {
          approval = admission.request(first, { asker: `program ${program}` });
          log.append({ type: 'asked', number, approval }, true);
        }
        if (approval !== undefined) {
          note({ ...about, state: 'waiting', approval });
          await wait(answered(store, approval, signal));
        }
        release = await semaphore.acquire(signal);
        const next = made(approval);
        const result = await admission.run({
          ...next,
          parent: program,
          beforeRun: () => {
            callId = next.callId;
            // guard: begun-call-on-disk
            log.append({ type: 'begun', number, callId }, true);
            note({ ...about, state: 'running', callId });
          },
        });
        return finish(replyOf(result));
      } catch (error) {
        return finish(
          failed(isBulkheadError(error) ? error.code : 'TOOL_FAILED', messageOf(error)),
        );
      } finally {
        release?.();
      }
    };

    /** The approval of an interrupted call. A spent one did not run the call, or it would have begun. */
    const usable = (approval: string | undefined): string | undefined =>
      approval === undefined || store.find(approval)?.state === 'spent' ? undefined : approval;

    const search = (args: Json): ProgramReply => {
      const { words, limit } = isJsonObject(args) ? args : {};
      const most = typeof limit === 'number' && limit >= 1 ? Math.min(limit, MAX_FOUND) : undefined;
      const found = searchTools(offered(), typeof words === 'string' ? words : '', most);
      return {
        value: found.map((tool) => ({
          tool: `${programName(tool)}.${tool.tool}`,
          signature: signatureOf(tool),
          description: tool.description.slice(0, MAX_FOUND_DESCRIPTION),
        })),
      };
    };

    const describe = (args: Json): ProgramReply => {
      const { tool: name } = isJsonObject(args) ? args : {};
      const found = offered().find(
        (tool) => `${programName(tool)}.${tool.tool}` === name || tool.name === name,
      );
      if (found === undefined) {
        return failed(
          'TOOL_NOT_FOUND',
          `There is no tool ${JSON.stringify(name) ?? ''}. Find tools with search(words).`,
        );
      }
      return { value: { declaration: declarationOf(found), inputSchema: found.inputSchema } };
    };

    return {
      answer: (request) => {
        const { op, args } = request;
        if (op === 'call') return call(request);
        const reply =
          op === 'search'
            ? search(args)
            : op === 'describe'
              ? describe(args)
              : failed('TOOL_NOT_FOUND', 'A program can call, search and describe tools.');
        return Promise.resolve({ reply, isUnknown: false });
      },
      restore: (number, op, args, { callId, reply }) => {
        if (op !== 'call' || reply === undefined) return;
        const { plugin, tool, input } = requestedCall(args);
        calls.set(number, {
          number,
          tool: `${plugin}:${tool}`,
          input,
          ...(callId === undefined ? {} : { callId }),
          ...('error' in reply ? { state: 'failed', code: reply.error.code } : DONE),
        });
      },
      list: () => [...calls.values()].toSorted((a, b) => a.number - b.number),
      end: (isInterrupted) => {
        for (const one of calls.values()) {
          if (one.state === 'done' || one.state === 'failed' || one.state === 'unknown') continue;
          if (one.approval !== undefined && !isInterrupted) withdraw(store, one.approval);
          if (one.state === 'running' && one.callId !== undefined) {
            calls.set(one.number, { ...one, state: 'unknown' });
          }
        }
        return [...calls.values()].toSorted((a, b) => a.number - b.number);
      },
    };
  };
}

const DONE = { state: 'done' } as const;

/** Tools that one search returns at most. */
const MAX_FOUND = 50;
const MAX_FOUND_DESCRIPTION = 300;

/** Interval at which a waiting call looks for an answer of another process. */
const POLL_MS = 500;

/** Resolves when the question is no longer pending. Rejects if the program ends. */
function answered(store: ApprovalStore, approval: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const look = (): void => {
      try {
        if (store.find(approval)?.state !== 'pending') end(resolve);
      } catch (error) {
        end(() => reject(error));
      }
    };
    const giveUp = (): void => end(() => reject(signal.reason));
    const poll = setInterval(look, POLL_MS);
    const unsubscribe = store.onChange(look);
    const end = (settle: () => void): void => {
      clearInterval(poll);
      unsubscribe();
      signal.removeEventListener('abort', giveUp);
      settle();
    };
    if (signal.aborted) return giveUp();
    signal.addEventListener('abort', giveUp, { once: true });
    look();
  });
}

function waitingApprover(approve: Approver, wait: RequestWait): Approver {
  return (request) => wait(Promise.resolve(approve(request)));
}

function withdraw(store: ApprovalStore, approval: string): void {
  try {
    store.end(approval, 'withdrawn');
  } catch {
    // The question expires.
  }
}

function replyOf(result: CallResult): ProgramReply {
  const { isError, code, content, structured } = result;
  if (isError) return failed(code ?? 'TOOL_FAILED', textOf(content));
  if (structured !== undefined) return { value: structured };
  const isText = content.every(({ text }) => text !== undefined);
  if (isText) return { value: textOf(content) };
  const blocks: Json = JSON.parse(JSON.stringify(content));
  return { value: blocks };
}

function unknownResult({ id }: CatalogTool): ProgramReply {
  return failed(
    'CALL_UNKNOWN',
    `${id} had begun when its host ended, and its result is not known. It was not run again. Check whether it had its effect.`,
  );
}

function failed(code: ErrorCode, message: string): ProgramReply {
  return { error: { code, message } };
}

/** A pattern of tool names: `*` stands for any text. */
function patternOf(pattern: string): RegExp {
  const parts = pattern
    .split('*')
    .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join('.*')}$`);
}
