import type {
  AnyNode,
  CallExpression,
  Expression,
  Identifier,
  MemberExpression,
  ObjectPattern,
  VariableDeclarator,
} from 'acorn';
import { enterAll, parseSource } from '../plugin/bundle/rewrite/parse.js';
import { isMember, type Reference, resolveReferences } from '../plugin/bundle/rewrite/scopes.js';
import { lineStarts, positionIn } from './positions.js';
import { makeStaticTexts, type StaticTexts } from './static-text.js';
import { findUnreached } from './unreached.js';

/** A bundle's parsed code, for the rules. */
export interface Reading {
  /** Uses of names, with what declares them. */
  readonly uses: readonly Use[];
  readonly texts: StaticTexts;
  /** Variables that tools read from their context: `context.env.KEY`. */
  readonly contextVariables: readonly { readonly name: string; readonly node: AnyNode }[];
  /** The calls of a function, by the name that it was declared with. */
  readonly callsOf: (name: string) => readonly CallExpression[];
  /** A node's parent. */
  readonly parentOf: (node: AnyNode) => AnyNode | undefined;
  /** Line and column (from 1) of an offset in the code. */
  readonly positionOf: (offset: number) => { readonly line: number; readonly column: number };
  /** Whether an offset is in a function that nothing calls. */
  readonly isUnreached: (offset: number) => boolean;
  /** Every text in the code, with its offset. */
  readonly literals: readonly { readonly text: string; readonly at: number }[];
  /** Every `x.getRandomValues` and `x.randomUUID`, whatever `x` is. */
  readonly draws: readonly AnyNode[];
}

export interface Use {
  readonly node: Identifier;
  /** A global that the bundle does not declare (`fetch`, `Math`), or a built-in or provided module. */
  readonly of:
    | { readonly kind: 'global'; readonly name: string }
    | { readonly kind: 'module'; readonly name: string; readonly member?: string };
}

export function readCode(code: string): Reading {
  const { walk } = parseSource(code, { tokens: false });
  const parents = new Map<AnyNode, AnyNode | undefined>();
  const literals: { text: string; at: number }[] = [];
  const references = resolveReferences(walk);
  const scopes: Scopes = new Map(references.map(({ node, scope }) => [node, scope]));
  const modules = new Variables<string>(scopes);
  /** Modules by the name of a variable that has them. */
  const moduleNames = new Map<string, string>();
  const members = new Variables<NamedMember>(scopes);
  /** What is assigned to a variable. */
  const values = new Variables<AnyNode[]>(scopes);
  /** Variables that a caller may give another value than the one in the code: `(http = {}) => …`. */
  const defaulted = new Variables<true>(scopes);
  const contextVariables: { name: string; node: AnyNode }[] = [];
  const draws: AnyNode[] = [];
  const calls = new Map<string, CallExpression[]>();
  /** Local names of `context.env`. */
  const environments = new Set(['env']);
  /** Clocks and randomness: `Date = context.Date`. */
  const taken = new Variables<string>(scopes);
  const addValue = (target: Identifier, value: AnyNode): void => {
    const known = values.get(target);
    if (known === undefined) values.set(target, [value]);
    else known.push(value);
  };
  const define = (target: Identifier, value: Expression): void => {
    addValue(target, value);
    const module = moduleDefinedBy(value) ?? moduleImportedBy(value, modules);
    if (module === undefined) return;
    modules.set(target, module);
    moduleNames.set(target.name, module);
  };
  /** `const { readFile: read } = await import('fs')`: `read` is a member of the module. */
  const destructure = (pattern: ObjectPattern, value: Expression): void => {
    const module = moduleImportedBy(value, modules);
    for (const property of pattern.properties) {
      if (property.type !== 'Property' || property.value.type !== 'Identifier') continue;
      if (module === undefined || property.key.type !== 'Identifier') continue;
      members.set(property.value, { module, member: property.key.name });
    }
  };
  enterAll(walk, (node, parent) => {
    parents.set(node, parent);
    if (node.type === 'Literal' && typeof node.value === 'string') {
      literals.push({ text: node.value, at: node.start });
    } else if (node.type === 'TemplateElement') {
      literals.push({ text: node.value.cooked ?? '', at: node.start });
    } else if (node.type === 'MemberExpression') {
      if (isMember(node, 'getRandomValues') || isMember(node, 'randomUUID')) draws.push(node);
      const name = variableReadBy(node, environments);
      if (name !== undefined) contextVariables.push({ name, node });
    } else if (node.type === 'VariableDeclarator') {
      for (const name of variablesTakenBy(node, environments))
        contextVariables.push({ name, node });
      if (node.id.type === 'Identifier' && node.init) {
        const { name } = node.id;
        if (isContextEnv(node.init, environments)) environments.add(name);
        const global = globalTakenBy(node.init);
        if (global !== undefined && name.replace(/\d+$/, '') === global) taken.set(node.id, global);
        define(node.id, node.init);
      } else if (node.id.type === 'ObjectPattern' && node.init) destructure(node.id, node.init);
    } else if (node.type === 'AssignmentExpression') {
      // esbuild assigns the constants of a module that loads lazily.
      if (node.left.type === 'Identifier') define(node.left, node.right);
    } else if (node.type === 'CallExpression' && node.callee.type === 'Identifier') {
      const { name } = node.callee;
      const known = calls.get(name);
      if (known === undefined) calls.set(name, [node]);
      else known.push(node);
    } else if (node.type === 'ObjectPattern') {
      for (const name of environmentsTakenBy(node)) environments.add(name);
    } else if (node.type === 'AssignmentPattern' && node.left.type === 'Identifier') {
      addValue(node.left, node.right);
      defaulted.set(node.left, true);
    } else if (node.type === 'FunctionDeclaration' && node.id !== null) {
      addValue(node.id, node);
    } else if (node.type === 'UpdateExpression' && node.argument.type === 'Identifier') {
      define(node.argument, node);
    }
  });
  /**
   * The module that a variable holds. Also one that another variable of that name holds, unless what is assigned to
   * this one is something else: modules are passed on as parameters, and other files of a package wrap them.
   */
  const moduleOf = (use: Identifier): string | undefined => {
    const isOther = !defaulted.get(use) && values.get(use)?.every(isNoModule) === true;
    return modules.get(use) ?? (isOther ? undefined : moduleNames.get(use.name));
  };
  /** The value of a variable that is assigned exactly once. */
  const constant = (use: Identifier): AnyNode | undefined => {
    const [value, ...more] = values.get(use) ?? [];
    return more.length === 0 ? value : undefined;
  };
  const starts = lineStarts(code);
  return {
    uses: references.flatMap((reference) => useOf(reference, moduleOf, members, taken)),
    texts: makeStaticTexts(constant, moduleOf),
    callsOf: (name) => calls.get(name) ?? [],
    parentOf: (node) => parents.get(node),
    isUnreached: findUnreached(walk, references, (node) => parents.get(node)),
    positionOf: (offset) => positionIn(starts, offset),
    literals,
    draws,
    contextVariables,
  };
}

