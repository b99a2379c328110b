import { isRecord } from './json.js';
import { isWireCode, type Json, type Message, type WireFailure } from './messages.js';
import { WireViolation } from './failure.js';
import { MAX_ERROR_STACK, MAX_ERROR_TEXT, type WireLimits } from './limits.js';

/**
 * Reads one message off the wire. What comes back has the shape of its type and nothing else, its
 * payload (`p`, `v`) is plain JSON within the caps on depth and size, and no object in it has a
 * `__proto__` property of its own. Throws `WireViolation` for anything else, and nothing but that.
 */
export function parseMessage(text: string, limits: WireLimits): Message {
  weigh(text, limits);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new WireViolation('a message that is not JSON');
  }
  if (!isRecord(value)) throw new WireViolation('a message that is not an object');
  switch (value['t']) {
    case 'request':
      return {
        t: 'request',
        i: parseId(value['i']),
        m: parseMethod(value['m']),
        p: admit(value['p'], text),
      };
    case 'reply':
      return { t: 'reply', i: parseId(value['i']), v: admit(value['v'], text) };
    case 'failure':
      return { t: 'failure', i: parseId(value['i']), e: parseFailure(value['e']) };
    case 'cancel':
      return { t: 'cancel', i: parseId(value['i']), why: parseText(value['why']) };
    case 'notice':
      return { t: 'notice', m: parseMethod(value['m']), p: admit(value['p'], text) };
    case 'credit':
      return { t: 'credit', s: parseId(value['s']), n: parseId(value['n']) };
    case 'end':
      return value['e'] === undefined
        ? { t: 'end', s: parseId(value['s']) }
        : { t: 'end', s: parseId(value['s']), e: parseFailure(value['e']) };
    case 'refuse':
      return { t: 'refuse', s: parseId(value['s']), why: parseText(value['why']) };
    default:
      throw new WireViolation('a message of no known type');
  }
}

/** Reads a payload that came as a stream, within the caps of a message. Throws `WireViolation`. */
export function parsePayload(
  text: string,
  limits: Pick<WireLimits, 'maxNodes' | 'maxDepth'>,
): Json {
  weigh(text, limits);
  try {
    return admit(JSON.parse(text), text);
  } catch {
    throw new WireViolation('a payload that is not JSON');
  }
}

function parseId(value: unknown): number {
  // Stream ids travel in four bytes, so no id is larger.
  // guard: wire-id-is-uint32
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > 0xffffffff) {
    throw new WireViolation('an id that is not a whole number of 32 bits');
  }
  return value;
}

function parseMethod(value: unknown): string {
  if (typeof value !== 'string' || value.length > 64) throw new WireViolation('a bad method name');
  return value;
}

function parseText(value: unknown, max: number = MAX_ERROR_TEXT): string {
  if (typeof value !== 'string') throw new WireViolation('a text that is not a string');
  return value.slice(0, max + 1);
}

function parseFailure(value: unknown): WireFailure {
  if (!isRecord(value)) throw new WireViolation('a failure that is not an object');
  return {
    name: parseText(value['name'], 200),
    message: parseText(value['message']),
    // guard: wire-error-code-checked
    ...(isWireCode(value['code']) ? { code: value['code'] } : {}),
    ...(value['stack'] === undefined ? {} : { stack: parseText(value['stack'], MAX_ERROR_STACK) }),
  };
}

/**
 * Lets a payload in, without own `__proto__` properties, which JSON.parse makes and a later spread or
 * assignment would obey. How large and how deep it may be was weighed before.
 */
function admit(payload: unknown, text: string): Json {
  if (!isParsed(payload)) return null;
  if (typeof payload !== 'object' || payload === null) return payload;
  // The name is in the text as it is, or with an escape in it: in most texts neither is.
  if (!text.includes('__proto__') && !text.includes('\\u')) return payload;
  let level: object[] = [payload];
  while (level.length > 0) {
    const next: object[] = [];
    for (const container of level) {
      // guard: wire-proto-deleted
      if (Object.hasOwn(container, '__proto__')) Reflect.deleteProperty(container, '__proto__');
      const children: unknown[] = Array.isArray(container) ? container : Object.values(container);
      for (const child of children) {
        if (typeof child === 'object' && child !== null) next.push(child);
      }
    }
    level = next;
  }
  return payload;
}

/** JSON.parse makes nothing but JSON; a payload that was left out is `undefined`. */
function isParsed(payload: unknown): payload is Json {
  return payload !== undefined;
}

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
        // guard: message-depth-cap
        if (depth > maxDepth) throw new WireViolation(`a message nested deeper than ${maxDepth}`);
        // As many values as commas, and one more unless there are none at all.
        if (!CLOSES_NEXT.has(text.charCodeAt(at + 1))) nodes += 1;
        break;
      case CLOSE_LIST:
      case CLOSE_RECORD:
        depth -= 1;
        break;
    }
    // guard: message-node-cap
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
