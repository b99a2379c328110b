import type { AnyNode, Program } from 'acorn';
import type { Edit } from './edits.js';
import { type Walk, enterAll } from './parse.js';

/** The end of the path of a link to an ES module of another unit. */
export const LINKED_MODULE = ' linked module';

/**
 * esbuild takes a link for CommonJS, and copies its exports: `__toESM(require_x(), 1)`. The exports of an ES module
 * are a namespace already, with a default of its own, so this pass removes the call.
 */
export function useLinkedNamespaces(program: Program, walk: Walk): Edit[] {
  const loaders = new Set(
    program.body.flatMap((statement) =>
      statement.type === 'VariableDeclaration'
        ? statement.declarations.flatMap(({ id, init }) =>
            id.type === 'Identifier' && isLinkedModule(init) ? [id.name] : [],
          )
        : [],
    ),
  );
  if (loaders.size === 0) return [];
  const edits: Edit[] = [];
  enterAll(walk, (node) => {
    if (node.type !== 'CallExpression' || !isNamed(node.callee, '__toESM')) return;
    const [loaded] = node.arguments;
    if (loaded?.type !== 'CallExpression') return;
    if (loaded.callee.type === 'Identifier' && loaders.has(loaded.callee.name)) {
      edits.push({ start: node.start, end: loaded.start, text: '' });
      edits.push({ start: loaded.end, end: node.end, text: '' });
    }
  });
  return edits;
}

/** `__commonJS({ "link:… linked module"(exports, module) { … } })` */
function isLinkedModule(init: AnyNode | null | undefined): boolean {
  if (init?.type !== 'CallExpression' || !isNamed(init.callee, '__commonJS')) return false;
  const [modules] = init.arguments;
  const [first] = modules?.type === 'ObjectExpression' ? modules.properties : [];
  return (
    first?.type === 'Property' &&
    first.key.type === 'Literal' &&
    typeof first.key.value === 'string' &&
    first.key.value.startsWith('link:') &&
    first.key.value.endsWith(LINKED_MODULE)
  );
}

function isNamed(node: AnyNode, name: string): boolean {
  return node.type === 'Identifier' && node.name === name;
}
