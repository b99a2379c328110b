import { WireViolation } from './failure.js';
import type { WireLimits } from './limits.js';

/**
 * Counts the values and the nesting of a JSON text before it is parsed: eight megabytes of `[[],[],…`
 * would be hundreds of megabytes of arrays, and a second of the receiver's time. Answers how many values
 * there are, and throws `WireViolation` over the caps; whether the text is JSON at all is for the
 * parser to say.
 */
export function weigh(
  text: string,
  { maxNodes, maxDepth }: Pick<WireLimits, 'maxNodes' | 'maxDepth'>,
): number {
  // Who trusts the other side's counts need not count again.
  if (maxNodes === Infinity) return 0;
  let nodes = 1;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at);
        break;
      case COMMA:
        nodes += 1;
        break;
      case OPEN_LIST:
      case OPEN_RECORD:
        depth += 1;
        if (depth > maxDepth) throw new WireViolation(`a message nested deeper than ${maxDepth}`);
        // As many values as commas, and one more unless there are none at all.
        if (!CLOSES_NEXT.has(text.charCodeAt(at + 1))) nodes += 1;
        break;
      case CLOSE_LIST:
      case CLOSE_RECORD:
        depth -= 1;
        break;
    }
    if (nodes > maxNodes) throw new WireViolation(`a message of more than ${maxNodes} values`);
  }
  return nodes;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_RECORD = 0x7b;
const CLOSE_RECORD = 0x7d;
const CLOSES_NEXT: ReadonlySet<number> = new Set([CLOSE_LIST, CLOSE_RECORD]);

/** The index of the quote that ends the string which begins at `start`; the text's end without one. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let before = at - 1;
    while (text.charCodeAt(before) === BACKSLASH) before -= 1;
    // Escaped where an odd number of backslashes stands before it.
    if ((at - before) % 2 === 1) return at;
  }
  return text.length;
}
