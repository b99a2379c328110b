import type { AnyNode } from 'acorn';
import type { Reading } from './reading.js';

/**
 * Whether other code gets the value, and not only a test of it. `takes`: whether a target of an assignment takes what
 * matters of the value.
 */
export function isPassedOn(
  node: AnyNode,
  reading: Reading,
  takes: (target: AnyNode) => boolean,
): boolean {
  const parent = reading.parentOf(node);
  switch (parent?.type) {
    case 'ExportDefaultDeclaration':
    case 'ReturnStatement':
      return true;
    case 'VariableDeclarator':
      return parent.init === node && takes(parent.id);
    case 'AssignmentExpression':
      return parent.right === node && takes(parent.left);
    case 'AssignmentPattern':
      return parent.right === node && takes(parent.left);
    case 'Property':
      return parent.value === node;
    case 'ArrowFunctionExpression':
      return parent.body === node;
    case 'CallExpression':
      return parent.callee !== node;
    case 'ConditionalExpression':
      return parent.test !== node && isPassedOn(parent, reading, takes);
    case 'LogicalExpression':
      return (
        (parent.operator !== '&&' || parent.right === node) && isPassedOn(parent, reading, takes)
      );
    default:
      return false;
  }
}
