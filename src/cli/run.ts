import { Command, CommanderError } from 'commander';
import { addApprovals } from './approvals.js';
import { addAudit } from './audit.js';
import { addBatch } from './batch.js';
import { type RunCommand, addCall } from './call.js';
import type { CliCapabilities } from './capabilities.js';
import { addChat } from './chat/chat.js';
import { addCompletion } from './completion/completion.js';
import { addDev } from './dev/dev.js';
import { addDemo } from './demo/demo.js';
import { addDoctor } from './doctor/doctor.js';
import { examples } from './examples.js';
import { EXIT } from './exit-codes.js';
import { addExplain } from './explain.js';
import { failureOf, usageError } from './failure.js';
import { addHook } from './hook.js';
import { addInspect } from './inspect.js';
import { round } from './invoke.js';
import { addAdd } from './lock/add.js';
import { addCheck } from './lock/check.js';
import { addListAndDiff } from './lock/list.js';
import { addLockChanges } from './lock/manage.js';
import { addUpdate } from './lock/update.js';
import { addInit } from './init/init.js';
import { addKeys } from './keys.js';
import { addPack } from './pack.js';
import { addReplay } from './replay.js';
import { reportFailure } from './report-failure.js';
import { addPermissionReport } from './report.js';
import { addRules } from './rules.js';
import { addStops } from './stop.js';
import { addRunner } from './runner.js';
import { addRunProgram } from './run-program.js';
import { addSelftest } from './selftest/selftest.js';
import { addMcp } from './serve/mcp.js';
import { addRemotes } from './serve/remotes.js';
import { addRun } from './serve/run-server.js';
import { addConsole, addServe } from './serve/serve.js';
import { addStore } from './store.js';
import { addTest } from './test.js';
import { addTools } from './tools.js';
import { addWalls } from './walls.js';
import { addWhy } from './why.js';

const commands = [
  addInit,
  addDev,
  addTest,
  addCall,
  addBatch,
  addRunProgram,
  addTools,
  addHook,
  addInspect,
  addAdd,
  addUpdate,
  addListAndDiff,
  addLockChanges,
  addCheck,
  addPack,
  addKeys,
  addRules,
  addApprovals,
  addStops,
  addExplain,
  addAudit,
  addWhy,
  addChat,
  addReplay,
  addPermissionReport,
  addDemo,
  addDoctor,
  addWalls,
  addSelftest,
  addServe,
  addConsole,
  addMcp,
  addRun,
  addRunner,
  addStore,
  addRemotes,
  addCompletion,
];

const HELP_AFTER = `
Exit codes: 0 success, 1 wrong usage, 2 findings, 3 permission or approval denied, 4 plugin failed to
build or load, 5 tool failed, 6 timeout, 70 fault in Bulkhead, 130 interrupted.
`;

/** Runs one command line. Reports every failure; never throws. */
export async function runCli(
  argv: readonly string[],
  version: string,
  capabilities: CliCapabilities,
): Promise<number> {
  const startedMs = capabilities.now();
  let exitCode: number = EXIT.ok;
  let help = '';
  let interruptible = true;
  const run: RunCommand = async (command, { endsWhenInterrupted = false } = {}) => {
    interruptible = !endsWhenInterrupted;
    exitCode = await command(capabilities);
  };
  const program = makeProgram(version, run, (text) => {
    help += text;
  });

  try {
    if (argv.length === 0) program.help();
    await program.parseAsync(argv, { from: 'user' });
    return capabilities.interrupted.aborted && interruptible ? EXIT.interrupted : exitCode;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) {
      await capabilities.stdout.write(help);
      return EXIT.ok;
    }
    return reportFailure(
      failureOf(error instanceof CommanderError ? wrongUsage(error, program, argv) : error),
      {
        json: argv.includes('--json'),
        durationMs: round(capabilities.now() - startedMs),
        command: commandOf(program, argv),
      },
      capabilities,
    );
  }
}

/** The command that these arguments name, with its subcommand: `bulkhead keys new`. */
function commandOf(program: Command, argv: readonly string[]): string {
  const names = [program.name()];
  let command = program;
  for (const word of argv) {
    const next = command.commands.find((one) => one.name() === word);
    if (next === undefined) break;
    names.push(word);
    command = next;
  }
  return names.join(' ');
}

/** The grammar of the command line. */
export function makeProgram(
  version: string,
  run: RunCommand,
  writeOut: (text: string) => void,
): Command {
  const program = new Command('bulkhead')
    .description('Runs untrusted plugins safely.')
    .version(version)
    .exitOverride()
    // The error that commander throws contains the text that it would print.
    .configureOutput({ writeOut, writeErr: () => undefined })
    .addHelpText('after', HELP_AFTER);
  for (const add of commands) add(program, run);
  for (const command of program.commands) addExamples(command, command.name());
  return program;
}

function addExamples(command: Command, path: string): void {
  for (const inner of command.commands) addExamples(inner, `${path} ${inner.name()}`);
  const lines = Object.hasOwn(examples, path) ? (examples[path] ?? []) : [];
  if (lines.length === 0) return;
  command.addHelpText('after', `\nExamples:\n${lines.map((line) => `  ${line}\n`).join('')}`);
}

function wrongUsage(
  { code, message }: CommanderError,
  program: Command,
  argv: readonly string[],
): Error {
  const named = argv.filter((word) => !word.startsWith('-'));
  const group = program.commands.find((command) => command.name() === named[0]);
  // Commander shows a page of help if only a subcommand is missing.
  if (code === 'commander.help' && group !== undefined && group.commands.length > 0) {
    const words = group.commands.map((command) => command.name()).join(', ');
    return usageError('arguments', `${group.name()} needs a subcommand: ${words}`);
  }
  if (code === 'commander.help') {
    return usageError('arguments', `unknown command '${named[1] ?? named[0] ?? ''}'`);
  }
  return usageError('arguments', message.replace(/^error: /, ''));
}
