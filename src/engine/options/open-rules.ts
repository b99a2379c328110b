import { openRuleBook, type RuleBook } from '../../approval/rule-book.js';
import { openRuleFile } from '../powers/rule-file.js';

/** The rules in that file, which need not be there yet. */
export function openRules(path: string): RuleBook {
  return openRuleBook(openRuleFile(path));
}
