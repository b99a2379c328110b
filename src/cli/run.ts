import { Command, CommanderError } from 'commander';
import { addApprovals } from './approvals.js';
import { addAudit } from './audit/audit.js';
import { addWhy } from './audit/why.js';
import { addBatch } from './batch.js';
import { addCall, type RunCommand } from './call.js';
import { addChat } from './chat/chat.js';
import { addDemo } from './demo/demo.js';
import { addDoctor } from './doctor/doctor.js';
import { EXIT, type ExitCode } from './exit-codes.js';
import { addExplain } from './explain.js';
import { failureOf, usageError } from './failure.js';
import { addHook } from './hook.js';
import { addInspect } from './inspect.js';
import { addAdd } from './lock/add.js';
import { addCheck } from './lock/check.js';
import { addLockLooks } from './lock/look.js';
import { addLockChanges } from './lock/manage.js';
import { addUpdate } from './lock/update.js';
import { round } from './invoke.js';
import type { CliPowers } from './powers.js';
import { reportFailure } from './report.js';
import { addPermissionReport } from './permission-report.js';
import { addReplay } from './replay.js';
import { addRules } from './rules/rules.js';
import { addSelftest } from './selftest/selftest.js';
import { addMcp } from './serve/mcp.js';
import { addRemotes } from './serve/remotes.js';
import { addServe } from './serve/serve.js';
import { addTools } from './tools.js';

const commands = [
  addCall,
  addBatch,
  addTools,
  addHook,
  addInspect,
  addAdd,
  addUpdate,
  addLockLooks,
  addLockChanges,
  addCheck,
  addRules,
  addApprovals,
  addExplain,
  addAudit,
  addWhy,
  addChat,
  addReplay,
  addPermissionReport,
  addDemo,
  addDoctor,
  addSelftest,
  addServe,
  addMcp,
  addRemotes,
];

const HELP_AFTER = `
Exit codes: 0 ok, 1 wrong usage, 2 findings, 3 permission or approval denied, 4 the plugin failed to
build or load, 5 the tool failed, 6 timed out, 70 a fault in Bulkhead, 130 interrupted.
`;

/** Runs one command line. Everything that goes wrong is reported; nothing is thrown. */
export async function runCli(
  argv: readonly string[],
  version: string,
  powers: CliPowers,
): Promise<ExitCode> {
  const startedMs = powers.now();
  let exitCode: ExitCode = EXIT.ok;
  let said = '';
  let interruptible = true;
  const run: RunCommand = async (command, { endsWhenInterrupted = false } = {}) => {
    interruptible = !endsWhenInterrupted;
    exitCode = await command(powers);
  };
  const program = makeProgram(version, run, (text) => {
    said += text;
  });

  try {
    if (argv.length === 0) program.help();
    await program.parseAsync(argv, { from: 'user' });
    return powers.interrupted.aborted && interruptible ? EXIT.interrupted : exitCode;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) {
      await powers.stdout.write(said);
      return EXIT.ok;
    }
    return reportFailure(
      failureOf(error instanceof CommanderError ? wrongUsage(error, program, argv) : error),
      { json: argv.includes('--json'), durationMs: round(powers.now() - startedMs) },
      powers,
    );
  }
}

/** The grammar of the command line: what there is to be said, and which command it runs. */
export function makeProgram(
  version: string,
  run: RunCommand,
  writeOut: (text: string) => void,
): Command {
  const program = new Command('bulkhead')
    .description('Runs plugins that nobody has to trust.')
    .version(version)
    .exitOverride()
    // What commander would print of a mistake comes with the error that it throws.
    .configureOutput({ writeOut, writeErr: () => undefined })
    .addHelpText('after', HELP_AFTER);
  for (const add of commands) add(program, run);
  return program;
}

function wrongUsage(
  { code, message }: CommanderError,
  program: Command,
  argv: readonly string[],
): Error {
  const named = argv.filter((word) => !word.startsWith('-'));
  const group = program.commands.find((command) => command.name() === named[0]);
  // Where commander would show a page of help, what it misses is one word.
  if (code === 'commander.help' && group !== undefined && group.commands.length > 0) {
    const words = group.commands.map((command) => command.name()).join(', ');
    return usageError('arguments', `${group.name()} takes one of these: ${words}`);
  }
  if (code === 'commander.help') {
    return usageError('arguments', `unknown command '${named[1] ?? named[0] ?? ''}'`);
  }
  return usageError('arguments', message.replace(/^error: /, ''));
}
