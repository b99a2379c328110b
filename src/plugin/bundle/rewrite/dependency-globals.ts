import type { AnyNode, Identifier } from 'acorn';
import type { Edit, Fresh, Rewriting } from './edits.js';
import type { Walk } from './parse.js';
import { type Bindings, resolveReferences } from './scopes.js';
import type { Sections } from './sections.js';

/** The globals with replacements for dependencies, by their names in `$bulkhead.dependencies`. */
const REPLACED = new Set(['Date', 'Intl', 'Math', 'WebSocket', 'globalThis']);

/**
 * Gives the code of dependencies its own `Date`, `Intl`, `Math`, `WebSocket`, `performance`, `process.hrtime`
 * and global object. Packages often measure themselves or draw a number. Without the permission the replacements give fixed
 * values, so that a plugin can use such a package. The plugin's own code gets the denial.
 */
export function replaceDependencyGlobals(
  { text, walk }: { readonly text: string; readonly walk: Walk },
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
  const performances = findInjected('performance', walk, sections);
  const processes = findInjected('process', walk, sections);
  if (performances.size > 0 || processes.size > 0) {
    for (const { node, parent, depth } of resolveReferences(walk)) {
      if (depth !== 0 || !isInPackage(node)) continue;
      if (performances.has(node.name)) {
        edits.push(replaceReference(node, parent, nameOf('performance')));
      } else if (processes.has(node.name) && parent !== undefined && readsHrtime(parent)) {
        edits.push({ start: parent.start, end: parent.end, text: nameOf('hrtime') });
      } else if (processes.has(node.name) || IMPORTED_PROCESS.test(node.name)) {
        const after = text.slice(node.start, node.start + 200);
        const [version] = NODE_VERSION.exec(after) ?? [];
        const [compared] = isCompared(text, node.start) ? (COMPARED.exec(after) ?? []) : [];
        const read = version ?? compared;
        if (read === undefined) continue;
        // A version that is empty is no version for those that compare it.
        const known = version === undefined ? `v${NODE}` : NODE;
        const end = node.start + read.length;
        edits.push({ start: node.start, end, text: `(${read} || "${known}")` });
      }
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

/**
 * A member of Node's version. Packages that only test for Node, and find none, do not read it; the
 * others need a version.
 */
const NODE_VERSION =
  /^(?:(?:globalThis\$)?process\d*|import_(?:node_)?process\d*(?:\s*\.\s*default)?)\s*\.\s*versions\s*\.\s*node(?=\s*\.\s*[a-z])/;
/** `process.version` as the argument of a function of semver, which throws for an empty version. */
const COMPARED = /^(?:globalThis\$)?process\d*\s*\.\s*version(?=\s*[,)])/;

function isCompared(text: string, start: number): boolean {
  const before = text.slice(Math.max(0, start - 40), start);
  return /\b(?:gte?|lte?|n?eq|satisfies|major|minor|patch|parse|compare)\s*\(\s*$/.test(before);
}

/** The bundle's variable of `import process from 'node:process'` in a file that was converted. */
const IMPORTED_PROCESS = /^import_(?:node_)?process\d*$/;
const NODE = '20.0.0';

/** Whether the expression is `process.hrtime`. Its object is the name. */
function readsHrtime(node: AnyNode): boolean {
  return (
    node.type === 'MemberExpression' &&
    !node.computed &&
    node.property.type === 'Identifier' &&
    node.property.name === 'hrtime'
  );
}

/**
 * The variables of a bundle that hold an injected name. A bundle in which a package reads
 * `globalThis.process` has "globalThis$process" in place of `process` (source/global-process.ts).
 */
function findInjected(
  injected: 'performance' | 'process',
  walk: Walk,
  sections: Sections,
): ReadonlySet<string> {
  const named = new RegExp(String.raw`^(?:globalThis\$)?${injected}\d*$`);
  const names = new Set<string>();
  for (const { node, parent, leaving } of walk) {
    if (leaving || node.type !== 'VariableDeclarator' || node.id.type !== 'Identifier') continue;
    if (!named.test(node.id.name) || parent?.type !== 'VariableDeclaration') continue;
    // Modules of `sandbox/builtins` may share a file.
    if (sections.at(node.start)?.path.startsWith('sandbox:') === true) names.add(node.id.name);
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
