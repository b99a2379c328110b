import type { AnyNode, CallExpression } from 'acorn';
import type { Edit } from './edits.js';
import type { Bindings } from './scopes.js';
import { enterAll, type Walk } from './walk.js';

/**
 * Old ways to reach the global object that give `undefined` where all code is strict, as it is
 * under SES: `Function('return this')()` and `(function () { return this })()`.
 */
export function evadeSloppyGlobals(walk: Walk, { free }: Bindings): Edit[] {
  const functions = new Set<AnyNode>(
    free.filter(({ node }) => node.name === 'Function').map(({ node }) => node),
  );
  const edits: Edit[] = [];
  enterAll(walk, (node) => {
    if (node.type !== 'CallExpression' || node.arguments.length > 0) return;
    if (callsReturnThis(node) || constructsReturnThis(node, functions)) {
      edits.push({ start: node.start, end: node.end, text: '(globalThis)' });
    }
  });
  return edits;
}

function callsReturnThis({ callee }: CallExpression): boolean {
  if (callee.type !== 'FunctionExpression' || callee.async || callee.generator) return false;
  const [only, ...more] = callee.body.body;
  return (
    only?.type === 'ReturnStatement' &&
    only.argument?.type === 'ThisExpression' &&
    more.length === 0
  );
}

function constructsReturnThis(
  { callee }: CallExpression,
  functions: ReadonlySet<AnyNode>,
): boolean {
  if (callee.type !== 'CallExpression' && callee.type !== 'NewExpression') return false;
  const [body, ...more] = callee.arguments;
  return (
    functions.has(callee.callee) &&
    more.length === 0 &&
    body?.type === 'Literal' &&
    typeof body.value === 'string' &&
    /^\s*return this;?\s*$/.test(body.value)
  );
}
