import type { AnyNode } from 'acorn';
import type { Bindings } from './scopes.js';

const INTRINSICS = new Set(
  [
    'AggregateError Array ArrayBuffer BigInt Boolean DataView Date Error EvalError Function Int16Array',
    'Int32Array Int8Array JSON Map Math Number Object Promise Proxy RangeError ReferenceError Reflect',
    'RegExp Set String Symbol SyntaxError TypeError URIError Uint16Array Uint32Array Uint8Array',
    'Uint8ClampedArray WeakMap WeakSet',
  ]
    .join(' ')
    .split(' '),
);

/** Tells the uses of JavaScript's own objects, which are frozen under SES, from other names. */
export function findIntrinsics({ free }: Bindings): (node: AnyNode) => boolean {
  const uses = new Set<AnyNode>(
    free.filter(({ node }) => INTRINSICS.has(node.name)).map(({ node }) => node),
  );
  return (node) => uses.has(node);
}

/** `X.prototype` */
export function isPrototype(node: AnyNode): boolean {
  return isMember(node, 'prototype');
}

export function isMember(node: AnyNode, name: string): boolean {
  return (
    node.type === 'MemberExpression' &&
    !node.computed &&
    node.property.type === 'Identifier' &&
    node.property.name === name
  );
}
