import { isRecord } from '../../../sandbox/wire/json.js';
import type { Json } from '../../../sandbox/wire/messages.js';
import { blockProblem, messageProblem, toolResultProblem } from './blocks.js';

/** The type of a context field, with its validators. */
export interface Kind {
  /** For error messages, e.g. `text` or `a list of messages`. */
  readonly name: string;
  /** Checks only the outer shape of a value from the host. `true` if it is valid. */
  readonly outer: (value: unknown) => boolean;
  /** Fully checks a value from a hook. Describes the problem; `undefined` if it is valid. */
  readonly problem: (value: Json) => string | undefined;
  /** Lists only: checks one item from a hook, as `problem` does. */
  readonly itemProblem?: (item: Json) => string | undefined;
}

function simple(name: string, is: (value: unknown) => boolean): Kind {
  return { name, outer: is, problem: (value) => (is(value) ? undefined : `is not ${name}`) };
}

function list(name: string, itemProblem: (item: Json) => string | undefined): Kind {
  return {
    name,
    itemProblem,
    outer: (value) => Array.isArray(value) && value.every((item) => isRecord(item)),
    problem: (value) => {
      if (!Array.isArray(value)) return `is not ${name}`;
      const items: readonly Json[] = value;
      for (const [index, item] of items.entries()) {
        const problem = itemProblem(item);
        if (problem !== undefined) return `has an item ${index} that ${problem}`;
      }
      return undefined;
    },
  };
}

export const text: Kind = simple('text', (value) => typeof value === 'string');
export const flag: Kind = simple('true or false', (value) => typeof value === 'boolean');
export const count: Kind = simple('a number', (value) => typeof value === 'number');
export const anything: Kind = simple('anything', () => true);
export const texts: Kind = simple(
  'a record of texts',
  (value) => isRecord(value) && Object.values(value).every((item) => typeof item === 'string'),
);
export const messages: Kind = list('a list of messages', (item) => messageProblem(item));
/** The classic semantics also knows messages of the system. */
export const classicMessages: Kind = list('a list of messages', (item) =>
  messageProblem(item, ['user', 'assistant', 'system']),
);
export const blocks: Kind = list('a list of blocks', blockProblem);
export const toolResult: Kind = {
  name: 'a tool_result block',
  outer: isRecord,
  problem: toolResultProblem,
};

/** A text that is one of `words`. */
export function oneOf(...words: readonly string[]): Kind {
  return simple(words.join(' or '), (value) => typeof value === 'string' && words.includes(value));
}
