import type { AnyNode, Identifier, Pattern } from 'acorn';
import type { Walk } from './walk.js';

export interface FreeIdentifier {
  readonly node: Identifier;
  readonly parent: AnyNode | undefined;
}

export interface Bindings {
  /** Every use of a name that nothing in the program declares: a global's, or nobody's. */
  readonly free: readonly FreeIdentifier[];
  /** Every identifier of the program, declared or not: what a fresh name must not be. */
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
  /** How many scopes lie round the one that declares it; -1 where nothing does. */
  readonly depth: number;
}

/** Every use of a name, with how far out it is declared. */
export function resolveReferences(walk: Walk): readonly Reference[] {
  const scopes = declareAll(walk);
  const references: Reference[] = [];
  const open: Set<string>[] = [];
  for (const { node, parent, leaving } of walk) {
    if (node.type === 'Identifier') {
      if (leaving || !isReference(node, parent)) continue;
      references.push({ node, parent, depth: open.findLastIndex((scope) => scope.has(node.name)) });
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
        // An arrow has no `arguments` of its own, but then the name is that of a function around it.
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

/** What a pattern assigns to: names, and (where it is not a declaration) members. */
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

/** Whether an identifier stands for a variable, rather than naming a property or a label. */
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
