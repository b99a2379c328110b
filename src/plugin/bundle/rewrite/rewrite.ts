import { applyEdits, blank, type Edit } from './edits.js';
import { evadeSloppyGlobals } from './evasions.js';
import { returnExports } from './exports.js';
import { findGlobalWrites } from './globals.js';
import { isKnownGlobal } from './known-globals.js';
import { evadeFrozen } from './frozen.js';
import { forgiveLoadTime } from './load-time.js';
import { makeFresh } from './rewriting.js';
import { findSections } from './sections.js';
import { parseSource } from './parse.js';
import { callNodeInterop } from './interop.js';
import { resolveBindings } from './scopes.js';
import { makeSesSafe } from './ses-safe.js';
import { findSuspicions } from './suspicions.js';
import { usesTopLevelAwait } from './top-level-await.js';

export interface Rewritten {
  /** One expression, a function of `$bulkhead`; line for line the text that it was made from. */
  readonly code: string;
  readonly assignedGlobals: readonly string[];
}

/**
 * Makes the text of a module that esbuild wrote into one function expression that SES evaluates,
 * of the same meaning and on the same lines, so that a source map stays right by line.
 * Throws acorn's SyntaxError, with `pos`.
 *
 * @param prelude statements to begin with, on one line
 */
export function rewriteBundle(moduleText: string, prelude = ''): Rewritten {
  const { program, walk, comments, tokens } = parseSource(moduleText, {
    // They take as much memory as the tree does.
    tokens: findSuspicions(moduleText).length > 0,
  });
  // Comments go first, and leave everything else where it was.
  const text = applyEdits(
    moduleText,
    comments.map(({ start, end }) => ({ start, end, text: blank(moduleText.slice(start, end)) })),
  );
  const bindings = resolveBindings(walk);
  const writes = findGlobalWrites(walk, bindings);
  const leaked = [...writes.undeclared].filter((name) => !isKnownGlobal(name));
  const fresh = makeFresh(bindings.names);
  const sections = findSections(program, comments);
  const safe = makeSesSafe({ text, walk, tokens }, fresh);
  const frozen = evadeFrozen({ text, walk, bindings, sections }, fresh);
  const loadTime = forgiveLoadTime(walk, bindings, sections, fresh);
  const body = applyEdits(
    text,
    dropInner([
      ...returnExports(program, loadTime.closing),
      ...callNodeInterop(program, walk),
      ...evadeSloppyGlobals(walk, bindings),
      ...safe.edits,
      ...frozen.edits,
      ...loadTime.edits,
    ]),
  );
  // A variable that sloppy code forgets to declare becomes one of the bundle's own.
  const declared = leaked.map((name) => `let ${name} = globalThis.${name};`);
  const opening = [
    usesTopLevelAwait(walk) ? '(async function ($bulkhead) {' : '(function ($bulkhead) {',
    `'use strict';`,
    prelude,
    ...safe.prelude,
    ...frozen.prelude,
    ...loadTime.prelude,
    ...declared,
  ].join(' ');
  return {
    code: `${opening} ${body}\n})`,
    assignedGlobals: [
      ...new Set([
        ...writes.asProperties,
        ...[...writes.undeclared].filter((name) => !leaked.includes(name)),
      ]),
    ].toSorted(),
  };
}

/** Of edits that lie one inside the other keeps the outer: what it replaces is gone. */
function dropInner(edits: readonly Edit[]): Edit[] {
  const kept: Edit[] = [];
  let end = 0;
  for (const edit of edits.toSorted(byPlace)) {
    if (edit.start < end && edit.end <= end) continue;
    kept.push(edit);
    end = Math.max(end, edit.end);
  }
  return kept;
}

/** In the order of the text; an insertion before what replaces the text at its place. */
function byPlace(a: Edit, b: Edit): number {
  const inserts = (edit: Edit): number => (edit.end === edit.start ? 0 : 1);
  return a.start - b.start || inserts(a) - inserts(b) || b.end - a.end;
}
