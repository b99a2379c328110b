import type { AnyNode } from 'acorn';
import { parseSource } from '../rewrite/parse.js';

/** The injected name of Node's process. It is as long as `globalThis.process`, so that places stay the same. */
export const GLOBAL_PROCESS = 'globalThis$process';

/**
 * Replaces `globalThis.process` in the code of a package. The global object of a plugin has no
 * process, but packages look for it there, e.g. to read their variables.
 */
export function injectGlobalProcess(code: string): string {
  if (!/\bglobalThis\s*(?:\?\.|\.)\s*process\b/.test(code)) return code;
  let replaced = code;
  for (const { node, parent, leaving } of walkOf(code)) {
    if (leaving || !isGlobalProcess(node) || isChanged(node, parent)) continue;
    const { start, end } = node;
    replaced = replaced.slice(0, start) + GLOBAL_PROCESS.padEnd(end - start) + replaced.slice(end);
  }
  return replaced;
}

function walkOf(code: string): ReturnType<typeof parseSource>['walk'] {
  try {
    return parseSource(code, { tokens: false }).walk;
  } catch {
    // JSX, or syntax newer than acorn. esbuild reports what is invalid.
    return [];
  }
}

function isGlobalProcess(node: AnyNode): boolean {
  return (
    node.type === 'MemberExpression' &&
    !node.computed &&
    node.object.type === 'Identifier' &&
    node.object.name === 'globalThis' &&
    node.property.type === 'Identifier' &&
    node.property.name === 'process' &&
    node.end - node.start >= GLOBAL_PROCESS.length
  );
}

/** Whether the code assigns to a name or a member, or deletes it. */
export function isChanged(node: AnyNode, parent: AnyNode | undefined): boolean {
  switch (parent?.type) {
    case 'AssignmentExpression':
      return parent.left === node;
    case 'UnaryExpression':
      return parent.operator === 'delete';
    case 'UpdateExpression':
    case 'ArrayPattern':
    case 'RestElement':
    case 'ForInStatement':
    case 'ForOfStatement':
      return true;
    case 'AssignmentPattern':
      return parent.left === node;
    default:
      return false;
  }
}
