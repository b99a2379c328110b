import type { Command } from 'commander';
import { isJsonObject } from './arguments.js';
import type { RunCommand } from './call.js';
import { type EngineShelf, makeEngineShelf } from './engine-shelf.js';
import { EXIT, type ExitCode } from './exit-codes.js';
import { failureOf, usageError } from './failure.js';
import { type Invocation, invoke, type Outcome, outcomeLine, round } from './invoke.js';
import { readLines } from './lines.js';
import type { CliPowers } from './powers.js';
import { whereDeclared } from './secrets.js';
import { addPluginOptions, engineOptions, type PluginSettings } from './settings.js';
import { jsonLine } from './visible.js';
import type { JsonObject } from '../index.js';

/** Longest line that is read. The engine's own cap on inputs is lower. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;

export function addBatch(program: Command, run: RunCommand): void {
  const command = program
    .command('batch')
    .description(
      'run the calls on standard input, one JSON object a line, and answer each in order',
    )
    .addHelpText(
      'after',
      '\nA line: {"plugin": dir, "tool": name, "input": any, "context": {}, "timeoutMs": n, "id": any}\n' +
        'Its answer: {"id": any, "ok": true, "result": any, "durationMs": n}, or "ok": false and "error"',
    );
  addPluginOptions(command)
    .option('--yes', 'approve what would ask')
    .option('--json', 'accepted for symmetry: answers are JSON lines always')
    .action((settings: PluginSettings) => run((powers) => runBatch(settings, powers)));
}

/**
 * Answers every line, in order; a line that is wrong gets an answer that says so, and the rest goes
 * on. Guests are kept from line to line.
 */
export async function runBatch(settings: PluginSettings, powers: CliPowers): Promise<ExitCode> {
  // Standard input is taken by the lines: there is no asking in between.
  const { ask: _ask, ...unattended } = powers;
  const options = await engineOptions([], settings, unattended);
  const secrets = whereDeclared(settings.secret ?? {});
  await using shelf = makeEngineShelf((directory) =>
    powers.createEngine({ ...options, secrets, plugins: [directory] }),
  );
  for await (const line of readLines(powers.stdin, MAX_LINE_BYTES)) {
    if (powers.interrupted.aborted || powers.stdout.closed) break;
    await powers.stdout.write(jsonLine(await answer(line, shelf.open, powers)));
  }
  return powers.interrupted.aborted ? EXIT.interrupted : EXIT.ok;
}

async function answer(
  line: string | undefined,
  open: EngineShelf['open'],
  { now, interrupted }: Pick<CliPowers, 'now' | 'interrupted'>,
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
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw usageError('line', `the line is not JSON: ${reason}`);
  }
  if (!isJsonObject(value)) throw usageError('line', 'the line is not a JSON object');
  return value;
}

interface BatchCall extends Invocation {
  readonly options: { readonly timeoutMs?: number; readonly context?: JsonObject };
}

function parseCall(call: JsonObject): BatchCall {
  const { plugin, tool, input, context, timeoutMs } = call;
  if (typeof plugin !== 'string') throw usageError('plugin', '"plugin" has to name a directory');
  if (typeof tool !== 'string') throw usageError('tool', '"tool" has to name a tool');
  if (context !== undefined && !isJsonObject(context)) {
    throw usageError('context', '"context" has to be an object');
  }
  if (timeoutMs !== undefined && !(typeof timeoutMs === 'number' && timeoutMs > 0)) {
    throw usageError('timeoutMs', '"timeoutMs" has to be a number of milliseconds above 0');
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
