import type { AnyNode } from 'acorn';
import type { Edit, Fresh, Rewriting } from './edits.js';
import { replaceReference } from './dependency-globals.js';
import type { Bindings } from './scopes.js';

/**
 * Makes the use of an undeclared name a ReferenceError, as in JavaScript. In a compartment it is
 * `undefined`. A global whose permission is not granted is its denial. `declared`: names that the bundle declares in addition. `globalAt`: the expression for the
 * global object at a node.
 */
export function guardUndeclared(
  { free }: Bindings,
  declared: ReadonlySet<string>,
  globalAt: (node: AnyNode) => string,
  fresh: Fresh,
): Rewriting {
  const edits: Edit[] = [];
  const seen = new Set<number>();
  let guard: string | undefined;
  for (const { node, parent } of free) {
    const { name, start } = node;
    if (ALWAYS.has(name) || declared.has(name) || seen.has(start)) continue;
    if (parent?.type === 'UnaryExpression' && parent.operator === 'typeof') continue;
    seen.add(start);
    // Builds for browsers begin with it. `typeof self` stays `undefined`, as in Node.
    if (name === 'self') {
      edits.push(replaceReference(node, parent, globalAt(node)));
      continue;
    }
    guard ??= fresh('declared');
    // In parentheses, because the name may be a constructor: `new (…)()`.
    edits.push(replaceReference(node, parent, `(${guard}(${JSON.stringify(name)}, ${name}))`));
  }
  return { edits, prelude: guard === undefined ? [] : [guardFunction(guard)] };
}

function guardFunction(name: string): string {
  return [
    `const ${name} = (({ ReferenceError }, globals) => (name, value) => {`,
    'if (value !== undefined || name in globals) return value;',
    'const standIn = $bulkhead.missing?.(name);',
    'if (standIn === undefined) throw new ReferenceError(`${name} is not defined`);',
    'return standIn; })(globalThis, globalThis);',
  ].join(' ');
}

/** Names that every compartment has, and names of the bundle itself. */
const ALWAYS = new Set(
  [
    '$bulkhead AggregateError Array ArrayBuffer BigInt BigInt64Array BigUint64Array Boolean DataView',
    'Date Error EvalError Function Infinity Int16Array Int32Array Int8Array Intl Iterator JSON Map',
    'Math NaN Number Object Promise Proxy RangeError ReferenceError Reflect RegExp Set String Symbol',
    'SyntaxError TypeError URIError Uint16Array Uint32Array Uint8Array Uint8ClampedArray WeakMap',
    'WeakSet decodeURI decodeURIComponent encodeURI encodeURIComponent escape globalThis isFinite',
    'isNaN parseFloat parseInt undefined unescape',
    'AbortController AbortSignal Blob DOMException Event EventTarget File FormData Headers',
    'ReadableStream Request Response TextDecoder TextEncoder TransformStream URL URLSearchParams',
    'WritableStream atob btoa clearInterval clearTimeout console crypto performance queueMicrotask',
    'setInterval setTimeout structuredClone',
  ]
    .join(' ')
    .split(' '),
);
