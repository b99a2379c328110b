import type {
  CallOptions,
  CallRecord,
  CallResult,
  Engine,
  Json,
  PluginStatus,
  StoppedEffect,
} from '../index.js';
import { isBulkheadError, textOf } from '../index.js';
import { type Failure, failureLine, failureOf, failureOfPlugin, noPlugin } from './failure.js';

/** What a call came to, as `--json` prints it and people are told it. */
export type Outcome =
  | {
      readonly ok: true;
      /** What the tool returned. */
      readonly result: Json;
      /** What of it a person wants to see. */
      readonly shown: Json;
      readonly durationMs: number;
      /** What it would have changed, where it was a rehearsal. */
      readonly rehearsal?: readonly StoppedEffect[];
    }
  | {
      readonly ok: false;
      readonly failure: Failure;
      readonly durationMs: number;
      readonly rehearsal?: readonly StoppedEffect[];
    };

/** Calls a tool of the plugin in that directory. Never throws: what goes wrong is an outcome. */
export async function invoke(
  engine: Engine,
  { directory, tool, input, keep }: Invocation,
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
  const stacks = watchStacks(engine);
  try {
    const result = await engine.call(tool, input, options);
    if (result.record !== undefined) keep?.(result.record);
    const durationMs = round(result.durationMs);
    const value = result.value ?? null;
    const rehearsal = result.rehearsal === undefined ? {} : { rehearsal: result.rehearsal };
    if (!result.isError) {
      return { ok: true, result: value, shown: shownOf(result), durationMs, ...rehearsal };
    }
    const stack = stacks.of(result.callId);
    return {
      ok: false,
      failure: {
        code: result.code ?? 'TOOL_FAILED',
        message: textOf(result.content),
        ...(result.value === undefined ? {} : { result: result.value }),
        ...(status === undefined ? {} : { plugin: status.id }),
        ...(stack === undefined ? {} : { stack }),
      },
      durationMs,
      ...rehearsal,
    };
  } catch (error) {
    const absent = isBulkheadError(error, 'TOOL_NOT_FOUND') ? whyAbsent(tool, status) : undefined;
    return failed(absent ?? failureOf(error));
  } finally {
    stacks.stop();
  }
}

export interface Invocation {
  readonly directory: string;
  readonly tool: string;
  readonly input: unknown;
  /** Takes the record of a call that is to be recorded. */
  readonly keep?: (record: CallRecord) => void;
}

/** Of a plugin that runs in part, a tool may be missing because what offers it is broken. */
function whyAbsent(tool: string, status: PluginStatus | undefined): Failure | undefined {
  const problem = status?.problems.find(
    ({ message }) => status.tools.length === 0 || message.includes(tool),
  );
  return problem && { ...problem, ...(status === undefined ? {} : { plugin: status.id }) };
}

/** An outcome as the one line that scripts read. */
export function outcomeLine(outcome: Outcome): object {
  const { durationMs } = outcome;
  const rehearsal = outcome.rehearsal === undefined ? {} : { rehearsal: outcome.rehearsal };
  if (outcome.ok) return { ok: true, result: outcome.result, durationMs, ...rehearsal };
  return { ...failureLine(outcome.failure, durationMs), ...rehearsal };
}

function shownOf({ value, structured, content }: CallResult): Json {
  return typeof value === 'string' ? value : (structured ?? textOf(content));
}

/** Remembers what the plugin's own lines were for each call that threw. */
function watchStacks(engine: Engine): { of(call: string): string | undefined; stop(): void } {
  const stacks = new Map<string, string>();
  const stop = engine.on((event) => {
    if (event.type === 'call-ended' && event.stack !== undefined)
      stacks.set(event.call, event.stack);
  });
  return { of: (call) => stacks.get(call), stop };
}

/** A tenth of a millisecond is as much as a clock on a busy machine means. */
export function round(milliseconds: number): number {
  return Math.round(milliseconds * 10) / 10;
}