/** `KEY` of `context.env.KEY`, `ctx.env['KEY']` or `env.KEY`. Variables have names in upper case. */
function variableReadBy(
  { object, property, computed }: MemberExpression,
  environments: ReadonlySet<string>,
): string | undefined {
  const name = computed
    ? property.type === 'Literal' && String(property.value)
    : property.type === 'Identifier' && property.name;
  return name !== false && VARIABLE.test(name) && isContextEnv(object, environments)
    ? name
    : undefined;
}

/** The names of `const { KEY, OTHER: other } = context.env`. */
function variablesTakenBy(
  { id, init }: VariableDeclarator,
  environments: ReadonlySet<string>,
): string[] {
  if (id.type !== 'ObjectPattern' || !init || !isContextEnv(init, environments)) return [];
  return id.properties.flatMap((property) =>
    property.type === 'Property' &&
    property.key.type === 'Identifier' &&
    VARIABLE.test(property.key.name)
      ? [property.key.name]
      : [],
  );
}

const VARIABLE = /^[A-Z][A-Z0-9_]*$/;

/** The local names of `const { env: variables } = context`, also as a parameter. */
function environmentsTakenBy({ properties }: ObjectPattern): string[] {
  return properties.flatMap((property) =>
    property.type === 'Property' &&
    property.key.type === 'Identifier' &&
    property.key.name === 'env' &&
    property.value.type === 'Identifier'
      ? [property.value.name]
      : [],
  );
}

/** `Date` of `context.Date`: packages such as lodash take their globals from an object. */
function globalTakenBy(node: Expression): string | undefined {
  if (node.type !== 'MemberExpression' || node.computed || node.property.type !== 'Identifier')
    return undefined;
  const { name } = node.property;
  return name === 'Date' || name === 'Math' ? name : undefined;
}

