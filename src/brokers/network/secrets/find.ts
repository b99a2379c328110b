import type { Spelling, Unit } from './spelling.js';

/** Looks for one text, in all of its spellings, in texts that may be pieces of longer ones. */
export interface Finder {
  over(text: Searched): Search;
}

/** A text, and the same in lower case, character for character. */
export interface Searched {
  readonly text: string;
  readonly lower: string;
}

export interface Search {
  /** The first place at or after `from`, which only ever grows, where all of it stands. */
  next(from: number): Span | undefined;
  /** The first place at or after `from` where it may have begun and the text ends before it does. */
  begun(from: number): number | undefined;
}

export interface Span {
  readonly start: number;
  readonly end: number;
}

export function searched(text: string): Searched {
  const lower = text.toLowerCase();
  // One character becomes two in lower case (`İ`), and would move every place behind it.
  if (lower.length === text.length) return { text, lower };
  return { text, lower: text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase()) };
}

export function makeFinder({ units, caseless }: Spelling): Finder {
  const opening = new RegExp(units.slice(0, 3).map(alternatives).join(''), 'g');
  const initials = new Set(units[0]?.map((way) => way[0]));
  const longest = units.reduce((sum, unit) => sum + Math.max(...unit.map((way) => way.length)), 0);

  return {
    over: (given) => {
      const text = caseless ? given.lower : given.text;
      // Found once, and kept until the search has gone past it: texts may be full of secrets.
      let found: Span | undefined | 'unknown' = 'unknown';
      return {
        next: (from) => {
          if (found === 'unknown' || (found !== undefined && found.start < from)) {
            found = find(text, from, opening, units);
          }
          return found;
        },
        begun: (from) => {
          for (let at = Math.max(from, text.length - longest); at < text.length; at += 1) {
            if (initials.has(text[at]) && follow(units, text, at).open) return at;
          }
          return undefined;
        },
      };
    },
  };
}

function find(
  text: string,
  from: number,
  opening: RegExp,
  units: readonly Unit[],
): Span | undefined {
  opening.lastIndex = from;
  for (let match = opening.exec(text); match !== null; match = opening.exec(text)) {
    const { end } = follow(units, text, match.index);
    if (end !== undefined) return { start: match.index, end };
    // One character on, and not behind the match: the real one may overlap with it.
    opening.lastIndex = match.index + 1;
  }
  return undefined;
}

/**
 * Follows the units through the text from one place on, in every way at once. `end` is where the
 * longest of the ways ends that went through; `open` says that one ran out of text.
 */
function follow(
  units: readonly Unit[],
  text: string,
  from: number,
): { readonly end: number | undefined; readonly open: boolean } {
  let open = false;
  let ends: ReadonlySet<number> = new Set([from]);
  for (const unit of units) {
    const next = new Set<number>();
    for (const at of ends) {
      for (const way of unit) {
        if (text.startsWith(way, at)) next.add(at + way.length);
        else if (at + way.length > text.length && way.startsWith(text.slice(at))) open = true;
      }
    }
    if (next.size === 0) return { end: undefined, open };
    ends = next;
  }
  return { end: Math.max(...ends), open };
}

function alternatives(unit: Unit): string {
  return `(?:${unit.map((way) => way.replaceAll(/[^a-z0-9]/gi, '\\$&')).join('|')})`;
}
