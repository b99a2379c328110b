import type { AnyNode } from 'acorn';
import { parseSource } from '../rewrite/parse.js';

/** The injected name of Node's process. It is as long as `globalThis.process`, so that places stay the same. */
export const GLOBAL_PROCESS = 'globalThis$process';

/**
 * Replaces `globalThis.process`, and the question whether it is there, in the code of a package. The global object of
 * a plugin has no process, but packages look for it there, e.g. to read their variables.
 */
export function injectGlobalProcess(code: string): string {
  if (!LOOKS_FOR_PROCESS.test(code)) return code;
  let replaced = code;
  for (const { node, parent, leaving } of walkOf(code)) {
    const replacement = leaving ? undefined : replacementOf(node, parent);
    if (replacement === undefined) continue;
    const { start, end } = node;
    replaced = replaced.slice(0, start) + replacement.padEnd(end - start) + replaced.slice(end);
  }
  return replaced;
}

const LOOKS_FOR_PROCESS =
  /\bglobalThis\s*(?:\?\.|\.)\s*process\b|(["'])process\1\s*in\s+global(?:This)?\b/;

/** A text that is not longer than the node's, so that places stay the same. */
function replacementOf(node: AnyNode, parent: AnyNode | undefined): string | undefined {
  if (isGlobalProcess(node)) return isChanged(node, parent) ? undefined : GLOBAL_PROCESS;
  return isProcessSought(node) ? 'true' : undefined;
}

/** `'process' in globalThis`. */
function isProcessSought(node: AnyNode): boolean {
  return (
    node.type === 'BinaryExpression' &&
    node.operator === 'in' &&
    node.left.type === 'Literal' &&
    node.left.value === 'process' &&
    node.right.type === 'Identifier' &&
    ['globalThis', 'global'].includes(node.right.name)
  );
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
