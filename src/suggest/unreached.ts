import type { AnyNode, CallExpression, Identifier, ObjectPattern } from 'acorn';
import type { Walk } from '../plugin/bundle/rewrite/parse.js';
import type { Reference } from '../plugin/bundle/rewrite/scopes.js';

/** A function with a name, and what it leads to. */
interface NamedFunction {
  /** The named function around it. */
  readonly outer: NamedFunction | undefined;
  readonly start: number;
  readonly end: number;
  /** The named functions in it. */
  readonly inner: NamedFunction[];
  /** The named functions that its own code names. */
  readonly uses: NamedFunction[];
  /** Whether code that may run names it. */
  isReached: boolean;
  /** Whether its code may run: it is reached, and so are all around it. */
  isLive: boolean;
}

/** A variable, by its scope and its name. */
interface Variable {
  /** Its function, if it has one alone. */
  made?: NamedFunction;
  readonly names: Identifier[];
  /** The variables that get its value: `const other = name`. */
  readonly sources: Variable[];
  /** Whether code gets its value, and not only a property of it by name. */
  isPassedOn: boolean;
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
  const variables = variablesOf(references);
  const { around, functions, members } = findFunctions(walk, variables);
  const all = new Set(variables.values());
  markPassedOn(all, variables, parentOf);
  const roots: NamedFunction[] = [];
  for (const { made, names } of all) {
    if (made === undefined) continue;
    for (const node of names) {
      if (nameOf(parentOf(node)) === node) continue;
      const exported = exportOf(node, parentOf);
      if (exported === undefined) (around.get(node)?.uses ?? roots).push(made);
      else if (members.has(exported.key) || variables.get(exported.module)?.isPassedOn === true) {
        roots.push(made);
      }
    }
  }
  markLive([...roots, ...functions.filter(({ isReached }) => isReached)]);
  return isWithin(functions.filter(({ isLive }) => !isLive));
}

/** The variable of each name in the code. */
function variablesOf(references: readonly Reference[]): ReadonlyMap<AnyNode, Variable> {
  const byScope = new Map<object | undefined, Map<string, Variable>>();
  const variables = new Map<AnyNode, Variable>();
  for (const { node, scope } of references) {
    const inScope = byScope.get(scope) ?? new Map<string, Variable>();
    byScope.set(scope, inScope);
    const variable = inScope.get(node.name) ?? { names: [], sources: [], isPassedOn: false };
    inScope.set(node.name, variable);
    variable.names.push(node);
    variables.set(node, variable);
  }
  return variables;
}

interface Functions {
  readonly functions: readonly NamedFunction[];
  /** The innermost named function around a name. */
  readonly around: ReadonlyMap<AnyNode, NamedFunction>;
  /** The names of properties that the code reads. */
  readonly members: ReadonlySet<string>;
}

function findFunctions(walk: Walk, variables: ReadonlyMap<AnyNode, Variable>): Functions {
  const functions: NamedFunction[] = [];
  const around = new Map<AnyNode, NamedFunction>();
  const members = new Set<string>();
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
    const variable = id && variables.get(id);
    if (variable === undefined) continue;
    const { start, end } = node;
    // Which of two functions a name has is not known here.
    const isReached = variable.made !== undefined;
    const one = { outer, start, end, inner: [], uses: [], isReached, isLive: false };
    if (variable.made !== undefined) variable.made.isReached = true;
    variable.made = one;
    outer?.inner.push(one);
    functions.push(one);
    open.push([node, one]);
  }
  return { functions, around, members };
}

/** Marks the variables whose value code gets, also by another variable. */
function markPassedOn(
  all: ReadonlySet<Variable>,
  variables: ReadonlyMap<AnyNode, Variable>,
  parentOf: (node: AnyNode) => AnyNode | undefined,
): void {
  for (const variable of all) {
    for (const use of variable.names) {
      const parent = parentOf(use);
      if (parent?.type !== 'VariableDeclarator' || parent.id.type !== 'Identifier') {
        variable.isPassedOn ||= passesOn(use, parent, parentOf);
      } else if (parent.init === use) variables.get(parent.id)?.sources.push(variable);
    }
  }
  const open = [...all].filter(({ isPassedOn }) => isPassedOn);
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const source of next.sources) {
      if (source.isPassedOn) continue;
      source.isPassedOn = true;
      open.push(source);
    }
  }
}

/** Whether a use of a variable is more than one property of it by name. */
function passesOn(
  use: Identifier,
  parent: AnyNode | undefined,
  parentOf: (node: AnyNode) => AnyNode | undefined,
): boolean {
  if (parent?.type === 'MemberExpression') {
    return parent.object !== use || (parent.computed && parent.property.type !== 'Literal');
  }
  if (parent?.type === 'VariableDeclarator') {
    return parent.id.type !== 'ObjectPattern' || !parent.id.properties.every(isNamed);
  }
  const isFilled = parent?.type === 'CallExpression' && isExportCall(parent, use);
  return !isFilled && exportOf(use, parentOf) === undefined;
}

/** Marks what these functions lead to. Each function is visited once. */
function markLive(roots: readonly NamedFunction[]): void {
  const open = [...roots];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    next.isReached = true;
    if (next.isLive || next.outer?.isLive === false) continue;
    next.isLive = true;
    for (const one of next.uses) open.push(one);
    for (const one of next.inner) if (one.isReached) open.push(one);
  }
}

/** Whether an offset is in one of these functions, which come in the order of their starts. */
function isWithin(functions: readonly NamedFunction[]): (offset: number) => boolean {
  const ranges: { readonly start: number; readonly end: number }[] = [];
  // One within another adds nothing.
  for (const { start, end } of functions) {
    if (end > (ranges.at(-1)?.end ?? -1)) ranges.push({ start, end });
  }
  return (offset) => {
    let [low, high] = [0, ranges.length];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if ((ranges[middle]?.start ?? 0) <= offset) low = middle + 1;
      else high = middle;
    }
    return offset < (ranges[low - 1]?.end ?? -1);
  };
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
