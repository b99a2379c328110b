import type { AnyNode, Identifier, Pattern } from 'acorn';
import type { Walk } from './parse.js';

interface FreeIdentifier {
  readonly node: Identifier;
  readonly parent: AnyNode | undefined;
}

export interface Bindings {
  /** Every use of a name that the program does not declare. */
  readonly free: readonly FreeIdentifier[];
  /** Every identifier of the program. Fresh names must differ from them. */
  readonly names: ReadonlySet<string>;
}

/** Resolves every identifier of a strict program. */
export function resolveBindings(walk: Walk): Bindings {
  const scopes = declareAll(walk);
  const free: FreeIdentifier[] = [];
  const names = new Set<string>();
  const open: Set<string>[] = [];
  const isDeclared = (name: string): boolean => open.some((scope) => scope.has(name));
  for (const { node, parent, leaving } of walk) {
    if (node.type === 'Identifier') {
      if (leaving) continue;
      names.add(node.name);
      if (isReference(node, parent) && !isDeclared(node.name)) free.push({ node, parent });
      continue;
    }
    const scope = scopes.get(node);
    if (scope === undefined) continue;
    if (leaving) open.pop();
    else open.push(scope);
  }
  return { free, names };
}

export interface Reference extends FreeIdentifier {
  /** The number of scopes around the declaring scope; -1 if the name is not declared. */
  readonly depth: number;
  /** The declaring scope. References with the same name and scope are of one variable. */
  readonly scope: object | undefined;
}

/** Every use of a name, with the depth of its declaration. */
export function resolveReferences(walk: Walk): readonly Reference[] {
  const scopes = declareAll(walk);
  const references: Reference[] = [];
  const open: Set<string>[] = [];
  for (const { node, parent, leaving } of walk) {
    if (node.type === 'Identifier') {
      if (leaving || !isReference(node, parent)) continue;
      const depth = open.findLastIndex((scope) => scope.has(node.name));
      references.push({ node, parent, depth, scope: open[depth] });
      continue;
    }
    const scope = scopes.get(node);
    if (scope === undefined) continue;
    if (leaving) open.pop();
    else open.push(scope);
  }
  return references;
}

/** The names that each scope declares, by the node that opens it. */
function declareAll(walk: Walk): Map<AnyNode, Set<string>> {
  const scopes = new Map<AnyNode, Set<string>>();
  const open: { readonly names: Set<string>; readonly isFunction: boolean }[] = [];
  const inner = (): Set<string> | undefined => open.at(-1)?.names;
  const nearestFunction = (): Set<string> | undefined =>
    open.findLast(({ isFunction }) => isFunction)?.names;
  for (const { node, leaving } of walk) {
    if (leaving) {
      if (opensScope(node)) open.pop();
      continue;
    }
    // A declaration's own name belongs to the scope around it.
    if (node.type === 'FunctionDeclaration' || node.type === 'ClassDeclaration') {
      if (node.id !== null) inner()?.add(node.id.name);
    }
    if (opensScope(node)) {
      const names = new Set<string>();
      scopes.set(node, names);
      open.push({ names, isFunction: isFunctionScope(node) });
      for (const name of ownNames(node)) names.add(name);
    } else if (node.type === 'VariableDeclaration') {
      const target = node.kind === 'var' ? nearestFunction() : inner();
      for (const { id } of node.declarations) {
        for (const name of boundNames(id)) target?.add(name);
      }
    }
  }
  return scopes;
}

function opensScope(node: AnyNode): boolean {
  switch (node.type) {
    case 'BlockStatement':
    case 'ForStatement':
    case 'ForInStatement':
    case 'ForOfStatement':
    case 'SwitchStatement':
    case 'CatchClause':
    case 'ClassExpression':
    case 'ClassDeclaration':
      return true;
    default:
      return isFunctionScope(node);
  }
}

function isFunctionScope(node: AnyNode): boolean {
  return (
    node.type === 'Program' ||
    node.type === 'FunctionDeclaration' ||
    node.type === 'FunctionExpression' ||
    node.type === 'ArrowFunctionExpression' ||
    node.type === 'StaticBlock'
  );
}

function ownNames(node: AnyNode): string[] {
  switch (node.type) {
    case 'FunctionExpression':
    case 'FunctionDeclaration':
    case 'ArrowFunctionExpression':
      return [
        ...(node.type === 'FunctionExpression' && node.id ? [node.id.name] : []),
        // In an arrow function, `arguments` belongs to the enclosing function.
        ...(node.type === 'ArrowFunctionExpression' ? [] : ['arguments']),
        ...node.params.flatMap(boundNames),
      ];
    case 'ClassExpression':
    case 'ClassDeclaration':
      return node.id ? [node.id.name] : [];
    case 'CatchClause':
      return node.param ? boundNames(node.param) : [];
    default:
      return [];
  }
}

function boundNames(pattern: Pattern): string[] {
  return patternTargets(pattern).flatMap((target) =>
    target.type === 'Identifier' ? [target.name] : [],
  );
}

/** The targets of a pattern: names, and members if it is not a declaration. */
export function patternTargets(pattern: Pattern): Pattern[] {
  switch (pattern.type) {
    case 'ObjectPattern':
      return pattern.properties.flatMap((property) =>
        patternTargets(property.type === 'RestElement' ? property.argument : property.value),
      );
    case 'ArrayPattern':
      return pattern.elements.flatMap((element) =>
        element === null ? [] : patternTargets(element),
      );
    case 'RestElement':
      return patternTargets(pattern.argument);
    case 'AssignmentPattern':
      return patternTargets(pattern.left);
    default:
      return [pattern];
  }
}

/** Whether an identifier is a variable, not the name of a property or a label. */
function isReference(node: Identifier, parent: AnyNode | undefined): boolean {
  switch (parent?.type) {
    case 'MemberExpression':
      return parent.object === node || parent.computed;
    case 'Property':
      return parent.value === node || parent.computed || parent.shorthand;
    case 'MethodDefinition':
    case 'PropertyDefinition':
      return parent.computed || parent.value === node;
    case 'LabeledStatement':
      return parent.label !== node;
    case 'BreakStatement':
    case 'ContinueStatement':
    case 'MetaProperty':
      return false;
    case 'ExportSpecifier':
      return parent.local === node;
    case 'ImportSpecifier':
    case 'ImportDefaultSpecifier':
    case 'ImportNamespaceSpecifier':
      return false;
    default:
      return true;
  }
}

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

/** Returns a test whether a node is a use of an intrinsic, which SES freezes. */
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
