import type { AnyNode, Program } from 'acorn';
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

/**
 * The exports that a text from esbuild uses of the ES modules of other units, by file. A file that is absent may be
 * used as a whole. Names are compared without their scopes, so too many may be found, and never too few.
 */
export function findLinkedNames(
  program: Program,
  walk: Walk,
): ReadonlyMap<string, ReadonlySet<string>> {
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
  const found = new Map<string, Set<string>>(
    [...loaders.values()].map((file) => [file, new Set()]),
  );
  if (loaders.size === 0) return found;
  const whole = new Set<string>();
  /** The files, by the variables that have their exports. */
  const namespaces = new Map<string, string>();
  /** The nodes that load a file into such a variable. */
  const explained = new Set<AnyNode>();
  enterAll(walk, (node) => {
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
  for (const file of whole) found.delete(file);
  return found;
}

function fileOf(path: string | undefined): string | undefined {
  return path?.startsWith('link:') === true && path.endsWith(LINKED_MODULE)
    ? path.slice('link:'.length, -LINKED_MODULE.length)
    : undefined;
}

/** `require_x` of `__toESM(require_x())`. */
function loaderIn(
  value: AnyNode | null | undefined,
): (AnyNode & { readonly type: 'Identifier' }) | undefined {
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
