import type { AnyNode } from 'acorn';
import { type Walk, enterAll } from './parse.js';
import type { Bindings } from './scopes.js';

/** Functions that change their first argument. */
const CHANGES = new Set(['assign', 'defineProperties', 'defineProperty']);

/**
 * A `console` of its own for a text that replaces methods of it, such as a program that keeps its standard output free
 * by `console.log = console.error`. The one of the compartment is hardened, and packages share it. Returns what the
 * text has to begin with.
 */
export function giveOwnConsole(walk: Walk, { free }: Bindings): readonly string[] {
  const consoles = new Set<AnyNode>(
    free.filter(({ node }) => node.name === 'console').map(({ node }) => node),
  );
  if (consoles.size === 0) return [];
  const isMember = (node: AnyNode): boolean =>
    node.type === 'MemberExpression' && consoles.has(node.object);
  let isChanged = false;
  let isReplaced = false;
  enterAll(walk, (node) => {
    if (node.type === 'AssignmentExpression') {
      isChanged ||= isMember(node.left);
      isReplaced ||= consoles.has(node.left);
    } else if (node.type === 'UnaryExpression' && node.operator === 'delete') {
      isChanged ||= isMember(node.argument);
    } else if (node.type === 'CallExpression') {
      const { callee, arguments: args } = node;
      const [target] = args;
      isChanged ||=
        target !== undefined &&
        consoles.has(target) &&
        callee.type === 'MemberExpression' &&
        callee.property.type === 'Identifier' &&
        CHANGES.has(callee.property.name);
    }
  });
  return isChanged && !isReplaced ? ['const console = { ...globalThis.console };'] : [];
}