function isContextEnv(node: AnyNode, environments: ReadonlySet<string>): boolean {
  const inner = node.type === 'ChainExpression' ? node.expression : node;
  if (inner.type === 'Identifier') return environments.has(inner.name);
  return (
    inner.type === 'MemberExpression' &&
    !inner.computed &&
    inner.property.type === 'Identifier' &&
    inner.property.name === 'env' &&
    inner.object.type === 'Identifier' &&
    // Their variables are found by the rules of these globals.
    !/^(?:process|Bun|import_)/.test(inner.object.name)
  );
}

/** Whether a value is surely no module of Node: a literal, a function, or a variable of the environment. */
function isNoModule(value: AnyNode): boolean {
  switch (value.type) {
    case 'Literal':
    case 'TemplateLiteral':
    case 'ObjectExpression':
    case 'ArrayExpression':
    case 'FunctionDeclaration':
    case 'FunctionExpression':
    case 'ArrowFunctionExpression':
    case 'ClassExpression':
    case 'UnaryExpression':
    case 'UpdateExpression':
    case 'BinaryExpression':
      return true;
    case 'LogicalExpression':
      return isNoModule(value.right);
    case 'ConditionalExpression':
      return isNoModule(value.consequent) && isNoModule(value.alternate);
    case 'MemberExpression':
      return isMember(value.object, 'env');
    default:
      return false;
  }
}

/** The scope that declares the variable of a reference. */
type Scopes = ReadonlyMap<Identifier, object | undefined>;

/** Facts about variables. Variables of several scopes may have one name. */
class Variables<Value> {
  readonly #scopes: Scopes;
  readonly #values = new Map<object | undefined, Map<string, Value>>();

  constructor(scopes: Scopes) {
    this.#scopes = scopes;
  }

  /** What is known of the variable that this identifier refers to. */
  get(use: Identifier): Value | undefined {
    return this.#values.get(this.#scopes.get(use))?.get(use.name);
  }

  set(use: Identifier, value: Value): void {
    const scope = this.#scopes.get(use);
    const inScope = this.#values.get(scope) ?? new Map<string, Value>();
    this.#values.set(scope, inScope.set(use.name, value));
  }
}

/** A member of a module that a variable holds. */
interface NamedMember {
  readonly module: string;
  readonly member: string;
}

/** Depth of the bundle's own scope, which holds the module variables of all files. */
const TOP = 0;

function useOf(
  { node, depth }: Reference,
  moduleOf: (use: Identifier) => string | undefined,
  members: Variables<NamedMember>,
  taken: Variables<string>,
): Use[] {
  if (depth < 0) return [{ node, of: { kind: 'global', name: node.name } }];
  const global = taken.get(node);
  if (global !== undefined) return [{ node, of: { kind: 'global', name: global } }];
  const named = members.get(node);
  if (named !== undefined) {
    return [{ node, of: { kind: 'module', name: named.module, member: named.member } }];
  }
  const module = moduleOf(node);
  if (module !== undefined) return [{ node, of: { kind: 'module', name: module } }];
  // The bundler injects these globals of Node and Bun.
  const injected = depth <= TOP ? /^(process|performance|Bun)\d*$/.exec(node.name)?.[1] : undefined;
  return injected === undefined ? [] : [{ node, of: { kind: 'global', name: injected } }];
}

/** `__commonJS({ "builtin:fs"(exports, module) { … } })` */
function moduleDefinedBy(init: Expression): string | undefined {
  if (init.type !== 'CallExpression') return undefined;
  const [modules] = init.arguments;
  if (modules?.type !== 'ObjectExpression') return undefined;
  const [property] = modules.properties;
  if (property?.type !== 'Property' || property.key.type !== 'Literal') return undefined;
  return /^(?:builtin|provided):(.+)$/.exec(String(property.key.value))?.[1];
}

/** `__toESM(require_fs())`, or `require_fs()` itself. */
function moduleImportedBy(init: Expression, modules: Variables<string>): string | undefined {
  if (init.type === 'AwaitExpression') return moduleImportedBy(init.argument, modules);
  if (init.type !== 'CallExpression') return undefined;
  const known = init.callee.type === 'Identifier' ? modules.get(init.callee) : undefined;
  if (known !== undefined) return known;
  const [first] = init.arguments;
  // esbuild rewrites `import()` to `Promise.resolve().then(() => __toESM(require_fs()))`.
  if (first?.type === 'ArrowFunctionExpression' && first.body.type === 'CallExpression') {
    return moduleImportedBy(first.body, modules);
  }
  return first?.type === 'CallExpression' ? moduleImportedBy(first, modules) : undefined;
}
