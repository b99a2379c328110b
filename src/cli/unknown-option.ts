import type { Command } from 'commander';
import type { BulkheadError } from '../errors.js';
import { visible } from '../visible.js';
import { usageError } from './failure.js';

/** What people write, from other commands of ours or from other tools, and the options that it may mean. */
const MEANT: Readonly<Record<string, readonly string[]>> = {
  '--input': ['--context'],
  '--context': ['--input'],
  '--args': ['--input', '--context'],
  '--arguments': ['--input', '--context'],
  '--params': ['--input', '--context'],
  '--data': ['--input', '--context'],
  '-d': ['--input', '--context'],
  '-i': ['--input', '--context'],
  '--grant': ['--allow'],
  '--permission': ['--allow'],
  '--permissions': ['--allow'],
  '--network': ['--allow'],
  '--environment': ['--env'],
  '-e': ['--env'],
  '--global': ['--user'],
  '-g': ['--user'],
  '--yes': ['--accept'],
  '--accept': ['--yes'],
  '--force': ['--accept', '--yes'],
  '-f': ['--accept', '--yes'],
  '--lockfile': ['--lock'],
  '--lock-file': ['--lock'],
  '-c': ['--config'],
  '--template': ['--format'],
  '--output': ['--out', '--file'],
  '-o': ['--out', '--file'],
};

/** An option that a command does not have, with the one that may be meant. `message`: commander's, with its own idea. */
export function unknownOption(command: Command, message: string): BulkheadError<'INVALID_OPTIONS'> {
  const written = /'([^']*)'/.exec(message)?.[1]?.replace(/=.*$/s, '') ?? '';
  const [meant] = (Object.hasOwn(MEANT, written) ? (MEANT[written] ?? []) : []).flatMap((long) =>
    command.options.filter((one) => one.long === long),
  );
  if (meant === undefined || message.includes('Did you mean')) {
    return usageError('arguments', message);
  }
  return usageError(
    'arguments',
    `unknown option '${visible(written)}'. To fix this, write: ${meant.flags} (${meant.description})`,
  );
}
