import type { AnyNode, CallExpression, Pattern } from 'acorn';
import type { Edit } from './edits.js';
import { type Bindings, patternTargets } from './scopes.js';
import { type Walk, enterAll } from './parse.js';

interface GlobalWrites {
  /** Names that are written as properties of the global object. */
  readonly asProperties: ReadonlySet<string>;
  /** Undeclared names that are assigned. */
  readonly undeclared: ReadonlySet<string>;
}

/**
 * Finds the names that a program writes to the global object. It may find too many: a name that is
 * writable needlessly costs little speed, but a missing one makes the plugin throw.
 */
export function findGlobalWrites(walk: Walk, { free }: Bindings): GlobalWrites {
  const globals = findAliases(walk);
  const freeNodes = new Set<AnyNode>(free.map(({ node }) => node));
  const asProperties = new Set<string>();
  const undeclared = new Set<string>();

  const target = (node: AnyNode): void => {
    if (node.type === 'Identifier' && freeNodes.has(node)) undeclared.add(node.name);
    if (node.type !== 'MemberExpression' || node.object.type === 'Super') return;
    const name = staticName(node.property, node.computed);
    if (name !== undefined && isGlobal(node.object, globals)) asProperties.add(name);
  };
  const targets = (pattern: Pattern): void => patternTargets(pattern).forEach(target);

  enterAll(walk, (node) => {
    if (node.type === 'AssignmentExpression') targets(node.left);
    else if (node.type === 'UpdateExpression') target(node.argument);
    else if (node.type === 'UnaryExpression' && node.operator === 'delete') target(node.argument);
    else if (node.type === 'ForInStatement' || node.type === 'ForOfStatement') {
      if (node.left.type !== 'VariableDeclaration') targets(node.left);
    } else if (node.type === 'CallExpression') {
      for (const name of namesDefinedBy(node, globals)) asProperties.add(name);
    }
  });
  return { asProperties, undeclared };
}

/**
 * `Object.defineProperty(globalThis, 'x', …)`, `Object.assign(globalThis, { x })` and similar calls. A name without a
 * value is read, as by `Reflect.get(globalThis, 'x')` and `getNative(root, 'Map')`, or deleted.
 */
function namesDefinedBy(
  { callee, arguments: [first, second, value] }: CallExpression,
  globals: ReadonlySet<string>,
): string[] {
  if (first === undefined || second === undefined || !isGlobal(first, globals)) return [];
  if (second.type === 'Literal' && typeof second.value === 'string') {
    return value === undefined && !isDeletion(callee) ? [] : [second.value];
  }
  if (second.type !== 'ObjectExpression') return [];
  return second.properties.flatMap((property) => {
    if (property.type !== 'Property') return [];
    const name = staticName(property.key, property.computed);
    return name === undefined ? [] : [name];
  });
}

function isDeletion(callee: AnyNode): boolean {
  const name = callee.type === 'MemberExpression' ? callee.property : callee;
  return name.type === 'Identifier' && name.name === 'deleteProperty';
}

/** The names of variables and parameters that may hold the global object. */
function findAliases(walk: Walk): Set<string> {
  const aliases = new Set(['globalThis']);
  for (let known = 0; known < aliases.size;) {
    known = aliases.size;
    enterAll(walk, (node) => {
      if (node.type === 'VariableDeclarator') {
        if (node.id.type === 'Identifier' && node.init && isGlobal(node.init, aliases)) {
          aliases.add(node.id.name);
        }
      } else if (node.type === 'AssignmentExpression') {
        if (node.left.type === 'Identifier' && isGlobal(node.right, aliases)) {
          aliases.add(node.left.name);
        }
      } else if (node.type === 'CallExpression') {
        const { callee } = node;
        if (callee.type !== 'FunctionExpression' && callee.type !== 'ArrowFunctionExpression') {
          return;
        }
        node.arguments.forEach((argument, index) => {
          const parameter = callee.params[index];
          if (parameter?.type === 'Identifier' && isGlobal(argument, aliases)) {
            aliases.add(parameter.name);
          }
        });
      }
    });
  }
  return aliases;
}

