import type { Walk } from './walk.js';

/** Whether a module awaits outside of every function, and so takes time to evaluate. */
export function usesTopLevelAwait(walk: Walk): boolean {
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
