import type { AnyNode, Identifier } from 'acorn';
import type { Edit, Fresh, Rewriting } from './edits.js';
import type { Walk } from './parse.js';
import { type Bindings, resolveReferences } from './scopes.js';
import type { Sections } from './sections.js';

/** The globals with replacements for dependencies, by their names in `$bulkhead.dependencies`. */
const REPLACED = new Set(['Date', 'Math', 'globalThis']);

/** The module of `sandbox/builtins` with the injected `performance`. */
const PERFORMANCE_MODULE = /^sandbox:perf-hooks\.js$/;

/**
 * Gives the code of dependencies its own `Date`, `Math`, `performance` and global object. Packages
 * often measure themselves or draw a number. Without the permission the replacements give fixed
 * values, so that a plugin can use such a package. The plugin's own code gets the denial.
 */
export function replaceDependencyGlobals(
  walk: Walk,
  { free }: Bindings,
  sections: Sections,
  fresh: Fresh,
): Rewriting & { readonly globalName: () => string } {
  const names = new Map<string, string>();
  const nameOf = (global: string): string => {
    const name = names.get(global) ?? fresh(global);
    names.set(global, name);
    return name;
  };
  const isInPackage = ({ start }: AnyNode): boolean => sections.at(start)?.isPackage === true;
  const edits: Edit[] = [];
  for (const { node, parent } of free) {
    if (!REPLACED.has(node.name) || !isInPackage(node) || isTarget(node, parent)) continue;
    edits.push(replaceReference(node, parent, nameOf(node.name)));
  }
  const performances = findInjected(walk, sections);
  if (performances.size > 0) {
    for (const { node, parent, depth } of resolveReferences(walk)) {
      if (depth !== 0 || !performances.has(node.name) || !isInPackage(node)) continue;
      edits.push(replaceReference(node, parent, nameOf('performance')));
    }
  }
  return {
    edits,
    globalName: () => nameOf('globalThis'),
    get prelude() {
      if (names.size === 0) return [];
      const members = [...names].map(([global, name]) => `${global}: ${name}`).join(', ');
      return [`const { ${members} } = $bulkhead.dependencies ?? globalThis;`];
    },
  };
}

/** The variables of a bundle that hold the injected `performance`. */
function findInjected(walk: Walk, sections: Sections): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { node, parent, leaving } of walk) {
    if (leaving || node.type !== 'VariableDeclarator' || node.id.type !== 'Identifier') continue;
    if (!/^performance\d*$/.test(node.id.name) || parent?.type !== 'VariableDeclaration') continue;
    if (PERFORMANCE_MODULE.test(sections.at(node.start)?.path ?? '')) names.add(node.id.name);
  }
  return names;
}

/** Whether the code assigns to the name. */
function isTarget(node: Identifier, parent: AnyNode | undefined): boolean {
  return (
    (parent?.type === 'AssignmentExpression' && parent.left === node) ||
    parent?.type === 'UpdateExpression'
  );
}

/** Replaces the use of a name by an expression. */
export function replaceReference(
  { name, start, end }: Identifier,
  parent: AnyNode | undefined,
  text: string,
): Edit {
  const isShorthand = parent?.type === 'Property' && parent.shorthand;
  return { start, end, text: isShorthand ? `${name}: ${text}` : text };
}
