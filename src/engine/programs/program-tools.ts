import { isJsonObject } from '../../../sandbox/wire/json.js';
import type { Json } from '../../../sandbox/wire/messages.js';
import type { Catalog, UnnamedTool } from '../../catalog/catalog.js';
import { BulkheadError } from '../../errors.js';
import { CORE, readCoreTools } from '../plugins/core-tools.js';
import type { CoreTool, CoreToolContext } from '../types/core-tool.js';
import type { PlacedTool } from '../types/place.js';
import type { Settings } from '../types/settings.js';
import { ownCompiler } from '../node/process-defaults.js';
import { searchTools } from '../../catalog/search.js';
import { whyRefused } from '../call/admission.js';
import type { ProgramOptions, ProgramResult } from './program.js';
import type { ProgramRunner, StartedProgram } from './programs.js';
import { declarationsWithin, programName, signatureOf } from './signatures.js';

const RUN = 'run_program';
const SEARCH = 'search_tools';

/** The ids of the tools that run programs. Programs cannot call them. */
export const PROGRAM_TOOL_IDS: ReadonlySet<string> = new Set([
  `${CORE}:${RUN}`,
  `${CORE}:${SEARCH}`,
]);

/** Characters of the signatures in the description of `run_program`: some 2,000 tokens. */
const MAX_SIGNATURES = 8_000;

/** The part of a call's time after which a parked program answers that it waits. */
const ANSWERED_AFTER = 0.75;

export interface ProgramToolsSpec {
  readonly settings: Pick<Settings, 'limits' | 'tolerance' | 'policy'>;
  /** Called when a tool runs: by then the engine is open. */
  readonly runner: () => ProgramRunner;
  readonly catalog: Catalog;
}

/**
 * The tools `run_program` and `search_tools`, as the catalog lists them beside `others`: the description
 * has the signatures of those that fit.
 */
export function makeProgramTools(
  spec: ProgramToolsSpec,
): (others: readonly UnnamedTool[]) => readonly PlacedTool[] {
  let description = '';
  let placed: readonly PlacedTool[] = [];
  return (others) => {
    const next = describe(others);
    // An unchanged tool keeps its entry in the catalog.
    if (next !== description) {
      description = next;
      placed = readCoreTools({
        tools: [runTool(spec, next), searchTool(spec)],
        timeoutMs: spec.settings.limits.timeoutMs,
        tolerance: spec.settings.tolerance,
        compiler: ownCompiler,
      });
    }
    return placed;
  };
}

function describe(others: readonly UnnamedTool[]): string {
  const { text, left } = declarationsWithin(others, MAX_SIGNATURES);
  const rest =
    left === 0 ? '' : `\n${left} more tools are not listed here: find them with search(words).`;
  return `${HOW}\n\n${text}${rest}`;
}

const HOW = `Runs a TypeScript program that calls tools, and returns only what the program returns or writes. Use it if a task needs several calls, loops over results, or a small part of large results.
The program is the body of an async function: use await and return. It has no other access: no network, files, clock or timers.
  tools.<plugin>.<tool>(input)   calls a tool. It throws an Error with a code if the call fails.
  search(words)                  finds tools: [{ tool, signature, description }]
  describe("plugin.tool")        the whole declaration and schema of one tool
  text(value)                    writes text to the result
A call that needs approval waits for the user. If the answer says that the program waits, call this tool again with { "resume": id }.`;

function runTool({ runner }: ProgramToolsSpec, description: string): CoreTool {
  return {
    name: RUN,
    description,
    // The program itself can do nothing. Each of its calls has the risk of its tool.
    risk: 'low',
    inputSchema: {
      type: 'object',
      properties: {
        source: { type: 'string', description: 'The program in TypeScript.' },
        input: { type: 'object', description: 'The program sees it as input.' },
        resume: {
          type: 'string',
          description: 'The id of a program that waits, instead of source.',
        },
      },
      additionalProperties: false,
    },
    execute: (given, context) => {
      const { source, resume, input } = given;
      const programs = runner();
      return runOrWait(context, (options) =>
        typeof resume === 'string'
          ? programs.join(resume, { ...options, signal: context.signal })
          : programs.start(
              readSource(source),
              { ...options, ...(isJsonObject(input) ? { input } : {}) },
              context.callId,
            ),
      );
    },
  };
}

