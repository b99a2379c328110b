import type { AnyNode, Program } from 'acorn';
import { escapePatterns } from './ascii-patterns.js';
import { type Edit, applyEdits, blank, makeFresh } from './edits.js';
import { replaceDependencyGlobals } from './dependency-globals.js';
import { avoidFrozenWrites } from './frozen-writes.js';
import { bindSloppyGlobals, findGlobalWrites, isKnownGlobal } from './globals.js';
import { callNodeInterop, useLinkedNamespaces } from './interop.js';
import { findLinks, findLinkUses, type LinkUse } from './linked-names.js';
import { giveOwnConsole } from './own-console.js';
import { type Walk, parseSource } from './parse.js';
import { resolveBindings } from './scopes.js';
import { findSections } from './sections.js';
import { findSuspicions, makeSesSafe } from './ses-safe.js';
import { guardUndeclared } from './undeclared.js';

export interface Rewritten {
  /** One expression, a function of `$bulkhead`. It has the same lines as the original text. */
  readonly code: string;
  readonly assignedGlobals: readonly string[];
  /** Whether it awaits outside all functions. */
  readonly isAsync: boolean;
  /** The files of other units that it loads. */
  readonly links: ReadonlySet<string>;
  /** How it uses ES modules of other units, by file. */
  readonly linkUses: ReadonlyMap<string, LinkUse>;
}

/**
 * Rewrites a module from esbuild as one function expression for SES, with the same meaning and the
 * same lines, so that its source map stays valid by line. Throws acorn's SyntaxError, with `pos`.
 *
 * @param prelude statements for the start, on one line
 */
export function rewriteBundle(moduleText: string, prelude = ''): Rewritten {
  const { program, walk, comments, tokens } = parseSource(moduleText, {
    // Tokens need as much memory as the tree.
    tokens: findSuspicions(moduleText).length > 0,
  });
  // Blanked comments do not move the rest of the text.
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
  const frozen = avoidFrozenWrites({ text, walk, bindings, sections }, fresh);
  const replaced = replaceDependencyGlobals({ text, walk }, bindings, sections, fresh);
  const globalAt = ({ start }: AnyNode): string =>
    sections.at(start)?.isPackage === true ? replaced.globalName() : 'globalThis';
  const undeclared = guardUndeclared(bindings, writes.undeclared, globalAt, fresh);
  const body = applyEdits(
    text,
    dropInner([
      ...returnExports(program),
      ...callNodeInterop(program, walk),
      ...useLinkedNamespaces(program, walk),
      ...bindSloppyGlobals(walk, bindings, globalAt),
      ...safe.edits,
      ...frozen.edits,
      ...replaced.edits,
      ...undeclared.edits,
      ...escapePatterns(text, walk),
    ]),
  );
  // An undeclared variable of sloppy code becomes a variable of the bundle.
  const declared = leaked.map((name) => `let ${name} = globalThis.${name};`);
  const isAsync = usesTopLevelAwait(walk);
  const opening = [
    isAsync ? '(async function ($bulkhead) {' : '(function ($bulkhead) {',
    `'use strict';`,
    prelude,
    ...safe.prelude,
    ...frozen.prelude,
    ...replaced.prelude,
    ...undeclared.prelude,
    ...giveOwnConsole(walk, bindings),
    ...declared,
  ].join(' ');
  return {
    code: `${opening} ${body}\n})`,
    isAsync,
    links: findLinks(walk),
    linkUses: findLinkUses(program, walk),
    assignedGlobals: [
      ...new Set([
        ...writes.asProperties,
        ...[...writes.undeclared].filter((name) => !leaked.includes(name)),
      ]),
    ].toSorted(),
  };
}

/** Drops edits inside another edit, because the outer one replaces their text. */
function dropInner(edits: readonly Edit[]): Edit[] {
  const outer: Edit[] = [];
  let end = 0;
  for (const edit of edits.toSorted(byPlace)) {
    if (edit.start < end && edit.end <= end) continue;
    outer.push(edit);
    end = Math.max(end, edit.end);
  }
  return outer;
}

/** Sorts by position; an insertion comes before a replacement at the same place. */
function byPlace(a: Edit, b: Edit): number {
  const inserts = (edit: Edit): number => (edit.end === edit.start ? 0 : 1);
  return a.start - b.start || inserts(a) - inserts(b) || b.end - a.end;
}

/** The name of a bundle's only export: the entry's namespace. */
export const NAMESPACE_EXPORT = 'namespace';

/** Replaces esbuild's export statement by the return of the entry's exports. */
function returnExports(program: Program): Edit[] {
  const edits = program.body.flatMap((statement) => {
    if (statement.type !== 'ExportNamedDeclaration') return [];
    const specifier = statement.specifiers.find(
      ({ exported }) => nameOf(exported) === NAMESPACE_EXPORT,
    );
    if (specifier === undefined) return [];
    const { start, end } = statement;
    return [{ start, end, text: `return ${nameOf(specifier.local)};` }];
  });
  if (edits.length !== 1) throw new Error('a bundle must have exactly one export');
  return edits;
}

function nameOf(node: AnyNode): string | undefined {
  return node.type === 'Identifier' ? node.name : undefined;
}

/** Whether a module awaits outside all functions. */
function usesTopLevelAwait(walk: Walk): boolean {
  let depth = 0;
  const isFunction = (type: string): boolean =>
    type === 'FunctionDeclaration' ||
    type === 'FunctionExpression' ||
    type === 'ArrowFunctionExpression';
  for (const { node, leaving } of walk) {
    if (isFunction(node.type)) depth += leaving ? -1 : 1;
    else if (depth > 0) continue;
    else if (node.type === 'AwaitExpression') return true;
    else if (node.type === 'ForOfStatement' && node.await) return true;
  }
  return false;
}
