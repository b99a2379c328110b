import { isDeepStrictEqual } from 'node:util';
import type { Json } from '../../sandbox/wire/messages.js';

/** Replaces what differs between two runs of the same program: times, random ids, directories. */
export function normalise(value: Json, workspace: string): Json {
  const text = JSON.stringify(value)
    .replaceAll(workspace, '/workspace')
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, 'TIME')
    .replace(/(?<!\d)1[6-9]\d{11}(?!\d)/g, 'MILLISECONDS')
    // An id: what follows a time.
    .replace(/(?<=MILLISECONDS[-_])[a-z0-9]{4,14}/g, 'RANDOM')
    // An id of a time and a random text, both with base 36.
    .replace(/(?<=_)m[a-z0-9]{7}_[a-z0-9]{4,8}(?![a-z0-9])/g, 'RANDOM')
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'UUID');
  return JSON.parse(text);
}

/** Where two values differ, as a path and both values; `undefined` if they are equal. */
export function difference(ours: Json | undefined, theirs: Json | undefined): string | undefined {
  if (isDeepStrictEqual(ours, theirs)) return undefined;
  if (isObject(ours) && isObject(theirs)) {
    for (const key of new Set([...Object.keys(ours), ...Object.keys(theirs)])) {
      const inside = difference(ours[key], theirs[key]);
      if (inside !== undefined) return `.${key}${inside}`;
    }
  }
  if (typeof ours === 'string' && typeof theirs === 'string') {
    let at = 0;
    while (ours[at] === theirs[at]) at += 1;
    const from = Math.max(0, at - 40);
    return ` at character ${at}:\n      ours   ${brief(ours.slice(from))}\n      oracle ${brief(theirs.slice(from))}`;
  }
  return `:\n      ours   ${brief(ours)}\n      oracle ${brief(theirs)}`;
}

function isObject(value: Json | undefined): value is { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null;
}

function brief(value: Json | undefined): string {
  const text = JSON.stringify(value) ?? 'absent';
  return text.length > 400 ? `${text.slice(0, 400)}…` : text;
}
