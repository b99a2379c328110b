import type { AnyNode } from 'acorn';
import type { Finding } from './finding.js';
import type { Reading } from './reading.js';

/** What a member of `crypto`, or of Node's module, needs. */
export function cryptoFindings(operation: string | undefined, node: AnyNode): readonly Finding[] {
  return operation !== undefined && DRAWS.has(operation)
    ? [{ permission: 'random', scope: 'true', why: `crypto.${operation}`, node }]
    : [];
}

/** Code that gets the whole object may draw from it. */
export const CRYPTO_AS_VALUE = 'crypto, as a value';

/** What `crypto` without a member needs: other code may get it, and draw. */
export function cryptoValue(node: AnyNode, reading: Reading): readonly Finding[] {
  return isPassedOn(node, reading)
    ? [{ permission: 'random', scope: 'true', why: CRYPTO_AS_VALUE, node }]
    : [];
}

/** Whether other code gets the value, and not only a test of it. */
function isPassedOn(node: AnyNode, reading: Reading): boolean {
  const parent = reading.parentOf(node);
  switch (parent?.type) {
    case 'ExportDefaultDeclaration':
    case 'ReturnStatement':
      return true;
    case 'VariableDeclarator':
      return parent.init === node && drawsFrom(parent.id);
    case 'AssignmentExpression':
      return parent.right === node && drawsFrom(parent.left);
    case 'AssignmentPattern':
      return parent.right === node && drawsFrom(parent.left);
    case 'Property':
      return parent.value === node;
    case 'ArrowFunctionExpression':
      return parent.body === node;
    case 'CallExpression':
      return parent.callee !== node;
    case 'ConditionalExpression':
      return parent.test !== node && isPassedOn(parent, reading);
    case 'LogicalExpression':
      return (parent.operator !== '&&' || parent.right === node) && isPassedOn(parent, reading);
    default:
      return false;
  }
}

/** Whether a target takes the whole object, or a function of it that draws. */
function drawsFrom(target: AnyNode): boolean {
  if (target.type !== 'ObjectPattern') return true;
  return target.properties.some(
    (one) =>
      one.type === 'RestElement' ||
      (one.key.type === 'Identifier' && !one.computed && DRAWS.has(one.key.name)),
  );
}

const DRAWS: ReadonlySet<string> = new Set([
  'getRandomValues',
  'randomUUID',
  'randomBytes',
  'randomFill',
  'randomFillSync',
  'randomInt',
]);
