import { join } from 'node:path';
import { isRecord } from '../../sandbox/wire/json.js';
import type { Json, JsonObject } from '../../sandbox/wire/messages.js';
import { createEngine } from '../engine/engine.js';
import { makeOwnDirectory } from '../engine/node/own-directory.js';
import type { EngineLimits } from '../engine/types/limits.js';
import { messageOf } from '../errors.js';

/** A function of the host that a program may call. It gets and returns JSON. */
export type LentFunction = (...args: unknown[]) => Promise<unknown>;

/** Functions under one name, in the form of `@cloudflare/codemode`. */
export interface CodeProvider {
  readonly name: string;
  readonly fns: Readonly<Record<string, LentFunction>>;
  /** JavaScript that runs in the sandbox before the program. */
  readonly prelude?: string;
}

/** The end of a program, in the form of `@cloudflare/codemode`. */
export interface ExecuteResult {
  result: unknown;
  error?: string;
  logs?: string[];
}

/** A program, in the form of Mastra's code mode. */
export interface CodeModeRun {
  readonly program: string;
  /** The program calls them as `external_<id>(input)`. */
  readonly toolIds: readonly string[];
  readonly dispatch: (tool: string, args: unknown) => Promise<unknown>;
  readonly timeout: number;
  readonly abortSignal?: AbortSignal | undefined;
  readonly onExternalCall?: ((tool: string, args: unknown) => void) | undefined;
  readonly onExternalResult?:
    | ((tool: string, durationMs: number, error?: unknown) => void)
    | undefined;
}

/** The end of a program, in the form of Mastra's code mode. */
export interface CodeModeResult {
  success: boolean;
  result?: unknown;
  logs?: string[];
  error?: { message: string; name?: string };
}

/**
 * Runs programs for the code modes of other frameworks, each in a new guest without permissions. It is an
 * `Executor` of `@cloudflare/codemode` and a `CodeModeTransport` of Mastra.
 */
export interface CodeExecutor {
  /** Never rejects: a failure is in `error`. */
  execute(
    code: string,
    providersOrFns: readonly CodeProvider[] | Readonly<Record<string, LentFunction>>,
    options?: { readonly connectors?: readonly unknown[] },
  ): Promise<ExecuteResult>;
  readonly requiresSandbox: false;
  /** Never rejects: a failure is in `error`. */
  run(program: CodeModeRun): Promise<CodeModeResult>;
  /** Ends the programs that run. */
  close(): Promise<void>;
}

export interface CodeExecutorOptions {
  /** Deadline of a program of `execute`, in milliseconds, and the longest of `run`. Default: 60 s. */
  readonly timeoutMs?: number;
  /** Limits of the guests, as for `createEngine`. Default: those of an engine. */
  readonly limits?: Partial<Omit<EngineLimits, 'timeoutMs'>>;
}

/** What one program may call, by provider and name. */
type Lent = ReadonlyMap<string, ReadonlyMap<string, LentFunction>>;

interface Outcome {
  readonly value?: unknown;
  readonly error?: { readonly message: string; readonly name?: string };
  readonly logs: string[];
}

/**
 * Makes an executor for other frameworks' code modes. A program gets the functions that its framework lends
 * it, and nothing else; arguments and results are copied as JSON. The functions decide whether a call may run:
 * those of `aiTools` and `mastraTools` ask their engine.
 */
