import { offer } from './denied.js';

/** Punycode (RFC 3492), by which names in other scripts travel in ASCII. */
const BASE = 36;
const SKEW = 38;
const DAMP = 700;
const MIN = 1;
const MAX = 26;

function adapt(delta: number, points: number, first: boolean): number {
  let rest = first ? Math.floor(delta / DAMP) : delta >> 1;
  rest += Math.floor(rest / points);
  let bias = 0;
  for (; rest > ((BASE - MIN) * MAX) >> 1; bias += BASE) rest = Math.floor(rest / (BASE - MIN));
  return Math.floor(bias + ((BASE - MIN + 1) * rest) / (rest + SKEW));
}

function threshold(position: number, bias: number): number {
  return Math.min(Math.max(position - bias, MIN), MAX);
}

export function encode(text: string): string {
  const points = Array.from(text, (character) => character.codePointAt(0) ?? 0);
  let output = points
    .filter((point) => point < 0x80)
    .map((point) => String.fromCharCode(point))
    .join('');
  const basic = output.length;
  let handled = basic;
  if (basic > 0) output += '-';
  let next = 0x80;
  let delta = 0;
  let bias = 72;
  while (handled < points.length) {
    const smallest = Math.min(...points.filter((point) => point >= next));
    delta += (smallest - next) * (handled + 1);
    next = smallest;
    for (const point of points) {
      if (point < next) delta += 1;
      if (point !== next) continue;
      let rest = delta;
      for (let position = BASE; ; position += BASE) {
        const limit = threshold(position, bias);
        if (rest < limit) break;
        output += toDigit(limit + ((rest - limit) % (BASE - limit)));
        rest = Math.floor((rest - limit) / (BASE - limit));
      }
      output += toDigit(rest);
      bias = adapt(delta, handled + 1, handled === basic);
      delta = 0;
      handled += 1;
    }
    delta += 1;
    next += 1;
  }
  return output;
}

export function decode(text: string): string {
  const dash = text.lastIndexOf('-');
  const points = Array.from(dash > 0 ? text.slice(0, dash) : '', (character) =>
    character.charCodeAt(0),
  );
  let next = 0x80;
  let index = 0;
  let bias = 72;
  for (let at = dash > 0 ? dash + 1 : 0; at < text.length;) {
    const before = index;
    let weight = 1;
    for (let position = BASE; ; position += BASE) {
      const digit = Number.parseInt(text[at] ?? '', BASE);
      // Letters come first here, digits last: a = 0 … z = 25, 0 = 26 … 9 = 35.
      const value = digit >= 10 ? digit - 10 : digit + 26;
      if (Number.isNaN(value)) throw new RangeError('Invalid input');
      at += 1;
      index += value * weight;
      const limit = threshold(position, bias);
      if (value < limit) break;
      weight *= BASE - limit;
    }
    bias = adapt(index - before, points.length + 1, before === 0);
    next += Math.floor(index / (points.length + 1));
    index %= points.length + 1;
    points.splice(index, 0, next);
    index += 1;
  }
  return String.fromCodePoint(...points);
}

function toDigit(value: number): string {
  return String.fromCharCode(value < 26 ? value + 97 : value + 22);
}

export function toASCII(domain: string): string {
  return mapLabels(domain, (label) => (/[^\0-\x7F]/.test(label) ? `xn--${encode(label)}` : label));
}

export function toUnicode(domain: string): string {
  return mapLabels(domain, (label) =>
    label.startsWith('xn--') ? decode(label.slice(4).toLowerCase()) : label,
  );
}

function mapLabels(domain: string, map: (label: string) => string): string {
  const at = domain.lastIndexOf('@') + 1;
  const labels = domain
    .slice(at)
    .replace(/[\u3002\uFF0E\uFF61]/g, '.')
    .split('.');
  return domain.slice(0, at) + labels.map(map).join('.');
}

export const builtin: object = offer('punycode', {
  encode,
  decode,
  toASCII,
  toUnicode,
  ucs2: {
    decode: (text: string): number[] =>
      Array.from(text, (character) => character.codePointAt(0) ?? 0),
    encode: (points: readonly number[]): string => String.fromCodePoint(...points),
  },
  version: '2.3.1',
});
