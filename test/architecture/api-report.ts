import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseSync } from 'oxc-parser';
import { readText, ROOT } from './sources.js';

/** The entry points of the package that have types of their own, by specifier. */
export const entryPoints: readonly { readonly specifier: string; readonly types: string }[] =
  Object.entries(
    (JSON.parse(readText('package.json')) as { exports: Record<string, unknown> }).exports,
  ).flatMap(([path, target]) => {
    const types = (target as { types?: string }).types;
    return types?.startsWith('./dist/') === true
      ? [{ specifier: path.replace('.', 'bulkhead'), types }]
      : [];
  });

/** Every export of an entry point with its declaration, as built, without comments. */
export function apiReport(types: string): string {
  const declarations = exportsOf(join(ROOT, types));
  return [...declarations.keys()]
    .toSorted()
    .map((name) => `${declarations.get(name)}\n`)
    .join('\n');
}

type Declarations = Map<string, string>;

const known = new Map<string, Declarations>();

function exportsOf(path: string): Declarations {
  const found = known.get(path);
  if (found !== undefined) return found;
  const all: Declarations = new Map();
  known.set(path, all);
  const source = readFileSync(path, 'utf8');
  const { program, comments } = parseSync(path, source);
  const textOf = ({ start, end }: Span): string =>
    withoutComments(source, comments, { start, end })
      .replaceAll(/^\s*\n/gm, '')
      .trim();
  for (const statement of program.body) {
    if (statement.type !== 'ExportNamedDeclaration') continue;
    const { declaration, source: from, specifiers } = statement;
    if (declaration !== null) {
      for (const name of namesOf(declaration)) all.set(name, textOf(statement));
    }
    for (const { local, exported } of specifiers) {
      if (from === null || local.type !== 'Identifier' || exported.type !== 'Identifier') continue;
      const target = declarationOf(path, from.value)?.get(local.name);
      const renamed = local.name === exported.name ? '' : `// as ${exported.name}\n`;
      all.set(exported.name, `${renamed}${target ?? `${exported.name} from '${from.value}'`}`);
    }
  }
  return all;
}

interface Span {
  readonly start: number;
  readonly end: number;
}

function declarationOf(from: string, specifier: string): Declarations | undefined {
  const path = resolve(dirname(from), specifier.replace(/\.js$/, '.d.ts'));
  return specifier.startsWith('.') && existsSync(path) ? exportsOf(path) : undefined;
}

function namesOf(declaration: object): string[] {
  const { id, declarations = [] } = declaration as {
    id?: { name?: string } | null;
    declarations?: readonly { id: { name?: string } }[];
  };
  return [id, ...declarations.map((one) => one.id)].flatMap((one) => one?.name ?? []);
}

function withoutComments(source: string, comments: readonly Span[], { start, end }: Span): string {
  let text = '';
  let at = start;
  for (const comment of comments) {
    if (comment.start < at || comment.end > end) continue;
    text += source.slice(at, comment.start);
    at = comment.end;
  }
  return text + source.slice(at, end);
}
