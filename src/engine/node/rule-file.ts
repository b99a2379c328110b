import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { openRuleBook, type RuleBook, type RuleFile } from '../../approval/rule-book.js';
import { didYouMean } from '../../did-you-mean.js';
import { replaceFileSync } from '../../replace-file.js';

/** A rule file that people write is smaller. */
const MAX_BYTES = 4 * 1024 * 1024;

/**
 * A rule file on disk. It is checked before each call that may need it, and read again only if it
 * changed.
 */
export function openRuleFile(path: string): RuleFile {
  let seen = '';
  let text: string | undefined;
  return {
    name: path,
    read: () => {
      const found = statSync(path, { throwIfNoEntry: false });
      if (found === undefined) {
        seen = '';
        return undefined;
      }
      const state = `${found.ino} ${found.size} ${found.mtimeMs} ${found.ctimeMs}`;
      if (state === seen) return text;
      if (!found.isFile() || found.size > MAX_BYTES) return 'no file of rules';
      text = readFileSync(path, 'utf8');
      seen = state;
      return text;
    },
    write: (next) => {
      replaceFileSync(path, next, { mode: 0o600, durable: true });
      seen = '';
    },
  };
}

/**
 * A sentence about a file of rules that is not there, which is often misspelt: its rules deny nothing then.
 * The command line's own place (bulkhead/rules.json in the configuration directory) may be empty.
 */
export function explainMissingRules(path: string): readonly string[] {
  if (existsSync(path) || /[/\\]bulkhead[/\\]rules\.json$/.test(path)) return [];
  const meant = didYouMean(basename(path), namesIn(dirname(path)));
  const hint = meant === undefined ? '' : ` Did you mean ${JSON.stringify(meant)}?`;
  return [
    `The option rules names ${path}, which does not exist: no stored rule applies. An answer "always" creates it.${hint}`,
  ];
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

/** Opens the rules in that file. The file may be missing. */
export function openRules(path: string): RuleBook {
  return openRuleBook(openRuleFile(path));
}
