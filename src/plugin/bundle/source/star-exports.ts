import type { ExportAllDeclaration, ExportNamedDeclaration, Pattern, Program } from 'acorn';
import { parseSource } from '../rewrite/parse.js';
import { isEsModule } from './module-syntax.js';

/** The modules around those whose exports are named. */
export interface StarSources {
  /** The text of a file. */
  readonly read: (file: string) => string;
  /** The file of a static import, if it has one. */
  readonly resolve: (specifier: string, importer: string) => string | undefined;
  /** Whether the exports of a file are named where another file exports all of them. */
  readonly isNamed: (file: string, importer: string) => boolean;
}

/**
 * Replaces `export * from` by the names that the other module exports, so that a bundler sees which of them are used
 * although that module is not in its bundle. Lines stay the same. Where names are not known, or two modules export
 * the same one, the text stays as it is.
 */
export function nameStarExports(file: string, text: string, sources: StarSources): string {
  if (!STAR.test(text) || !isEsModule(file, text)) return text;
  const program = parse(text);
  if (program === undefined) return text;
  const targets = starsOf(program).map((star) => ({
    ...star,
    target: targetOf(star, file, sources),
  }));
  if (!targets.some(({ target }) => target !== undefined && sources.isNamed(target, file))) {
    return text;
  }
  const own = namesOf(program, []);
  const known = new Map<string, Names>([[file, undefined]]);
  const found = new Map<string, number>();
  const stars = targets.map((star) => {
    const { target } = star;
    const names = target === undefined ? undefined : exportsOf(target, sources, known);
    for (const name of names ?? []) found.set(name, (found.get(name) ?? 0) + 1);
    return { ...star, names };
  });
  // Names that are not known may be the same as known ones.
  if (own === undefined || stars.some(({ names }) => names === undefined)) return text;
  let named = text;
  for (const { start, end, specifier, target, names } of stars.toReversed()) {
    if (target === undefined || names === undefined || !sources.isNamed(target, file)) continue;
    const visible = [...names].filter((name) => !own.has(name));
    if (visible.some((name) => found.get(name) !== 1)) continue;
    const lines = '\n'.repeat(text.slice(start, end).split('\n').length - 1);
    named = `${named.slice(0, start)}export { ${visible.join(', ')} } from ${JSON.stringify(specifier)};${lines}${named.slice(end)}`;
  }
  return named;
}

const STAR = /\bexport\s*\*\s*from\b/;

/** The names that a module exports besides the default. `undefined`: they are not known. */
type Names = ReadonlySet<string> | undefined;

/** Each module is read once. */
function exportsOf(file: string, sources: StarSources, known: Map<string, Names>): Names {
  if (known.has(file)) return known.get(file);
  // Those of a module in a cycle are not known.
  known.set(file, undefined);
  const names = readExports(file, sources, known);
  known.set(file, names);
  return names;
}

function readExports(file: string, sources: StarSources, known: Map<string, Names>): Names {
  const text = sources.read(file);
  if (!/\.m?js$/.test(file) || !isEsModule(file, text)) return undefined;
  const program = parse(text);
  if (program === undefined) return undefined;
  const stars = starsOf(program).map((star) => {
    const target = targetOf(star, file, sources);
    return target === undefined ? undefined : exportsOf(target, sources, known);
  });
  return namesOf(program, stars);
}

/** The names that a module exports itself, and those of its stars. */
function namesOf(
  program: Program,
  stars: readonly (ReadonlySet<string> | undefined)[],
): ReadonlySet<string> | undefined {
  const own = new Set<string>();
  for (const statement of program.body) {
    if (statement.type === 'ExportNamedDeclaration') {
      const names = namesIn(statement);
      if (names === undefined) return undefined;
      for (const name of names) own.add(name);
    }
    if (statement.type === 'ExportAllDeclaration' && statement.exported != null) {
      if (statement.exported.type !== 'Identifier') return undefined;
      own.add(statement.exported.name);
    }
  }
  const all = new Set(own);
  for (const star of stars) {
    if (star === undefined) return undefined;
    for (const name of star) {
      // Two modules may export one name, which is then of neither.
      if (all.has(name) && !own.has(name)) return undefined;
      all.add(name);
    }
  }
  all.delete('default');
  return all;
}

function namesIn({
  declaration,
  specifiers,
}: ExportNamedDeclaration): readonly string[] | undefined {
  if (declaration == null) {
    const names = specifiers.map(({ exported }) =>
      exported.type === 'Identifier' ? exported.name : undefined,
    );
    return names.every((name) => name !== undefined) ? names : undefined;
  }
  if (declaration.type === 'VariableDeclaration') {
    return declaration.declarations.flatMap(({ id }) => boundBy(id));
  }
  return [declaration.id.name];
}

/** The names that a pattern declares. */
function boundBy(pattern: Pattern): readonly string[] {
  switch (pattern.type) {
    case 'Identifier':
      return [pattern.name];
    case 'ObjectPattern':
      return pattern.properties.flatMap((property) =>
        boundBy(property.type === 'RestElement' ? property.argument : property.value),
      );
    case 'ArrayPattern':
      return pattern.elements.flatMap((element) => (element === null ? [] : boundBy(element)));
    case 'AssignmentPattern':
      return boundBy(pattern.left);
    case 'RestElement':
      return boundBy(pattern.argument);
    case 'MemberExpression':
      return [];
  }
}

interface Star {
  readonly start: number;
  readonly end: number;
  /** `undefined`: it has attributes, so what it imports may be no code. */
  readonly specifier: string | undefined;
}

function targetOf(
  { specifier }: Star,
  importer: string,
  { resolve }: StarSources,
): string | undefined {
  return specifier === undefined ? undefined : resolve(specifier, importer);
}

function starsOf(program: Program): readonly Star[] {
  return program.body.flatMap((statement) =>
    statement.type === 'ExportAllDeclaration' && statement.exported == null
      ? [
          {
            start: statement.start,
            end: statement.end,
            specifier: (statement.attributes ?? []).length > 0 ? undefined : specifierOf(statement),
          },
        ]
      : [],
  );
}

function specifierOf({ source }: ExportAllDeclaration): string | undefined {
  return typeof source.value === 'string' ? source.value : undefined;
}

function parse(text: string): Program | undefined {
  try {
    return parseSource(text, { tokens: false }).program;
  } catch {
    return undefined;
  }
}
