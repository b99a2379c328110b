import type { Command } from 'commander';
import type { BulkheadError } from '../errors.js';
import { shellWord } from '../visible.js';
import { usageError } from './failure.js';

/** The options that take what people write as an argument, by how the argument looks. */
const MEANT: readonly (readonly [RegExp, string])[] = [
  [/\.lock\.json$/, '--lock'],
  [/\.json$/, '--config'],
  [/\.(?:jsonl|db)$/, '--file'],
  [/^\s*\{/, '--input'],
  [/^\s*\{/, '--context'],
  [/^/, '--plugins'],
];

/** Words that a command does not take, with the option for them if it has one. `path`: `bulkhead keys new`. */
export function excessArguments(command: Command, path: string): BulkheadError<'INVALID_OPTIONS'> {
  const wanted = command.registeredArguments.length;
  const extra = command.args.slice(wanted).map(shellWord).join(' ');
  const takes =
    wanted === 0
      ? 'takes no argument'
      : `takes ${wanted === 1 ? 'one argument' : `${wanted} arguments`}`;
  const [, option] =
    MEANT.find(
      ([looks, long]) =>
        command.args.slice(wanted).every((word) => looks.test(word)) &&
        command.options.some((one) => one.long === long),
    ) ?? [];
  const remedy =
    option === undefined
      ? ''
      : ` To fix this, write: ${[path, ...command.args.slice(0, wanted).map(shellWord), option].join(' ')} ${extra}`;
  return usageError('arguments', `\`${path}\` ${takes}, and does not take ${extra}.${remedy}`);
}
