import type { Json } from '../../sandbox/wire/messages.js';
import { isRecord } from '../../sandbox/wire/parse.js';
import { blockProblem, messageProblem, toolResultProblem } from './blocks.js';

/** What a field of a context holds, and how it is known that it does. */
export interface Kind {
  /** For messages: `text`, `a list of messages`. */
  readonly name: string;
  /** What is wrong with a value that a host gave: its outer shape is looked at, no more. */
  readonly outer: (value: unknown) => boolean;
  /** What is wrong with a value that a hook made. */
  readonly problem: (value: Json) => string | undefined;
  /** Of a list: what is wrong with one of its items. */
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
export const messages: Kind = list('a list of messages', messageProblem);
export const blocks: Kind = list('a list of blocks', blockProblem);
export const toolResult: Kind = {
  name: 'a tool_result block',
  outer: isRecord,
  problem: toolResultProblem,
};

/** One of a few words. */
export function oneOf(...words: readonly string[]): Kind {
  return simple(words.join(' or '), (value) => typeof value === 'string' && words.includes(value));
}
