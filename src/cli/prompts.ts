import type { Readable, Writable } from 'node:stream';
import { BulkheadError } from '../errors.js';

/** Questions at the terminal, for what the command line does not say. */
export interface Prompts {
  /** One line. `check` says what is wrong with it; then the question stays. */
  text(question: TextQuestion, signal: AbortSignal): Promise<string>;
  /** One of some values. */
  choose(question: Choice, signal: AbortSignal): Promise<string>;
}

export interface TextQuestion {
  readonly message: string;
  /** Shown in an empty line. */
  readonly example: string;
  readonly check: (line: string) => string | undefined;
}

export interface Choice {
  readonly message: string;
  readonly options: readonly { readonly value: string; readonly hint: string }[];
}

/** Prompts of these streams, which are a terminal. Ctrl+C and Escape throw `CANCELLED`. */
export function makePrompts(input: Readable, output: Writable): Prompts {
  return {
    text: async ({ message, example, check }, signal) => {
      const { text } = await import('@clack/prompts');
      const line = await text({
        message,
        placeholder: example,
        validate: (given) => check((given ?? '').trim()),
        input,
        output,
        signal,
      });
      return answered(line).trim();
    },
    choose: async ({ message, options }, signal) => {
      const { select } = await import('@clack/prompts');
      return answered(
        await select<string>({ message, options: [...options], input, output, signal }),
      );
    },
  };
}

function answered(answer: string | symbol): string {
  if (typeof answer === 'string') return answer;
  throw new BulkheadError('CANCELLED', 'The question was not answered, so nothing was made.', {});
}