export async function codeExecutor(options: CodeExecutorOptions = {}): Promise<CodeExecutor> {
  const { timeoutMs: longestMs = 60_000, limits = {} } = options;
  /** By the context of a program's calls, which the program does not choose. */
  const running = new Map<string, Lent>();
  let count = 0;
  const directory = await makeOwnDirectory();
  const engine = await createEngine({
    plugins: [],
    storageDirectory: join(directory.path, 'storage'),
    cacheDirectory: join(directory.path, 'cache'),
    enclaveKeyFile: join(directory.path, 'key'),
    limits: { ...limits, timeoutMs: longestMs },
    tolerance: 'full',
    coreTools: [
      {
        name: DISPATCH,
        inputSchema: { type: 'object' },
        // guard: code-executor-lends-named-functions
        execute: async (input, { metadata }) =>
          JSON.stringify(await dispatch(running.get(textOf(metadata['run'])), input)),
      },
    ],
  });

  const runProgram = async (
    lent: Lent,
    source: string,
    more: { readonly timeoutMs: number; readonly signal?: AbortSignal | undefined },
  ): Promise<Outcome> => {
    count += 1;
    const run = `run ${count}`;
    running.set(run, lent);
    try {
      const { signal, timeoutMs } = more;
      const ended = await engine.runProgram(source, {
        context: { run },
        timeoutMs: Math.min(timeoutMs, longestMs),
        ...(signal === undefined ? {} : { signal }),
      });
      if (ended.isError) {
        return { error: { message: ended.message ?? 'The program failed.' }, logs: [] };
      }
      return readOutcome(ended.value);
    } catch (error) {
      return { error: { message: messageOf(error) }, logs: [] };
    } finally {
      running.delete(run);
    }
  };

  return {
    execute: async (code, providersOrFns, { connectors = [] } = {}) => {
      const refusal =
        connectors.length === 0
          ? undefined
          : 'This executor has no connectors. Pass their functions as a provider.';
      const providers = isList(providersOrFns)
        ? providersOrFns
        : [{ name: 'codemode', fns: providersOrFns }];
      const problem = refusal ?? problemOf(providers);
      if (problem !== undefined) return { result: undefined, error: problem };
      const lent = new Map(
        providers.map(({ name, fns }) => [name, new Map(Object.entries(fns).flatMap(named))]),
      );
      const preludes = providers.map(({ prelude = '' }) => prelude).join('\n');
      const objects = providers.map(({ name }) => ({ name, provider: name }));
      const source = sourceOf(objects, lent, preludes, bodyOf(code));
      const { value, error, logs } = await runProgram(lent, source, { timeoutMs: longestMs });
      return {
        result: value,
        ...(error === undefined ? {} : { error: error.message }),
        ...(logs.length === 0 ? {} : { logs }),
      };
    },
    requiresSandbox: false,
    run: async (spec) => {
      const external = new Map(
        spec.toolIds.map((id) => [externalName(id), observed(spec, id)] as const),
      );
      const lent = new Map([[EXTERNAL, external]]);
      const names = [...external.keys()].map((name) => ({ name, provider: EXTERNAL, fn: name }));
      const source = sourceOf(names, lent, '', spec.program);
      const { value, error, logs } = await runProgram(lent, source, {
        timeoutMs: spec.timeout,
        signal: spec.abortSignal,
      });
      return {
        success: error === undefined,
        ...(value === undefined ? {} : { result: value }),
        ...(logs.length === 0 ? {} : { logs }),
        ...(error === undefined ? {} : { error: { ...error } }),
      };
    },
    close: async () => {
      await engine.close();
      await directory.remove();
    },
  };
}

const DISPATCH = 'dispatch';
const EXTERNAL = 'external';

/** Runs what a program asked for, if this program may. */
async function dispatch(lent: Lent | undefined, input: JsonObject): Promise<object> {
  const { provider, name, args } = input;
  const found = lent?.get(textOf(provider))?.get(textOf(name));
  if (found === undefined) {
    return { error: { message: `There is no function ${textOf(provider)}.${textOf(name)}.` } };
  }
  try {
    return { value: await found(...(Array.isArray(args) ? args : [])) };
  } catch (error) {
    const name_ = error instanceof Error ? error.name : 'Error';
    return { error: { name: name_, message: messageOf(error) } };
  }
}

/** Under its own name, and under the identifier that types for models have in its place. */
function named([name, fn]: readonly [string, LentFunction]): (readonly [string, LentFunction])[] {
  const identifier = name.replaceAll(/[-.\s]/g, '_').replaceAll(/[^\w$]/g, '');
  return [
    [name, fn],
    [/^\d/.test(identifier) ? `_${identifier}` : identifier, fn],
  ];
}

function externalName(id: string): string {
  const name = id.replaceAll(/[^\w$]/g, '_');
  return `external_${IDENTIFIER.test(name) ? name : `_${name}`}`;
}

