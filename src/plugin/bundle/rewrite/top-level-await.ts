import type { Program } from 'acorn';
import { walk } from './walk.js';

/** Whether a module awaits outside of every function, and so takes time to evaluate. */
export function usesTopLevelAwait(program: Program): boolean {
  let depth = 0;
  let found = false;
  const isFunction = (type: string): boolean =>
    type === 'FunctionDeclaration' ||
    type === 'FunctionExpression' ||
    type === 'ArrowFunctionExpression';
  walk(program, {
    enter: (node) => {
      if (isFunction(node.type)) depth += 1;
      else if (depth > 0) return;
      else if (node.type === 'AwaitExpression') found = true;
      else if (node.type === 'ForOfStatement' && node.await) found = true;
    },
    leave: (node) => {
      if (isFunction(node.type)) depth -= 1;
    },
  });
  return found;
}
