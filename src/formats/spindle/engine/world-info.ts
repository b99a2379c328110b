import type { Json, JsonObject } from '../../../../sandbox/wire/messages.js';
import { isRecord } from '../../../../sandbox/wire/json.js';

/**
 * The merged changes of world info interceptors, as Lumiverse merges them. A handler answers ids of
 * entries: `{ disabled, enabled, forced, mutated: [{ id, content }] }`. Later handlers see the
 * entries with all changes so far. A disabled entry stays disabled.
 */
export function makeWorldInfo(before: JsonObject): {
  readonly context: JsonObject;
  apply(answer: Json): 'continue' | undefined;
} {
  const entries: readonly Json[] = Array.isArray(before['entries']) ? before['entries'] : [];
  const disabled = new Set<string>();
  const enabled = new Set<string>();
  const forced = new Set<string>();
  const contents = new Map<string, string>();

  const changedEntry = (entry: Json): Json => {
    if (!isRecord(entry) || typeof entry['id'] !== 'string') return entry;
    const { id } = entry;
    const isDisabled = disabled.has(id);
    const content = contents.get(id);
    const changed: JsonObject = {
      ...entry,
      ...(isDisabled ? { disabled: true } : {}),
      ...(!isDisabled && enabled.has(id) && entry['disabled'] === true ? { disabled: false } : {}),
      ...(!isDisabled && forced.has(id) ? { constant: true } : {}),
      ...(content === undefined ? {} : { content }),
    };
    return changed;
  };

  return {
    get context() {
      return { ...before, entries: entries.map(changedEntry) };
    },
    apply: (answer) => {
      if (!isRecord(answer)) return undefined;
      const ids = (key: string): readonly string[] => {
        const list: unknown = answer[key];
        return Array.isArray(list) ? list.filter((id) => typeof id === 'string') : [];
      };
      const mutated: readonly unknown[] = Array.isArray(answer['mutated']) ? answer['mutated'] : [];
      const news = mutated.flatMap((item): readonly (readonly [string, string])[] => {
        const { id, content } = isRecord(item) ? item : {};
        return typeof id === 'string' && typeof content === 'string' ? [[id, content]] : [];
      });
      const lists = [ids('disabled'), ids('enabled'), ids('forced')] as const;
      if (lists.every((list) => list.length === 0) && news.length === 0) return undefined;
      for (const id of lists[0]) disabled.add(id);
      for (const id of lists[1]) enabled.add(id);
      for (const id of lists[2]) forced.add(id);
      for (const [id, content] of news) contents.set(id, content);
      return 'continue';
    },
  };
}
