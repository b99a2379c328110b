import { randomBytes } from 'node:crypto';
import { BulkheadError } from '../errors.js';
import type { Rule } from './rule.js';
import { formatRules, parseRules } from './rules-text.js';

/** Where rules are kept. */
export interface RuleFile {
  /** For messages. */
  readonly name: string;
  /** Its text as it is now; `undefined` where there is none yet. */
  read(): string | undefined;
  /** Replaces it, whole or not at all. */
  write(text: string): void;
}

/** The rules as they are now: whoever takes one out of the file has taken it out of force. */
export interface RuleBook {
  /** Throws `INVALID_RULES` where the file holds what cannot be read. */
  list(): readonly Rule[];
  /** Keeps one more. Throws `INVALID_RULES`, and what writing throws. */
  add(rule: Omit<Rule, 'id'>): Rule;
  /** Whether there was one of that id. */
  remove(id: string): boolean;
}

/** Rules that are kept in a file. */
export function openRuleBook(file: RuleFile): RuleBook {
  let lastText: string | undefined;
  let last: readonly Rule[] = [];

  const list = (): readonly Rule[] => {
    const text = file.read();
    if (text === lastText) return last;
    const read = text === undefined ? { ok: true as const, value: [] } : parseRules(text);
    if (!read.ok) throw invalidRules(file.name, read.problems);
    lastText = text;
    last = read.value;
    return last;
  };

  return {
    list,
    add: (rule) => {
      const rules = list();
      const added = { id: `r-${randomBytes(4).toString('hex')}`, ...rule };
      file.write(formatRules([...rules, added]));
      return added;
    },
    remove: (id) => {
      const rules = list();
      const left = rules.filter((rule) => rule.id !== id);
      if (left.length === rules.length) return false;
      file.write(formatRules(left));
      return true;
    },
  };
}

/** Rules that live as long as whoever holds them. */
export function makeRuleBook(): RuleBook {
  let text: string | undefined;
  return openRuleBook({
    name: 'rules',
    read: () => text,
    write: (next) => {
      text = next;
    },
  });
}

function invalidRules(file: string, problems: readonly string[]): BulkheadError<'INVALID_RULES'> {
  return new BulkheadError(
    'INVALID_RULES',
    `The rules in ${file} cannot be read, and nothing runs by half of them: ${problems.join('; ')}. Correct the file, or remove it to start without rules.`,
    { file, problems },
  );
}
