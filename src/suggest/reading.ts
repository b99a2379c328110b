import type { AnyNode, Expression, Identifier, ObjectPattern } from 'acorn';
import { parseSource } from '../plugin/bundle/rewrite/parse.js';
import { type Reference, resolveReferences } from '../plugin/bundle/rewrite/scopes.js';
import { enterAll } from '../plugin/bundle/rewrite/walk.js';
import { makeStaticTexts, type StaticTexts } from './static-text.js';

/** A bundle's code, as the rules read it. */
export interface Reading {
  /** Uses of names, with what declares them. */
  readonly uses: readonly Use[];
  readonly texts: StaticTexts;
  /** The node that a node stands in. */
  readonly parentOf: (node: AnyNode) => AnyNode | undefined;
  /** Line and column from 1 of an offset in the code. */
  readonly positionOf: (offset: number) => { readonly line: number; readonly column: number };
  /** Every text that the code holds, with its place. */
  readonly literals: readonly { readonly text: string; readonly at: number }[];
}

export interface Use {
  readonly node: Identifier;
  /** `fetch`, `Math`: nobody's in the bundle, so a global's; or what a module of Node's or ours is to it. */
  readonly of:
    | { readonly kind: 'global'; readonly name: string }
    | { readonly kind: 'module'; readonly name: string; readonly member?: string };
}

export function readCode(code: string): Reading {
  const { walk } = parseSource(code, { tokens: false });
  const parents = new Map<AnyNode, AnyNode | undefined>();
  const literals: { text: string; at: number }[] = [];
  const modules = new Map<string, string>();
  const members = new Map<string, Taken>();
  const values = new Map<string, Expression[]>();
  const define = (name: string, value: Expression): void => {
    values.set(name, [...(values.get(name) ?? []), value]);
    const module = moduleMadeBy(value) ?? moduleImportedBy(value, modules);
    if (module !== undefined) modules.set(name, module);
  };
  /** `const { readFile: read } = await import('fs')`: `read` is a member of the module. */
  const takeApart = (pattern: ObjectPattern, value: Expression): void => {
    const module = moduleImportedBy(value, modules);
    for (const property of pattern.properties) {
      if (property.type !== 'Property' || property.value.type !== 'Identifier') continue;
      if (module === undefined || property.key.type !== 'Identifier') continue;
      members.set(property.value.name, { module, member: property.key.name });
    }
  };
  enterAll(walk, (node, parent) => {
    parents.set(node, parent);
    if (node.type === 'Literal' && typeof node.value === 'string') {
      literals.push({ text: node.value, at: node.start });
    } else if (node.type === 'TemplateElement') {
      literals.push({ text: node.value.cooked ?? '', at: node.start });
    } else if (node.type === 'VariableDeclarator') {
      if (node.id.type === 'Identifier' && node.init) define(node.id.name, node.init);
      else if (node.id.type === 'ObjectPattern' && node.init) takeApart(node.id, node.init);
    } else if (node.type === 'AssignmentExpression') {
      // A module that is loaded late gets its constants by assignment.
      if (node.left.type === 'Identifier') define(node.left.name, node.right);
    } else if (node.type === 'UpdateExpression' && node.argument.type === 'Identifier') {
      define(node.argument.name, node);
    }
  });
  /** What a name stands for that is given a value once. */
  const constant = (name: string): Expression | undefined => {
    const [value, ...more] = values.get(name) ?? [];
    return more.length === 0 ? value : undefined;
  };
  const starts = lineStarts(code);
  return {
    uses: resolveReferences(walk).flatMap((reference) => useOf(reference, modules, members)),
    texts: makeStaticTexts(constant, modules),
    parentOf: (node) => parents.get(node),
    positionOf: (offset) => positionIn(starts, offset),
    literals,
  };
}

/** A member of a module that has a name of its own. */
interface Taken {
  readonly module: string;
  readonly member: string;
}

/** The bundler's own scope: module variables of all files, each with a name that no other has. */
const TOP = 2;

function useOf(
  { node, depth }: Reference,
  modules: ReadonlyMap<string, string>,
  members: ReadonlyMap<string, Taken>,
): Use[] {
  if (depth < 0) return [{ node, of: { kind: 'global', name: node.name } }];
  const taken = members.get(node.name);
  if (taken !== undefined) {
    return [{ node, of: { kind: 'module', name: taken.module, member: taken.member } }];
  }
  const module = modules.get(node.name);
  if (module !== undefined) return [{ node, of: { kind: 'module', name: module } }];
  // Put in by the bundler where code uses a name that Node and Bun have.
  const injected = depth <= TOP ? /^(process|performance|Bun)\d*$/.exec(node.name)?.[1] : undefined;
  return injected === undefined ? [] : [{ node, of: { kind: 'global', name: injected } }];
}

/** `__commonJS({ "builtin:fs"(exports, module) { … } })` */
function moduleMadeBy(init: Expression): string | undefined {
  if (init.type !== 'CallExpression') return undefined;
  const [made] = init.arguments;
  if (made?.type !== 'ObjectExpression') return undefined;
  const [property] = made.properties;
  if (property?.type !== 'Property' || property.key.type !== 'Literal') return undefined;
  return /^(?:builtin|provided):(.+)$/.exec(String(property.key.value))?.[1];
}

/** `__toESM(require_fs())`, or `require_fs()` itself. */
function moduleImportedBy(
  init: Expression,
  modules: ReadonlyMap<string, string>,
): string | undefined {
  if (init.type === 'AwaitExpression') return moduleImportedBy(init.argument, modules);
  if (init.type !== 'CallExpression') return undefined;
  if (init.callee.type === 'Identifier' && modules.has(init.callee.name)) {
    return modules.get(init.callee.name);
  }
  const [first] = init.arguments;
  // `Promise.resolve().then(() => __toESM(require_fs()))` is what an import() becomes.
  if (first?.type === 'ArrowFunctionExpression' && first.body.type === 'CallExpression') {
    return moduleImportedBy(first.body, modules);
  }
  return first?.type === 'CallExpression' ? moduleImportedBy(first, modules) : undefined;
}

function lineStarts(code: string): readonly number[] {
  const starts = [0];
  for (let at = code.indexOf('\n'); at >= 0; at = code.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

function positionIn(
  starts: readonly number[],
  offset: number,
): { readonly line: number; readonly column: number } {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
}