/** A call of a tool that runs a program. */
export type ProgramCaller = Pick<CoreToolContext, 'caller' | 'signal' | 'timeoutMs' | 'onOutput'>;

/**
 * Runs a program for a call of a tool. The program outlives the call if it waits for a person: then the answer
 * says so, and the call's signal no longer ends it.
 */
export async function runOrWait(
  { caller = {}, signal, onOutput, timeoutMs }: ProgramCaller,
  start: (options: ProgramOptions) => StartedProgram,
): Promise<ProgramAnswer> {
  const running = start({ ...caller, ...(onOutput && { onOutput }) });
  const cancel = (): void => running.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  const parked = afterMs(timeoutMs * ANSWERED_AFTER);
  try {
    const ended = await Promise.race([running.done, parked.passed]);
    if (ended !== undefined) return finished(ended);
    if (!running.isParked()) return finished(await running.done);
    return { content: waiting(running.id, running.questions()), isError: false, status: 'waiting' };
  } finally {
    parked.clear();
    signal.removeEventListener('abort', cancel);
  }
}

/** What the model gets. */
export interface ProgramAnswer {
  readonly content: string;
  readonly isError: boolean;
  readonly status?: string;
}

function finished(result: ProgramResult): ProgramAnswer {
  return { content: contentOf(result), isError: result.isError };
}

function contentOf({ isError, code, message, value, text }: ProgramResult): string {
  const written = text === '' ? [] : [text];
  if (isError) return [...written, `The program failed: ${code}: ${message}`].join('\n');
  const returned = value === undefined || value === null ? [] : [shown(value)];
  const all = [...written, ...returned].join('\n');
  return all === '' ? 'The program ended. It returned nothing.' : all;
}

function shown(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function waiting(id: string, questions: readonly string[]): string {
  return `The program waits for the user to answer: ${questions.join(', ')}. When the user has answered, call ${RUN} with ${JSON.stringify({ resume: id })}.`;
}

function readSource(source: unknown): string {
  if (typeof source === 'string' && source.trim() !== '') return source;
  throw new BulkheadError('INVALID_INPUT', `${RUN} takes the source of a program as "source".`, {
    tool: RUN,
  });
}

function searchTool({ catalog, settings }: ProgramToolsSpec): CoreTool {
  return {
    name: SEARCH,
    description:
      'Finds tools by words, for calls and for programs. Returns names, signatures and descriptions.',
    risk: 'low',
    inputSchema: {
      type: 'object',
      properties: {
        words: { type: 'string' },
        limit: { type: 'integer', minimum: 1, maximum: 50 },
      },
      required: ['words'],
      additionalProperties: false,
    },
    execute: ({ words, limit }, { caller = {} }: CoreToolContext) => {
      const offered = catalog
        .list()
        .filter(
          (tool) =>
            !PROGRAM_TOOL_IDS.has(tool.id) && whyRefused(tool, caller, settings) === undefined,
        );
      const found = searchTools(
        offered,
        typeof words === 'string' ? words : '',
        typeof limit === 'number' ? limit : undefined,
      );
      return JSON.stringify(
        found.map((tool) => ({
          name: tool.name,
          program: `tools.${programName(tool)}.${tool.tool}`,
          signature: signatureOf(tool),
          description: tool.description,
        })),
      );
    },
  };
}

function afterMs(ms: number): { readonly passed: Promise<undefined>; clear(): void } {
  let timer: NodeJS.Timeout | undefined;
  const passed = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  return { passed, clear: () => clearTimeout(timer) };
}
