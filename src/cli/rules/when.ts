import type { Condition, Json } from '../../index.js';
import { usageError } from '../failure.js';

/** Conditions as people write them: `city=Oslo`, `count=3`, `path^=/tmp/`, `city=Oslo` and `city=Bergen`. */
export function conditionsOf(
  texts: readonly string[],
): Readonly<Record<string, Condition>> | undefined {
  const conditions = new Map<string, Condition>();
  for (const text of texts) {
    const [, path = '', starts, value = ''] = /^([^=^]+)(\^?)=(.*)$/s.exec(text) ?? [];
    if (path === '') {
      throw usageError('--when', `--when takes PATH=VALUE or PATH^=START, not ${text}`);
    }
    conditions.set(
      path,
      starts === '^' ? { startsWith: value } : either(conditions.get(path), value),
    );
  }
  return conditions.size === 0 ? undefined : Object.fromEntries(conditions);
}

/** Written twice, a member may be either. */
function either(before: Condition | undefined, text: string): Condition {
  const value = valueOf(text);
  if (before === undefined || 'startsWith' in before) return { equals: value };
  return { oneOf: [...('oneOf' in before ? before.oneOf : [before.equals]), value] };
}

/** JSON where it is JSON, else the text itself. */
function valueOf(text: string): Json {
  try {
    const value: Json = JSON.parse(text);
    return value;
  } catch {
    return text;
  }
}
