import type { AnyNode, Identifier, Program } from 'acorn';
import { LINKED_MODULE, pathOfModule } from './interop.js';
import { type Walk, enterAll } from './parse.js';

/** The files of other units that a text loads. Its texts may be escaped, so they are read from its syntax. */
export function findLinks(walk: Walk): ReadonlySet<string> {
  const files = new Set<string>();
  enterAll(walk, (node) => {
    if (node.type !== 'CallExpression' || node.callee.type !== 'MemberExpression') return;
    const { object, property } = node.callee;
    if (object.type !== 'Identifier' || object.name !== '$bulkhead') return;
    const [file] = node.arguments;
    if (property.type !== 'Identifier' || property.name !== 'link' || file?.type !== 'Literal')
      return;
    if (typeof file.value === 'string') files.add(file.value);
  });
  return files;
}

/** How a text uses an ES module of another unit. */
export interface LinkUse {
  /** The exports that it uses. Absent: it may use the module as a whole. */
  readonly names?: ReadonlySet<string>;
  /** Whether it loads the module whenever it is evaluated: outside all functions. */
  readonly isAtOnce: boolean;
}

/**
 * How a text from esbuild uses the ES modules of other units, by file. Names are compared without their scopes, so too
 * many exports may be found, and never too few.
 */
export function findLinkUses(program: Program, walk: Walk): ReadonlyMap<string, LinkUse> {
  /** The files, by esbuild's functions that load them. */
  const loaders = new Map(
    program.body.flatMap((statement) =>
      statement.type === 'VariableDeclaration'
        ? statement.declarations.flatMap(({ id, init }) => {
            const file = fileOf(pathOfModule(init));
            return id.type === 'Identifier' && file !== undefined ? [[id.name, file] as const] : [];
          })
        : [],
    ),
  );
  if (loaders.size === 0) return new Map();
  const found = new Map<string, Set<string>>(
    [...loaders.values()].map((file) => [file, new Set()]),
  );
  const whole = new Set<string>();
  /** The files, by the variables that have their exports. */
  const namespaces = new Map<string, string>();
  /** The nodes that load a file into such a variable. */
  const explained = new Set<AnyNode>();
  const atOnce = new Set(
    program.body.flatMap((statement) =>
      loadersAtOnce(statement).flatMap(({ name }) => loaders.get(name) ?? []),
    ),
  );
  enterAll(walk, (node) => {
    const evaluated = onlyEvaluated(node);
    if (evaluated !== undefined) explained.add(evaluated);
    const [target, value] =
      node.type === 'VariableDeclarator'
        ? [node.id, node.init]
        : node.type === 'AssignmentExpression'
          ? [node.left, node.right]
          : [];
    const loader = loaderIn(value);
    if (loader === undefined || target?.type !== 'Identifier') return;
    const file = loaders.get(loader.name);
    if (file === undefined) return;
    // A variable that has the exports of two files is none of esbuild's.
    if ((namespaces.get(target.name) ?? file) !== file) whole.add(file);
    namespaces.set(target.name, file);
    explained.add(loader).add(target);
  });
  enterAll(walk, (node, parent) => {
    if (node.type !== 'Identifier' || explained.has(node)) return;
    const loaded = loaders.get(node.name);
    if (loaded !== undefined && !isDeclared(node, parent) && !isKey(node, parent))
      whole.add(loaded);
    const file = namespaces.get(node.name);
    if (file === undefined || isDeclared(node, parent) || isKey(node, parent)) return;
    const name = memberOf(node, parent);
    if (name === undefined) whole.add(file);
    else found.get(file)?.add(name);
  });
  return new Map(
    [...found].map(([file, names]) => [
      file,
      { ...(whole.has(file) ? {} : { names }), isAtOnce: atOnce.has(file) },
    ]),
  );
}

/** `require_x` of the statements `require_x();` and `var x = __toESM(require_x());`. */
function loadersAtOnce(statement: Program['body'][number]): readonly Identifier[] {
  const evaluated = onlyEvaluated(statement);
  if (evaluated !== undefined) return [evaluated];
  if (statement.type !== 'VariableDeclaration') return [];
  return statement.declarations.flatMap(({ init }) => loaderIn(init) ?? []);
}

/** `require_x` of the statement `require_x();`. */
function onlyEvaluated(node: AnyNode): Identifier | undefined {
  if (node.type !== 'ExpressionStatement' || node.expression.type !== 'CallExpression')
    return undefined;
  const { callee } = node.expression;
  return callee.type === 'Identifier' ? callee : undefined;
}

function fileOf(path: string | undefined): string | undefined {
  return path?.startsWith('link:') === true && path.endsWith(LINKED_MODULE)
    ? path.slice('link:'.length, -LINKED_MODULE.length)
    : undefined;
}

/** `require_x` of `__toESM(require_x())`. */
function loaderIn(value: AnyNode | null | undefined): Identifier | undefined {
  if (value?.type !== 'CallExpression' || value.callee.type !== 'Identifier') return undefined;
  const [loaded] = value.arguments;
  return value.callee.name === '__toESM' &&
    loaded?.type === 'CallExpression' &&
    loaded.callee.type === 'Identifier'
    ? loaded.callee
    : undefined;
}

/** Whether a node is the name that a statement declares: `var import_x;`. */
function isDeclared(node: AnyNode, parent: AnyNode | undefined): boolean {
  return parent?.type === 'VariableDeclarator' && parent.id === node;
}

/** Whether a node is a name of a property, and no use of a variable. */
function isKey(node: AnyNode, parent: AnyNode | undefined): boolean {
  if (parent?.type === 'MemberExpression') return parent.property === node && !parent.computed;
  return (
    (parent?.type === 'Property' ||
      parent?.type === 'MethodDefinition' ||
      parent?.type === 'PropertyDefinition') &&
    parent.key === node &&
    !parent.computed &&
    !(parent.type === 'Property' && parent.shorthand)
  );
}

/** `x` of `import_a.x` and `import_a["x"]`. */
function memberOf(node: AnyNode, parent: AnyNode | undefined): string | undefined {
  if (parent?.type !== 'MemberExpression' || parent.object !== node) return undefined;
  const { property, computed } = parent;
  if (!computed) return property.type === 'Identifier' ? property.name : undefined;
  return property.type === 'Literal' && typeof property.value === 'string'
    ? property.value
    : undefined;
}
