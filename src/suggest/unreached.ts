import type { AnyNode, CallExpression, Identifier, ObjectPattern } from 'acorn';
import type { Walk } from '../plugin/bundle/rewrite/parse.js';
import type { Reference } from '../plugin/bundle/rewrite/scopes.js';

/** A function with a name, and what leads to it. */
interface NamedFunction {
  /** The named function around it. */
  readonly outer: NamedFunction | undefined;
  readonly start: number;
  readonly end: number;
  /** How modules export it as a property of an object. */
  readonly exported: Export[];
  /** The named function around each of its uses; `undefined` for a use outside of them. */
  readonly usedIn: (NamedFunction | undefined)[];
  isReached: boolean;
}

/** `key` of `__export(module, { key: () => name })`, by which esbuild makes a module an object. */
interface Export {
  readonly key: string;
  readonly module: Identifier;
}

/**
 * Whether an offset is in a function that nothing calls: its name is used in such functions alone, and no code reads a
 * property of the name by which a module exports it, or passes the module's object on. A bundle keeps all exports of a
 * module that is used as an object.
 */
export function findUnreached(
  walk: Walk,
  references: readonly Reference[],
  parentOf: (node: AnyNode) => AnyNode | undefined,
): (offset: number) => boolean {
  const scopes = new Map(references.map(({ node, scope }) => [node, scope]));
  const functions = new Map<object | undefined, Map<string, NamedFunction>>();
  const members = new Set<string>();
  const around = new Map<Identifier, NamedFunction>();
  const open: (readonly [node: AnyNode, opened: NamedFunction])[] = [];
  for (const { node, parent, leaving } of walk) {
    if (leaving) {
      if (open.at(-1)?.[0] === node) open.pop();
      continue;
    }
    const outer = open.at(-1)?.[1];
    if (node.type === 'Identifier') {
      if (outer !== undefined) around.set(node, outer);
      continue;
    }
    const member = readMember(node, parent);
    if (member !== undefined) members.add(member);
    const id = nameOf(node);
    if (id === undefined) continue;
    const inScope = functions.get(scopes.get(id)) ?? new Map<string, NamedFunction>();
    const { start, end } = node;
    // Which of two functions a name has is not known here.
    const isReached = inScope.has(id.name);
    const one = { outer, start, end, exported: [], usedIn: [], isReached };
    functions.set(scopes.get(id), inScope.set(id.name, one));
    open.push([node, one]);
  }
  const uses = new Map<object | undefined, Map<string, Identifier[]>>();
  for (const { node, scope } of references) {
    const inScope = uses.get(scope) ?? new Map<string, Identifier[]>();
    uses.set(scope, inScope.set(node.name, [...(inScope.get(node.name) ?? []), node]));
    const one = functions.get(scope)?.get(node.name);
    if (one === undefined || nameOf(parentOf(node)) === node) continue;
    const exported = exportOf(node, parentOf);
    if (exported === undefined) one.usedIn.push(around.get(node));
    else one.exported.push(exported);
  }
  /** Whether code gets the object of a module, and not only a property of it by name. */
  const isPassedOn = (module: Identifier, seen: ReadonlySet<Identifier> = new Set()): boolean =>
    !seen.has(module) &&
    (uses.get(scopes.get(module))?.get(module.name) ?? []).some((use) => {
      const parent = parentOf(use);
      if (parent?.type === 'MemberExpression') {
        return parent.object !== use || (parent.computed && parent.property.type !== 'Literal');
      }
      if (parent?.type === 'VariableDeclarator') {
        const { id } = parent;
        if (id.type === 'Identifier') {
          return parent.init === use && isPassedOn(id, new Set([...seen, module]));
        }
        return id.type !== 'ObjectPattern' || !id.properties.every(isNamed);
      }
      const isFilled = parent?.type === 'CallExpression' && isExportCall(parent, use);
      return !isFilled && exportOf(use, parentOf) === undefined;
    });
  const isRead = ({ key, module }: Export): boolean => members.has(key) || isPassedOn(module);
  const unreached = markReached(
    [...functions.values()].flatMap((inScope) => [...inScope.values()]),
    isRead,
  );
  return (offset) => unreached.some(({ start, end }) => offset >= start && offset < end);
}

/** Marks what code outside of named functions leads to, in some number of steps. Returns the others. */
function markReached(
  all: readonly NamedFunction[],
  isRead: (exported: Export) => boolean,
): readonly NamedFunction[] {
  for (const one of all) one.isReached ||= one.exported.some(isRead);
  let unreached = all.filter((one) => !one.isReached);
  for (let before = Infinity; unreached.length < before;) {
    before = unreached.length;
    for (const one of unreached) one.isReached = one.usedIn.some(isLive);
    unreached = unreached.filter((one) => !one.isReached);
  }
  return unreached;
}

/** Whether code in a function runs: the function and all around it are reached. */
function isLive(place: NamedFunction | undefined): boolean {
  for (let next = place; next !== undefined; next = next.outer) {
    if (!next.isReached) return false;
  }
  return true;
}

/** The name of `function name() {}` or `const name = () => {}`. */
function nameOf(node: AnyNode | undefined): Identifier | undefined {
  if (node?.type === 'FunctionDeclaration') return node.id ?? undefined;
  if (node?.type !== 'VariableDeclarator' || node.id.type !== 'Identifier') return undefined;
  const { init } = node;
  const isFunction =
    init?.type === 'FunctionExpression' || init?.type === 'ArrowFunctionExpression';
  return isFunction ? node.id : undefined;
}

/** `name` of `x.name`, `x['name']` and `const { name } = x`. */
function readMember(node: AnyNode, parent: AnyNode | undefined): string | undefined {
  if (node.type === 'MemberExpression' && node.property.type === 'Identifier' && !node.computed) {
    return node.property.name;
  }
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value;
  const isPattern = node.type === 'Property' && parent?.type === 'ObjectPattern';
  return isPattern && node.key.type === 'Identifier' ? node.key.name : undefined;
}

/** Whether a property of a pattern is read by its name. */
function isNamed(property: ObjectPattern['properties'][number]): boolean {
  return property.type === 'Property' && (!property.computed || property.key.type === 'Literal');
}

/** The export of which a name is the value. */
function exportOf(
  node: Identifier,
  parentOf: (node: AnyNode) => AnyNode | undefined,
): Export | undefined {
  const getter = parentOf(node);
  if (getter?.type !== 'ArrowFunctionExpression' || getter.body !== node) return undefined;
  const property = parentOf(getter);
  if (property?.type !== 'Property' || property.key.type !== 'Identifier') return undefined;
  const list = parentOf(property);
  const call = list && parentOf(list);
  const [module] = call?.type === 'CallExpression' ? call.arguments : [];
  return call?.type === 'CallExpression' &&
    module?.type === 'Identifier' &&
    isExportCall(call, module)
    ? { key: property.key.name, module }
    : undefined;
}

/** Whether a call is `__export(module, …)`. */
function isExportCall({ callee, arguments: args }: CallExpression, module: Identifier): boolean {
  return callee.type === 'Identifier' && /^__export\d*$/.test(callee.name) && args[0] === module;
}
