import type { Command } from 'commander';
import { valuesOf } from './with-values.js';

/** A word that may follow, with what it does in one line. */
export interface Word {
  readonly text: string;
  readonly does: string;
  /** Whether the word is an option that takes a value. */
  readonly takesValue: boolean;
  /** The values that the option takes. Empty: any value. */
  readonly values: readonly string[];
}

/** What may follow a command. */
export interface Place {
  /** The names of the command and its group: `keys new`. Empty for the program itself. */
  readonly path: string;
  readonly words: readonly Word[];
}

/** Every place of a command line, from commander's own tree. */
export function placesOf(program: Command): readonly Place[] {
  const walk = (command: Command, path: string): Place[] => [
    { path, words: wordsOf(command) },
    ...command.commands.flatMap((inner) => walk(inner, `${path} ${inner.name()}`.trim())),
  ];
  return walk(program, '');
}

function wordsOf(command: Command): readonly Word[] {
  const commands = command.commands.map((inner) => ({
    text: inner.name(),
    does: shortened(inner.description()),
    takesValue: false,
    values: [],
  }));
  const choices = command.registeredArguments.flatMap((argument) =>
    valuesOf(argument).map((text) => ({
      text,
      does: shortened(argument.description),
      takesValue: false,
      values: [],
    })),
  );
  const options = command.options.flatMap((option) => {
    const { long, description, required, optional } = option;
    if (long === undefined || long === null) return [];
    const does = shortened(description);
    return [{ text: long, does, takesValue: required || optional, values: valuesOf(option) }];
  });
  const help = { text: '--help', does: 'show the usage', takesValue: false, values: [] };
  return [...commands, ...choices, ...options, help];
}

const MAX_CHARACTERS = 60;

/** The first part of a description, without characters that shells treat specially. */
function shortened(description: string): string {
  const [first = ''] = description.split(/[;:(\n]/);
  const plain = first
    .replaceAll("'", '’')
    .replaceAll(/[`"\\$[\]]/g, '')
    .trim();
  return plain.length > MAX_CHARACTERS ? `${plain.slice(0, MAX_CHARACTERS - 1)}…` : plain;
}
