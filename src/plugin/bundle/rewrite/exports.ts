import type { AnyNode, Program } from 'acorn';
import type { Edit } from './edits.js';

/** The one name under which the entry's namespace leaves a bundle. */
export const NAMESPACE_EXPORT = 'namespace';

/** Turns the export statement that esbuild wrote into the return of the entry's exports, after `closing`. */
export function returnExports(program: Program, closing: string): Edit[] {
  const edits = program.body.flatMap((statement) => {
    if (statement.type !== 'ExportNamedDeclaration') return [];
    const specifier = statement.specifiers.find(
      ({ exported }) => nameOf(exported) === NAMESPACE_EXPORT,
    );
    if (specifier === undefined) return [];
    const { start, end } = statement;
    return [{ start, end, text: `${closing}return ${nameOf(specifier.local)};` }];
  });
  if (edits.length !== 1) throw new Error('a bundle without exactly one export');
  return edits;
}

function nameOf(node: AnyNode): string | undefined {
  return node.type === 'Identifier' ? node.name : undefined;
}
