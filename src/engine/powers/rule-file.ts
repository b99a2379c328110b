import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { RuleFile } from '../../approval/rule-book.js';

/** Larger, it is no file of rules that people wrote. */
const MAX_BYTES = 4 * 1024 * 1024;

/**
 * A file of rules on disk. It is looked at before each call that may need it, and read again only
 * where it changed.
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
