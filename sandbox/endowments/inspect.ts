import { type Entry, readContents } from './inspect-contents.js';

/** What an inspection may cost. Whatever is beyond it shows as `…`. */
export interface InspectBudget {
  /** Characters. */
  readonly maxText: number;
  /** Levels of objects in objects. */
  readonly maxDepth: number;
  /** Entries of one array, map, set or object. */
  readonly maxEntries: number;
}

/**
 * Says what a value is, in about the words of Node's inspector, for a person who reads a log.
 * An object's own getters and its `toString` are not run. A Proxy's traps are, because nothing can
 * tell a Proxy from what it stands for; where they throw, the object shows as `<unreadable>`.
 */
export function inspect(value: unknown, budget: InspectBudget): string {
  return show(value, [], { budget, textLeft: budget.maxText });
}

interface Walk {
  readonly budget: InspectBudget;
  textLeft: number;
}

function show(value: unknown, above: readonly object[], walk: Walk): string {
  if (walk.textLeft <= 0) return '…';
  if (value === null || (typeof value !== 'object' && typeof value !== 'function')) {
    return spend(showPrimitive(value, walk.textLeft), walk);
  }
  if (above.includes(value)) return spend('[Circular]', walk);
  try {
    return showObject(value, above, walk);
  } catch {
    return spend('<unreadable>', walk);
  }
}

/** Takes `text` from what may still be shown. */
function spend(text: string, walk: Walk): string {
  const shown = text.length > walk.textLeft ? `${text.slice(0, walk.textLeft)}…` : text;
  walk.textLeft -= text.length;
  return shown;
}

function showPrimitive(value: unknown, textLeft: number): string {
  if (typeof value === 'string') return quote(value.slice(0, textLeft + 1));
  if (typeof value === 'bigint') return `${value}n`;
  return Object.is(value, -0) ? '-0' : String(value);
}

/** In single quotes, unless the text holds one. */
function quote(text: string): string {
  const quoted = JSON.stringify(text);
  return text.includes("'") ? quoted : `'${quoted.slice(1, -1).replaceAll('\\"', '"')}'`;
}

function showObject(value: object, above: readonly object[], walk: Walk): string {
  const { budget } = walk;
  const { label, brackets, entries } = readContents(value, budget.maxEntries + 1);
  if (brackets === undefined) return spend(label, walk);
  if (above.length > budget.maxDepth) {
    return spend(`[${label === '' ? (brackets === '[]' ? 'Array' : 'Object') : label}]`, walk);
  }
  const head = label === '' ? '' : spend(`${label} `, walk);
  const inside = [...above, value];
  const parts: string[] = [];
  for (const entry of entries) {
    if (parts.length >= budget.maxEntries || walk.textLeft <= 0) {
      parts.push('…');
      break;
    }
    parts.push(showEntry(entry, inside, walk));
    walk.textLeft -= 2;
  }
  const [open = '', close = ''] = brackets;
  return parts.length === 0 ? head + brackets : `${head}${open} ${parts.join(', ')} ${close}`;
}

function showEntry(entry: Entry, above: readonly object[], walk: Walk): string {
  switch (entry.kind) {
    case 'item':
      return show(entry.item, above, walk);
    case 'pair': {
      const key = show(entry.key, above, walk);
      return `${key} => ${show(entry.item, above, walk)}`;
    }
    case 'property': {
      const name = spend(`${entry.name}: `, walk);
      return name + show(entry.item, above, walk);
    }
    default:
      return spend(entry.text, walk);
  }
}
