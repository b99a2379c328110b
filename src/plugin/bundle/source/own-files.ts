import { posix } from 'node:path';
import { packageOf } from '../../package-path.js';
import { applyEdits, type Edit } from '../rewrite/edits.js';
import { enterAll, parseSource } from '../rewrite/parse.js';

/** Reads a regular file of the plugin. `undefined`: there is none, or it is too large to be part of the code. */
export type ReadOwn = (path: string) => Buffer | undefined;

/** The code of a file in a package, and the files whose contents it has. */
export interface WithOwnFiles {
  readonly code: string;
  readonly embedded: readonly string[];
}

const TEXT = String.raw`(?:"[^"\\\n]{0,200}"|'[^'\\\n]{0,200}')`;
/** It begins with a slash, as it follows a directory. */
const SLASH_TEXT = String.raw`(?:"\/[^"\\\n]{1,200}"|'\/[^'\\\n]{1,200}')`;
const JOIN = String.raw`(?:\(0, ?[\w$.]{1,60}\.(?:join|resolve)\)|(?:[\w$]{1,40}\.){0,2}(?:join|resolve))`;

/** A path that begins with the directory of the file, by its parts. */
const PLACE = [
  String.raw`__dirname\s*\+\s*(?<added>${SLASH_TEXT})`,
  String.raw`\`\$\{__dirname\}(?<template>\/[^\`$\\\n]{1,200})\``,
  String.raw`${JOIN}\(\s*__dirname(?<joined>(?:\s*,\s*${TEXT}){1,8})\s*\)`,
  String.raw`new URL\(\s*(?<url>${TEXT})\s*,\s*import\.meta\.url\s*\)`,
].join('|');

const ENCODING = String.raw`(?:\s*,\s*(?:(?<plain>${TEXT})|\{\s*encoding:\s*(?<option>${TEXT})\s*\}))?`;

/** `readFileSync(__dirname + '/data.trie', 'base64')`, with the ways in which packages write its parts. */
const READ = new RegExp(
  String.raw`readFileSync(?<bracket>\)?)\(\s*(?:${PLACE})${ENCODING}\s*\)`,
  'g',
);

/** What stands before it: `fs.`, `require('fs').`, `(0, fs.` or nothing. */
const OBJECT =
  /(?:\(0, ?[\w$.]{1,60}\.|require\(["'](?:node:)?fs["']\)\.|(?<![\w$.])(?:[\w$]{1,40}\.){1,2}|(?<![\w$.]))$/;

/** The longest of these. */
const OBJECT_LENGTH = 90;

/** Plugins cannot run it, so it would only make the code larger. */
const MACHINE_CODE = /\.(?:node|wasm)$/;

const FILES_MODULE = /["'](?:node:)?fs["']/;

/**
 * Gives a package the contents of its own files that it reads at once, by a path that the code has: they are as much a
 * part of it as its code, and need no permission. The fonts of PDF libraries are such files. A file of another package,
 * or of the plugin, stays one that a permission allows. `path`: of the file with the code.
 */
export function embedOwnFiles(path: string, code: string, readOwn: ReadOwn): WithOwnFiles {
  const owner = packageOf(path);
  if (owner === undefined || !code.includes('readFileSync') || !FILES_MODULE.test(code)) {
    return { code, embedded: [] };
  }
  const embedded: string[] = [];
  const edits: Edit[] = [];
  for (const { 0: call, index, groups = {} } of code.matchAll(READ)) {
    const [object] = OBJECT.exec(code.slice(Math.max(0, index - OBJECT_LENGTH), index)) ?? [];
    const isBracketed = object?.startsWith('(0,') === true;
    if (object === undefined || isBracketed !== (groups['bracket'] === ')')) continue;
    const file = posix.join(posix.dirname(path), placeOf(groups));
    // guard: embedded-file-of-own-package
    if (packageOf(file) !== owner || MACHINE_CODE.test(file)) continue;
    const content = readOwn(file);
    const value = content && expressionOf(content, groups['plain'] ?? groups['option']);
    if (value === undefined) continue;
    embedded.push(file);
    // A word may stand right before the bracket: `return(0,fs.readFileSync)(…)`.
    const text = isBracketed ? `(${value})` : value;
    edits.push({ start: index - object.length, end: index + call.length, text });
  }
  if (edits.length === 0) return { code, embedded };
  const calls = callsIn(code);
  const wanted = edits.filter(({ start, end }) => calls.has(`${start} ${end}`));
  return { code: applyEdits(code, wanted), embedded };
}

/** The places of all calls. A text or a comment may look like one. */
function callsIn(code: string): ReadonlySet<string> {
  const calls = new Set<string>();
  try {
    enterAll(parseSource(code, { tokens: false }).walk, ({ type, start, end }) => {
      if (type === 'CallExpression') calls.add(`${start} ${end}`);
    });
  } catch {
    // Syntax that only esbuild reads.
  }
  return calls;
}

type Groups = Readonly<Record<string, string | undefined>>;

function placeOf({ added, template, joined, url }: Groups): string {
  if (joined !== undefined) {
    return [...joined.matchAll(new RegExp(TEXT, 'g'))].map(([one]) => one.slice(1, -1)).join('/');
  }
  return template ?? (added ?? url ?? '').slice(1, -1);
}

/** The value of the call. `undefined`: an encoding that is not known. */
function expressionOf(content: Buffer, encoding: string | undefined): string | undefined {
  const base64 = JSON.stringify(content.toString('base64'));
  switch (encoding?.slice(1, -1).toLowerCase()) {
    case undefined:
      return `Buffer.from(${base64}, "base64")`;
    case 'utf8':
    case 'utf-8':
      return JSON.stringify(content.toString('utf8'));
    case 'latin1':
    case 'binary':
      return JSON.stringify(content.toString('latin1'));
    case 'base64':
      return base64;
    default:
      return undefined;
  }
}