function observed(
  { dispatch: call, onExternalCall, onExternalResult }: CodeModeRun,
  id: string,
): LentFunction {
  return async (args) => {
    const began = performance.now();
    onExternalCall?.(id, args);
    try {
      const result = await call(id, args);
      onExternalResult?.(id, performance.now() - began);
      return result;
    } catch (error) {
      onExternalResult?.(id, performance.now() - began, error);
      throw error;
    }
  };
}

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

function problemOf(providers: readonly CodeProvider[]): string | undefined {
  const names = providers.map(({ name }) => name);
  const wrong = names.find((name) => !IDENTIFIER.test(name));
  if (wrong !== undefined) return `Provider name ${JSON.stringify(wrong)} is not an identifier.`;
  return new Set(names).size < names.length ? 'Two providers have one name.' : undefined;
}

/** The body of a program: a function is called, and statements run as they are. */
function bodyOf(code: string): string {
  const trimmed = code.trim().replace(/;$/, '');
  const isFunction = /^(?:async\s+)?function\b|^(?:async\s*)?(?:\([^]*?\)|[\w$]+)\s*=>/.test(
    trimmed,
  );
  return isFunction ? `return await (${trimmed}\n)();` : code;
}

/** A name in the program: an object of functions, or with `fn` one of them. */
interface LentName {
  readonly name: string;
  readonly provider: string;
  readonly fn?: string;
}

/**
 * The program, which sees the names that are lent to it, and none of the globals that programs of an engine
 * have. What stands before it is on one line, so that errors name its own lines.
 */
function sourceOf(names: readonly LentName[], lent: Lent, prelude: string, body: string): string {
  const values = names.map(({ name, provider, fn }) => {
    const list = JSON.stringify([...(lent.get(provider)?.keys() ?? [])]);
    const value =
      fn === undefined
        ? `of_(${JSON.stringify(provider)}, ${list})`
        : `one_(${JSON.stringify(provider)}, ${JSON.stringify(fn)})`;
    return `${name}: ${value}`;
  });
  const hidden = ENGINE_GLOBALS.filter((name) => names.every((one) => one.name !== name));
  const all = ['console', ...names.map(({ name }) => name), ...hidden];
  const before = prelude.trim() === '' ? '' : `${prelude}\n`;
  return `${HEAD} try { return { value: await (async ({ ${all.join(', ')} }) => { ${before}${body}\n})({ console: console_, ${values.join(', ')} }), logs: logs_ }; } catch (error) { return { error: told_(error), logs: logs_ }; }`;
}

/** What a program of an engine sees: a program of another framework may use these names itself. */
const ENGINE_GLOBALS = ['tools', 'search', 'describe', 'text', 'input'];

const HEAD = [
  'const host_ = tools.host, logs_ = [];',
  'const shown_ = (one) => { if (typeof one === "string") return one; try { return JSON.stringify(one) ?? String(one); } catch { return String(one); } };',
  'const say_ = (mark) => (...all) => { logs_.push(mark + all.map(shown_).join(" ")); };',
  'const console_ = { log: say_(""), info: say_(""), debug: say_(""), warn: say_("[warn] "), error: say_("[error] ") };',
  'const told_ = (error) => error instanceof Error ? { name: String(error.name), message: String(error.message) } : { message: String(error) };',
  'const failed_ = ({ name, message }) => { const error = new Error(message); if (name) error.name = name; return error; };',
  `const one_ = (provider, name) => async (...args) => { const { value, error } = JSON.parse(await host_.${DISPATCH}({ provider, name, args })); if (error) throw failed_(error); return value; };`,
  'const of_ = (provider, names) => Object.fromEntries(names.map((name) => [name, one_(provider, name)]));',
].join(' ');

function readOutcome(value: Json | undefined): Outcome {
  const { value: result, error, logs } = isRecord(value) ? value : {};
  const { message, name } = isRecord(error) ? error : {};
  return {
    ...(result === undefined ? {} : { value: result }),
    ...(message === undefined
      ? {}
      : {
          error: {
            message: textOf(message),
            ...(name === undefined ? {} : { name: textOf(name) }),
          },
        }),
    logs: Array.isArray(logs) ? logs.map(textOf) : [],
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function isList<Item>(value: readonly Item[] | object): value is readonly Item[] {
  return Array.isArray(value);
}
