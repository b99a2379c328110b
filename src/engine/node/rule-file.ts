import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { openRuleBook, type RuleBook, type RuleFile } from '../../approval/rule-book.js';

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
      mkdirSync(dirname(path), { recursive: true });
      const draft = `${path}.${process.pid}`;
      writeFileSync(draft, next, { mode: 0o600 });
      renameSync(draft, path);
      seen = '';
    },
  };
}

/** Opens the rules in that file. The file may be missing. */
export function openRules(path: string): RuleBook {
  return openRuleBook(openRuleFile(path));
}
