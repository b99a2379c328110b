import type { AnyNode, CallExpression, Program } from 'acorn';
import type { Edit } from './edits.js';
import { type Walk, enterAll } from './parse.js';

/** The end of the path of a link to an ES module of another unit. */
export const LINKED_MODULE = ' linked module';

/** The start of the path of a module that wraps CommonJS for a Node-style importer. */
const NODE_INTEROP = 'node-interop:';

/**
 * esbuild takes a link for CommonJS, and copies its exports: `__toESM(require_x(), 1)`. The exports of an ES module
 * are a namespace already, with a default of its own, so this pass removes the call.
 */
export function useLinkedNamespaces(program: Program, walk: Walk): Edit[] {
  return conversionsOf(
    program,
    walk,
    (path) => path.startsWith('link:') && path.endsWith(LINKED_MODULE),
  ).flatMap(({ call, loaded }) => [
    { start: call.start, end: loaded.start, text: '' },
    { start: loaded.end, end: call.end, text: '' },
  ]);
}

/**
 * In Node, an ES module that imports a CommonJS module gets `module.exports` as its default, even if
 * `__esModule` is set; other tools give it `exports.default`. esbuild decides by the importer's
 * package, which it cannot see here. So Node-style imports go through a module whose name starts
 * with `node-interop:`, and this pass adds the flag that makes esbuild's `__toESM` follow Node.
 */
export function callNodeInterop(program: Program, walk: Walk): Edit[] {
  return conversionsOf(program, walk, (path) => path.startsWith(NODE_INTEROP))
    .filter(({ call }) => call.arguments.length === 1)
    .map(({ loaded: { end } }) => ({ start: end, end, text: ', 1' }));
}

/** The calls `__toESM(require_x())` for the CommonJS modules with such paths. */
function conversionsOf(
  program: Program,
  walk: Walk,
  isWanted: (path: string) => boolean,
): readonly { readonly call: CallExpression; readonly loaded: CallExpression }[] {
  const loaders = new Set(
    program.body.flatMap((statement) =>
      statement.type === 'VariableDeclaration'
        ? statement.declarations.flatMap(({ id, init }) => {
            const path = pathOfModule(init);
            return id.type === 'Identifier' && path !== undefined && isWanted(path)
              ? [id.name]
              : [];
          })
        : [],
    ),
  );
  if (loaders.size === 0) return [];
  const found: { call: CallExpression; loaded: CallExpression }[] = [];
  enterAll(walk, (node) => {
    if (node.type !== 'CallExpression' || !isNamed(node.callee, '__toESM')) return;
    const [loaded] = node.arguments;
    if (loaded?.type !== 'CallExpression') return;
    if (loaded.callee.type === 'Identifier' && loaders.has(loaded.callee.name)) {
      found.push({ call: node, loaded });
    }
  });
  return found;
}

/** The path of a module that esbuild wrapped: `__commonJS({ "path"(exports, module) { … } })`. */
export function pathOfModule(init: AnyNode | null | undefined): string | undefined {
  if (init?.type !== 'CallExpression' || !isNamed(init.callee, '__commonJS')) return undefined;
  const [modules] = init.arguments;
  const [first] = modules?.type === 'ObjectExpression' ? modules.properties : [];
  return first?.type === 'Property' &&
    first.key.type === 'Literal' &&
    typeof first.key.value === 'string'
    ? first.key.value
    : undefined;
}

function isNamed(node: AnyNode, name: string): boolean {
  return node.type === 'Identifier' && node.name === name;
}
