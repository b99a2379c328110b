import type { Command } from 'commander';
import { resolve } from 'node:path';
import { isRecord } from '../../sandbox/wire/json.js';
import type { Json, JsonObject } from '../../sandbox/wire/messages.js';
import type { Engine } from '../agent/agent.js';
import { jsonLine } from '../visible.js';
import type { RunCommand } from './call.js';
import type { CliCapabilities } from './capabilities.js';
import { type PluginSettings, addPluginOptions, engineOptions } from './engine-options.js';
import { EXIT, type ExitCode } from './exit-codes.js';
import { failureOf, reasonOf, usageError } from './failure.js';
import { type Invocation, type Outcome, invoke, outcomeLine, round } from './invoke.js';
import { readLines } from './read-lines.js';
import { declaredSecrets } from './secrets.js';

/** Longest input line. The engine's own limit on inputs is lower. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;

export function addBatch(program: Command, run: RunCommand): void {
  const command = program
    .command('batch')
    .description(
      'read calls from standard input, one JSON object a line, and print their results in order',
    )
    .addHelpText(
      'after',
      '\nInput line: {"plugin": dir, "tool": name, "input": any, "context": {}, "timeoutMs": n, "id": any}\n' +
        'Output line: {"id": any, "ok": true, "result": any, "durationMs": n}, or "ok": false and "error"',
    );
  addPluginOptions(command)
    .option('--yes', 'approve every call that requires approval')
    .option('--json', 'has no effect: the output is always lines of JSON')
    .action((settings: PluginSettings) => run((capabilities) => runBatch(settings, capabilities)));
}

/** Runs every line in order. An invalid line gets an error as its answer; guests stay warm between lines. */
export async function runBatch(
  settings: PluginSettings,
  capabilities: CliCapabilities,
): Promise<ExitCode> {
  // Standard input carries the calls, so the operator cannot be asked.
  const { ask: _ask, ...unattended } = capabilities;
  const options = await engineOptions([], settings, unattended);
  const secrets = declaredSecrets(settings.secret ?? {});
  await using engines = makeEngineCache((directory) =>
    capabilities.createEngine({ ...options, secrets, plugins: [directory] }),
  );
  for await (const line of readLines(capabilities.stdin, MAX_LINE_BYTES)) {
    if (capabilities.interrupted.aborted || capabilities.stdout.closed) break;
    await capabilities.stdout.write(jsonLine(await answer(line, engines.open, capabilities)));
  }
  return capabilities.interrupted.aborted ? EXIT.interrupted : EXIT.ok;
}

async function answer(
  line: string | undefined,
  open: EngineCache['open'],
  { now, interrupted }: Pick<CliCapabilities, 'now' | 'interrupted'>,
): Promise<object> {
  const startedMs = now();
  let id: JsonObject = {};
  let outcome: Outcome;
  try {
    const call = parseLine(line);
    if (call['id'] !== undefined) id = { id: call['id'] };
    const { options, ...invocation } = parseCall(call);
    const engine = await open(invocation.directory);
    outcome = await invoke(engine, invocation, { signal: interrupted, ...options }, now);
  } catch (error) {
    outcome = { ok: false, failure: failureOf(error), durationMs: round(now() - startedMs) };
  }
  return { ...id, ...outcomeLine(outcome) };
}

function parseLine(line: string | undefined): JsonObject {
  if (line === undefined) {
    throw usageError('line', `the line is longer than ${MAX_LINE_BYTES} bytes`);
  }
  let value: Json;
  try {
    value = JSON.parse(line);
  } catch (error) {
    const reason = reasonOf(error);
    throw usageError('line', `the line is not JSON: ${reason}`);
  }
  if (!isRecord(value)) throw usageError('line', 'the line is not a JSON object');
  return value;
}

interface BatchCall extends Invocation {
  readonly options: { readonly timeoutMs?: number; readonly context?: JsonObject };
}

function parseCall(call: JsonObject): BatchCall {
  const { plugin, tool, input, context, timeoutMs } = call;
  if (typeof plugin !== 'string') throw usageError('plugin', '"plugin" must be a directory');
  if (typeof tool !== 'string') throw usageError('tool', '"tool" must be the name of a tool');
  if (context !== undefined && !isRecord(context)) {
    throw usageError('context', '"context" must be an object');
  }
  if (timeoutMs !== undefined && !(typeof timeoutMs === 'number' && timeoutMs > 0)) {
    throw usageError('timeoutMs', '"timeoutMs" must be a number of milliseconds above 0');
  }
  return {
    directory: plugin,
    tool,
    input: input === undefined ? {} : input,
    options: {
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      ...(context === undefined ? {} : { context }),
    },
  };
}

/** Open engines at once. Each has the guests of one plugin: some tens of megabytes. */
const MAX_OPEN = 16;

/** One engine per plugin directory, so that two plugins with the same id never collide. */
export interface EngineCache extends AsyncDisposable {
  /** The engine of the directory. An engine that is still open keeps its guests. */
  readonly open: (directory: string) => Promise<Engine>;
}

/** Caches engines, and closes the least recently used one. */
export function makeEngineCache(create: (directory: string) => Promise<Engine>): EngineCache {
  const engines = new Map<string, Engine>();
  return {
    open: async (directory) => {
      const key = resolve(directory);
      const cached = engines.get(key);
      engines.delete(key);
      if (cached === undefined && engines.size >= MAX_OPEN) {
        const [oldest, engine] = [...engines][0] ?? [];
        if (oldest !== undefined) engines.delete(oldest);
        await engine?.close();
      }
      const engine = cached ?? (await create(key));
      engines.set(key, engine);
      return engine;
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all([...engines.values()].map((engine) => engine.close()));
    },
  };
}
