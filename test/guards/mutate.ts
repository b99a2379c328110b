import { type Anchor, find, isNode, type Node } from './anchors.js';
import type { Mutation } from './guard.js';

/** The source without the guard. Throws if the mutation does not fit the anchored node. */
export function withoutGuard({ id, file, source, node }: Anchor, mutation: Mutation): string {
  const { start, end, text } = editFor(node, mutation, source) ?? {};
  if (start === undefined || end === undefined || text === undefined) {
    throw new Error(`${file}: the mutation of "guard: ${id}" does not fit ${node.type}`);
  }
  return source.slice(0, start) + text + source.slice(end);
}

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

function editFor(node: Node, mutation: Mutation, source: string): Edit | undefined {
  const textOf = ({ start, end }: Node): string => source.slice(start, end);
  const put = (at: Node | undefined, text: string | undefined): Edit | undefined =>
    at === undefined || text === undefined ? undefined : { start: at.start, end: at.end, text };
  if (typeof mutation === 'object') {
    const [pattern, text] = mutation.replace;
    const before = textOf(node);
    const after = before.replace(pattern, text);
    return after === before ? undefined : put(node, after);
  }
  switch (mutation) {
    case 'remove':
      return removal(node, source);
    case 'never':
      return put(conditionOf(node), 'false');
    case 'always':
      return put(conditionOf(node), 'true');
    case 'nothing':
      return put(valueOf(node), 'undefined');
    case 'left':
    case 'right': {
      const operation = find(node, ({ type }) => OPERATIONS.has(type));
      const operand = operation?.[mutation];
      return put(operation, isNode(operand) ? `(${textOf(operand)})` : undefined);
    }
    case 'unwrap': {
      const call = find(node, ({ type }) => CALLS.has(type));
      const [first] = listOf(call?.['arguments']);
      return put(call, first && `(${textOf(first)})`);
    }
    case 'idle-callback': {
      const isFunction = ({ type }: Node): boolean => FUNCTIONS.has(type);
      const call = find(
        node,
        ({ type, arguments: passed }) => CALLS.has(type) && listOf(passed).some(isFunction),
      );
      return put(listOf(call?.['arguments']).find(isFunction), '() => {}');
    }
  }
}

const CALLS = new Set(['CallExpression', 'NewExpression']);
const FUNCTIONS = new Set(['ArrowFunctionExpression', 'FunctionExpression']);
const OPERATIONS = new Set(['BinaryExpression', 'LogicalExpression']);

function removal(node: Node, source: string): Edit {
  const { type, start, end, callee } = node;
  const text = source.slice(start, end);
  const isStatement = /(?:Statement|Declaration)$/.test(type);
  if (isStatement) return { start, end, text: ';' };
  // The call of a chain: what it is called on remains.
  const on = isNode(callee) ? callee['object'] : undefined;
  if (isNode(on) && text.startsWith(source.slice(on.start, on.end)) && source[end] !== ',') {
    return { start: on.end, end, text: '' };
  }
  return { start, end: source[end] === ',' ? end + 1 : end, text: '' };
}

function conditionOf(node: Node): Node {
  const holder = find(
    node,
    ({ test }) => isNode(test),
    ({ type }) => type === node.type || !FUNCTIONS.has(type),
  );
  return isNode(holder?.['test']) ? holder['test'] : valueOf(node);
}

/** The value that a statement returns or assigns, or that a property has; else the node itself. */
function valueOf(node: Node): Node {
  switch (node.type) {
    case 'ReturnStatement':
      return isNode(node['argument']) ? node['argument'] : node;
    case 'VariableDeclaration': {
      const init = listOf(node['declarations'])[0]?.['init'];
      return isNode(init) ? init : node;
    }
    case 'ExpressionStatement':
      return isNode(node['expression']) ? valueOf(node['expression']) : node;
    case 'AssignmentExpression':
      return isNode(node['right']) ? node['right'] : node;
    case 'Property':
      return isNode(node['value']) ? node['value'] : node;
    default:
      return node;
  }
}

function listOf(value: unknown): Node[] {
  return Array.isArray(value) ? value.filter(isNode) : [];
}
