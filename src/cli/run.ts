import { Command, CommanderError } from 'commander';
import type { RunCommand } from './call.js';
import type { CliCapabilities } from './capabilities.js';
import { addCommands } from './commands.js';
import { examples } from './examples.js';
import { EXIT } from './exit-codes.js';
import { excessArguments } from './excess-arguments.js';
import { failureOf, usageError } from './failure.js';
import { round } from './invoke.js';
import { unknownOption } from './unknown-option.js';
import { reportFailure } from './report-failure.js';

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
  const program = makeProgram(version, (text) => {
    help += text;
  });

  try {
    await fillProgram(program, run, argv[0]);
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
  return namedCommand(program, argv).path;
}

function namedCommand(
  program: Command,
  argv: readonly string[],
): { readonly command: Command; readonly path: string } {
  const names = [program.name()];
  let command = program;
  for (const word of argv) {
    const next = command.commands.find((one) => one.name() === word);
    if (next === undefined) break;
    names.push(word);
    command = next;
  }
  return { command, path: names.join(' ') };
}

/** The command line without its commands. */
export function makeProgram(version: string, writeOut: (text: string) => void): Command {
  return (
    new Command('bulkhead')
      .description('Runs untrusted plugins safely.')
      .version(version)
      .exitOverride()
      // The error that commander throws contains the text that it would print.
      .configureOutput({ writeOut, writeErr: () => undefined })
      .addHelpText('after', HELP_AFTER)
  );
}

/** Adds the command of this name with its examples, or all commands if there is none. */
export async function fillProgram(program: Command, run: RunCommand, name?: string): Promise<void> {
  await addCommands(program, run, name);
  for (const command of program.commands) addExamples(command, command.name());
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
  if (code === 'commander.excessArguments') {
    const { command, path } = namedCommand(program, argv);
    return excessArguments(command, path);
  }
  const plain = message.replace(/^error: /, '');
  return code === 'commander.unknownOption'
    ? unknownOption(namedCommand(program, argv).command, plain)
    : usageError('arguments', plain);
}