/** Whether an expression may evaluate to the global object, by its form. */
function isGlobal(node: AnyNode, aliases: ReadonlySet<string>): boolean {
  switch (node.type) {
    case 'Identifier':
      return aliases.has(node.name);
    case 'ConditionalExpression':
      return isGlobal(node.consequent, aliases) || isGlobal(node.alternate, aliases);
    case 'LogicalExpression':
      return isGlobal(node.left, aliases) || isGlobal(node.right, aliases);
    case 'AssignmentExpression':
      return isGlobal(node.right, aliases);
    case 'SequenceExpression': {
      const last = node.expressions.at(-1);
      return last !== undefined && isGlobal(last, aliases);
    }
    default:
      return false;
  }
}

function staticName(key: AnyNode, computed: boolean): string | undefined {
  if (key.type === 'Identifier' && !computed) return key.name;
  return key.type === 'Literal' && typeof key.value === 'string' ? key.value : undefined;
}

/**
 * Replaces old expressions for the global object, which are `undefined` in strict code:
 * `Function('return this')()` and `(function () { return this })()`. And `typeof self === 'undefined' ? window : self`,
 * which is for pages and their workers alone.
 */
export function bindSloppyGlobals(
  walk: Walk,
  { free }: Bindings,
  globalAt: (node: AnyNode) => string,
): Edit[] {
  const functions = new Set<AnyNode>(
    free.filter(({ node }) => node.name === 'Function').map(({ node }) => node),
  );
  const edits: Edit[] = [];
  enterAll(walk, (node) => {
    if (choosesPage(node))
      edits.push({ start: node.start, end: node.end, text: `(${globalAt(node)})` });
    if (node.type !== 'CallExpression' || node.arguments.length > 0) return;
    if (callsReturnThis(node) || constructsReturnThis(node, functions)) {
      edits.push({ start: node.start, end: node.end, text: `(${globalAt(node)})` });
    }
  });
  return edits;
}

function choosesPage(node: AnyNode): boolean {
  if (node.type !== 'ConditionalExpression' || node.test.type !== 'BinaryExpression') return false;
  const { test, consequent, alternate } = node;
  const names = [consequent, alternate].map((one) => (one.type === 'Identifier' ? one.name : ''));
  return (
    test.left.type === 'UnaryExpression' &&
    test.left.operator === 'typeof' &&
    names.toSorted().join(' ') === 'self window'
  );
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

/**
 * Whether a name is a global of a compartment, from SES or an endowment. An assignment to any other
 * undeclared name counts as a missing declaration.
 */
export function isKnownGlobal(name: string): boolean {
  return KNOWN.has(name);
}

const KNOWN = new Set(
  [
    'AggregateError Array ArrayBuffer Atomics BigInt BigInt64Array BigUint64Array Boolean DataView',
    'Date Error EvalError FinalizationRegistry Float16Array Float32Array Float64Array Function',
    'Infinity Int16Array Int32Array Int8Array Intl Iterator JSON Map Math NaN Number Object Promise',
    'Proxy RangeError ReferenceError Reflect RegExp Set SharedArrayBuffer String Symbol SyntaxError',
    'TypeError URIError Uint16Array Uint32Array Uint8Array Uint8ClampedArray WeakMap WeakRef',
    'WeakSet WebAssembly Compartment HandledPromise ModuleSource assert harden lockdown decodeURI',
    'decodeURIComponent encodeURI encodeURIComponent escape eval globalThis isFinite isNaN',
    'parseFloat parseInt undefined unescape',
    'AbortController AbortSignal Blob Buffer DOMException Event EventTarget File FormData Headers',
    'ReadableStream Request Response TextDecoder TextEncoder TransformStream URL URLSearchParams',
    'WritableStream atob btoa clearImmediate clearInterval clearTimeout console crypto env exports',
    'fetch global module navigator performance powers process queueMicrotask readFile require self',
    'setImmediate setInterval setTimeout storage structuredClone window',
  ]
    .join(' ')
    .split(' '),
);
