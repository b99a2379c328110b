import type { Command } from 'commander';
import type { Engine } from '../engine/engine-api.js';
import type { ProgramCall, ProgramOptions, ProgramResult } from '../engine/programs/program.js';
import { jsonLines, visible, visibleLines } from '../visible.js';
import { collect, parseMilliseconds, readAll } from './arguments.js';
import type { RunCommand } from './call.js';
import type { CliCapabilities } from './capabilities.js';
import { addEngineOptions, type EngineSettings, engineOptions } from './engine-options.js';
import { EXIT, type ExitCode } from './exit-codes.js';
import { usageError } from './failure.js';
import { print } from './output.js';
import { reportFailure } from './report-failure.js';

interface RunProgramSettings extends EngineSettings {
  readonly tool?: readonly string[];
  readonly timeout?: number;
  readonly resume?: string;
  readonly json?: boolean;
}

export function addRunProgram(program: Command, run: RunCommand): void {
  const command = program
    .command('run-program')
    .description('run a TypeScript program that calls tools of plugins, and print what it returns')
    .argument('[file]', 'the program, or - for standard input; not with --resume')
    .argument('[plugin-dir...]', 'directories of plugins')
    .option(
      '--tool <NAME>',
      'a tool that the program may call; * stands for any text; repeatable (default: all)',
      collect,
    )
    .option('--timeout <MS>', 'deadline in milliseconds (default: 120000)', parseMilliseconds)
    .option('--resume <ID>', 'continue a program whose host ended, with its stored results')
    .option('--json', 'print one line of JSON on standard output, also for a failure');
  addEngineOptions(command)
    .option('--yes', 'approve every call that requires approval')
    .addHelpText(
      'after',
      `
The program is the body of an async function:
  const notes = await tools.notes.list({});
  return notes.length;

Examples:
  bulkhead run-program count.ts ./plugins/notes
  echo 'return await search("notes")' | bulkhead run-program - ./plugins/notes
`,
    )
    .action((file: string | undefined, directories: string[], settings: RunProgramSettings) =>
      run((capabilities) => runProgramFile(file, directories, settings, capabilities)),
    );
}

/** Runs one program, or continues one. Its output goes to standard error while it runs. */
export async function runProgramFile(
  file: string | undefined,
  directories: readonly string[],
  settings: RunProgramSettings,
  capabilities: CliCapabilities,
): Promise<ExitCode> {
  const { resume, json = false } = settings;
  const isNew = resume === undefined;
  if (isNew && file === undefined) {
    throw usageError('file', 'The command takes the file of a program, or --resume and its id.');
  }
  const source = isNew && file !== undefined ? await readSource(file, capabilities) : '';
  const plugins = isNew || file === undefined ? directories : [file, ...directories];
  const options = await engineOptions(plugins, settings, capabilities);
  await using engine = await capabilities.createEngine(options);
  const written: Promise<void>[] = [];
  const result = await start(engine, source, settings, {
    signal: capabilities.interrupted,
    ...(settings.timeout === undefined ? {} : { timeoutMs: settings.timeout }),
    onOutput: (text) => {
      if (!json) written.push(capabilities.stderr.write(visibleLines(text)));
    },
    onCall: (call) => {
      const line = waitingLine(call);
      if (line !== undefined) written.push(capabilities.stderr.write(line));
    },
  });
  await Promise.all(written);
  const { id, isError, value, text, code, message, calls, durationMs } = result;
  if (isError) {
    const failure = { code: code ?? 'PROGRAM_FAILED', message: message ?? 'The program failed.' };
    return reportFailure(failure, { json, durationMs }, capabilities);
  }
  const shown = typeof value === 'string' ? visibleLines(value) : jsonLines(value ?? null);
  await print(
    { json },
    capabilities,
    { ok: true, id, value: value ?? null, text, calls: calls.length, durationMs },
    `${text !== '' && !text.endsWith('\n') ? '\n' : ''}${shown}\n`,
  );
  return EXIT.ok;
}

function start(
  engine: Engine,
  source: string,
  { tool, resume }: RunProgramSettings,
  options: ProgramOptions,
): Promise<ProgramResult> {
  if (resume !== undefined) return engine.programs.resume(resume, options);
  return engine.runProgram(source, { ...options, ...(tool === undefined ? {} : { tools: tool }) });
}

/** How a person answers the question that a call waits for. */
function waitingLine({ state, tool, approval }: ProgramCall): string | undefined {
  if (state !== 'waiting' || approval === undefined) return undefined;
  return `${visible(tool)} waits for approval: bulkhead approvals ${approval} once\n`;
}

async function readSource(file: string, capabilities: CliCapabilities): Promise<string> {
  if (file === '-') return readAll(capabilities.stdin, 'file');
  return capabilities.readFile(file).catch((error: unknown) => {
    const why = error instanceof Error ? error.message : String(error);
    throw usageError('file', `The program ${file} cannot be read: ${why}. Check the path.`);
  });
}
