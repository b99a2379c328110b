import type { AnyNode, Program } from 'acorn';
import type { Edit } from './edits.js';
import { enterAll, type Walk } from './walk.js';

/** What the names of modules begin with that stand between a Node-style importer and CommonJS. */
export const NODE_INTEROP = 'node-interop:';

/**
 * In Node, an ES module that imports a CommonJS one gets `module.exports` as its default, even
 * where that has `__esModule` set; everywhere else it gets `exports.default`. esbuild decides by
 * the importer's package, which it cannot see here. So imports of the first kind go through a
 * module that re-exports the real one under a telling name, and this pass adds the flag with which
 * esbuild's own `__toESM` follows Node.
 */
export function callNodeInterop(program: Program, walk: Walk): Edit[] {
  const loaders = new Set<string>();
  for (const statement of program.body) {
    if (statement.type !== 'VariableDeclaration') continue;
    for (const { id, init } of statement.declarations) {
      if (id.type === 'Identifier' && isInteropModule(init)) loaders.add(id.name);
    }
  }
  if (loaders.size === 0) return [];
  const edits: Edit[] = [];
  enterAll(walk, (node) => {
    if (node.type !== 'CallExpression' || !isNamed(node.callee, '__toESM')) return;
    const [loaded, ...more] = node.arguments;
    if (loaded?.type !== 'CallExpression' || more.length > 0) return;
    if (loaded.callee.type === 'Identifier' && loaders.has(loaded.callee.name)) {
      edits.push({ start: loaded.end, end: loaded.end, text: ', 1' });
    }
  });
  return edits;
}

/** `__commonJS({ "node-interop:…"(exports, module) { … } })` */
function isInteropModule(init: AnyNode | null | undefined): boolean {
  if (init?.type !== 'CallExpression' || !isNamed(init.callee, '__commonJS')) return false;
  const [modules] = init.arguments;
  const [first] = modules?.type === 'ObjectExpression' ? modules.properties : [];
  return (
    first?.type === 'Property' &&
    first.key.type === 'Literal' &&
    typeof first.key.value === 'string' &&
    first.key.value.startsWith(NODE_INTEROP)
  );
}

function isNamed(node: AnyNode, name: string): boolean {
  return node.type === 'Identifier' && node.name === name;
}
