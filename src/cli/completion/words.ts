import type { Command } from 'commander';

/** A word that may follow, with what it does in one line. */
export interface Word {
  readonly text: string;
  readonly does: string;
  /** Whether the word is an option that takes a value. */
  readonly takesValue: boolean;
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
  }));
  const options = command.options.flatMap(({ long, description, required, optional }) =>
    long === undefined || long === null
      ? []
      : [{ text: long, does: shortened(description), takesValue: required || optional }],
  );
  const help = { text: '--help', does: 'show the usage', takesValue: false };
  return [...commands, ...options, help];
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
