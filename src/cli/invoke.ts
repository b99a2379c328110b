import { formatNamed } from '../formats/table.js';
import type { Json } from '../../sandbox/wire/messages.js';
import type { Engine } from '../engine/engine-api.js';
import type { CallOptions } from '../engine/types/options.js';
import type { CallRecording } from '../engine/types/recording.js';
import type { CallResult, StoppedEffect } from '../engine/types/result.js';
import type { PluginStatus } from '../engine/types/status.js';
import { isBulkheadError } from '../errors.js';
import type { BulkheadEvent } from '../events.js';
import { textOf } from '../plugin/answer.js';
import {
  type Failure,
  failureLine,
  failureOf,
  failureOfPlugin,
  failureOfProblem,
  noPlugin,
} from './failure.js';

/** The outcome of a call. */
export type Outcome =
  | {
      readonly ok: true;
      readonly callId: string;
      readonly result: Json;
      /** The part of the result that the command prints without `--json`. */
      readonly shown: Json;
      readonly durationMs: number;
      /** The changes that a dry run prevented. */
      readonly dryRun?: readonly StoppedEffect[];
      readonly denied?: CallResult['denied'];
    }
  | {
      readonly ok: false;
      /** Absent if the call did not begin. */
      readonly callId?: string;
      readonly failure: Failure;
      readonly durationMs: number;
      readonly dryRun?: readonly StoppedEffect[];
      readonly denied?: CallResult['denied'];
    };

/** Calls a tool of the plugin in that directory. Never throws: a failure is an outcome. */
export async function invoke(
  engine: Engine,
  { directory, tool, input, onRecording }: Invocation,
  options: CallOptions,
  now: () => number,
): Promise<Outcome> {
  const startedMs = now();
  const failed = (failure: Failure): Outcome => ({
    ok: false,
    failure,
    durationMs: round(now() - startedMs),
  });
  const plugins = engine.plugins();
  const status = plugins.length === 1 ? plugins[0] : undefined;
  const broken = plugins.length === 0 ? noPlugin(directory) : status && failureOfPlugin(status);
  if (broken !== undefined) return failed(broken);
  const ends = watchEnds(engine);
  try {
    const result = await engine.call(tool, input, options);
    if (result.recording !== undefined) onRecording?.(result.recording);
    const durationMs = round(result.durationMs);
    const value = result.value ?? null;
    const more = {
      callId: result.callId,
      ...(result.dryRun === undefined ? {} : { dryRun: result.dryRun }),
      ...(result.denied === undefined ? {} : { denied: result.denied }),
    };
    if (!result.isError) {
      return { ok: true, result: value, shown: shownOf(result), durationMs, ...more };
    }
    const { stack, why } = ends.of(result.callId);
    return {
      ok: false,
      failure: {
        code: result.code ?? 'TOOL_FAILED',
        message: why ?? textOf(result.content),
        ...(result.value === undefined ? {} : { result: result.value }),
        ...(status === undefined ? {} : { plugin: status.id }),
        ...(stack === undefined ? {} : { stack }),
        ...fixOf(result, status, stack),
      },
      durationMs,
      ...more,
    };
  } catch (error) {
    const absent = isBulkheadError(error, 'TOOL_NOT_FOUND') ? whyAbsent(tool, status) : undefined;
    return failed(absent ?? failureOf(error));
  } finally {
    ends.stop();
  }
}

export interface Invocation {
  readonly directory: string;
  readonly tool: string;
  readonly input: unknown;
  /** Receives the recording, if the call is recorded. */
  readonly onRecording?: (recording: CallRecording) => void;
}

/** What to do, if the plugin's system knows the failure, or if there is no place to look at. */
function fixOf(
  result: CallResult,
  status: PluginStatus | undefined,
  stack: string | undefined,
): Pick<Failure, 'fix'> {
  const known =
    status?.format === undefined
      ? undefined
      : formatNamed(status.format).remedyFor?.(textOf(result.content));
  if (known !== undefined) return { fix: known };
  return isPlaceless(result, stack) ? { fix: NO_PLACE } : {};
}

/** Whether a tool threw a value without a stack. A tool that returns a failure has a value. */
function isPlaceless({ code, value }: CallResult, stack: string | undefined): boolean {
  return code === 'TOOL_FAILED' && stack === undefined && value === undefined;
}

const NO_PLACE =
  'The plugin threw a value that is not an Error, so there is no stack: write throw new Error(…).';

/** Names that an error lists. */
const MAX_LISTED = 20;

/** If one part of a plugin is broken, its problem explains why a tool is missing. Else names the others. */
function whyAbsent(tool: string, status: PluginStatus | undefined): Failure | undefined {
  const problem = status?.problems.find(
    ({ message }) => status.tools.length === 0 || message.includes(tool),
  );
  if (status === undefined) return problem;
  const { id: plugin, tools } = status;
  if (problem !== undefined) return { ...failureOfProblem(problem), plugin };
  if (tools.length === 0) {
    const message = `There is no tool ${tool}: ${plugin} has no tools. To fix this, see bulkhead check.`;
    return { code: 'TOOL_NOT_FOUND', message, plugin };
  }
  const names = tools.slice(0, MAX_LISTED).map((one) => one.tool);
  const message = `There is no tool ${tool}. To fix this, call one of its tools: ${names.join(', ')}.`;
  return { code: 'TOOL_NOT_FOUND', message, plugin };
}

/** The outcome as `--json` prints it. */
export function outcomeLine(outcome: Outcome): object {
  const { durationMs } = outcome;
  const more = {
    ...(outcome.dryRun === undefined ? {} : { dryRun: outcome.dryRun }),
    ...(outcome.denied === undefined ? {} : { denied: outcome.denied }),
  };
  if (outcome.ok) return { ok: true, result: outcome.result, durationMs, ...more };
  return { ...failureLine(outcome.failure, durationMs), ...more };
}

function shownOf({ value, structured, content }: CallResult): Json {
  return typeof value === 'string' ? value : (structured ?? textOf(content));
}

/** Collects what events say about the end of each call. */
function watchEnds(engine: Engine): { of(call: string): EndOfCall; stop(): void } {
  const ends = new Map<string, EndOfCall>();
  const stop = engine.on((event) => {
    if (event.type === 'call-ended') ends.set(event.call, event);
  });
  return { of: (call) => ends.get(call) ?? {}, stop };
}

/** What only events say about a failure. */
type EndOfCall = Pick<Extract<BulkheadEvent, { type: 'call-ended' }>, 'stack' | 'why'>;

/** Rounds to 0.1 ms. */
export function round(milliseconds: number): number {
  return Math.round(milliseconds * 10) / 10;
}
