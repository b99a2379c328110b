import { readdirSync, readFileSync } from 'node:fs';
import { join, posix, relative, sep } from 'node:path';
import { parseSync } from 'oxc-parser';

export const ROOT: string = join(import.meta.dirname, '../..');

export interface SourceFile {
  /** Relative to the repository, with forward slashes. */
  readonly path: string;
  readonly lines: number;
  /** What it imports: repository paths for files of ours, specifiers for everything else. */
  readonly imports: readonly string[];
  /** Names of properties read off the global `process`. */
  readonly processUses: readonly string[];
}

/** Every TypeScript file below the given folders of the repository. */
export function readSources(...folders: readonly string[]): SourceFile[] {
  return folders.flatMap((folder) => list(folder)).map((path) => readSource(path));
}

export function readText(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

function list(folder: string): string[] {
  return (
    readdirSync(join(ROOT, folder), { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
      // bench/ may have peers installed.
      .filter(({ parentPath }) => !parentPath.split(sep).includes('node_modules'))
      .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
  );
}

function readSource(path: string): SourceFile {
  const text = readText(path);
  const { program, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`);
  const imports = new Set<string>();
  const processUses = new Set<string>();
  visit(program, (node) => {
    const specifier = specifierOf(node);
    if (specifier !== undefined) imports.add(resolve(path, specifier));
    if (node['type'] === 'MemberExpression' && name(node['object']) === 'process') {
      processUses.add(name(node['property']) ?? '?');
    }
  });
  return {
    path,
    lines: text.split('\n').length - 1,
    imports: [...imports],
    processUses: [...processUses],
  };
}

type Node = Readonly<Record<string, unknown>>;

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null;
}

function visit(value: unknown, see: (node: Node) => void): void {
  if (!isNode(value)) return;
  if (typeof value['type'] === 'string') see(value);
  for (const child of Object.values(value)) visit(child, see);
}

/** What a node imports: static, re-exported, dynamic, or as a type (`import('./x.js').T`). */
function specifierOf(node: Node): string | undefined {
  switch (node['type']) {
    case 'ImportDeclaration':
    case 'ExportNamedDeclaration':
    case 'ExportAllDeclaration':
    case 'ImportExpression':
    case 'TSImportType':
      return literal(node['source']);
    default:
      return undefined;
  }
}

function literal(node: unknown): string | undefined {
  return isNode(node) && typeof node['value'] === 'string' ? node['value'] : undefined;
}

function name(node: unknown): string | undefined {
  return isNode(node) && typeof node['name'] === 'string' ? node['name'] : undefined;
}

function resolve(from: string, specifier: string): string {
  if (!specifier.startsWith('.')) return specifier;
  return posix.join(posix.dirname(from), specifier).replace(/\.js$/, '.ts');
}
