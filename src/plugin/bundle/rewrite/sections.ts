import type { Comment, Program } from 'acorn';

/** The end of the path of a generated module that counts as code of dependencies. */
export const IN_PACKAGES = ' in packages';

/** The part of a bundle that contains one module. */
export interface Section {
  readonly start: number;
  readonly end: number;
  /** The module, as esbuild's comment names it: `plugin:src/index.ts`. */
  readonly path: string;
  /** Whether the module is in the plugin's node_modules, or made for code there. */
  readonly isPackage: boolean;
  /** Whether the module is CommonJS, which may be written for sloppy mode. */
  readonly isCommonJs: boolean;
}

export interface Sections {
  at(offset: number): Section | undefined;
}

/** Finds the modules in a bundle by the comments that esbuild writes between its statements. */
export function findSections(program: Program, comments: readonly Comment[]): Sections {
  const marks = comments.filter(({ value }) => /^ [a-z-]+:/.test(value));
  const sections: Section[] = [];
  let next = 0;
  let start = 0;
  let path = '';
  let first: Program['body'][number] | undefined;
  const close = (end: number): void => {
    if (path === '' || end <= start) return;
    const isPackage = /^plugin:(?:.*\/)?node_modules\//.test(path) || path.endsWith(IN_PACKAGES);
    sections.push({ start, end, path, isPackage, isCommonJs: isWrapped(first) });
  };
  for (const statement of program.body) {
    for (
      let mark = marks[next];
      mark !== undefined && mark.start < statement.end;
      mark = marks[next]
    ) {
      next += 1;
      if (mark.start > statement.start) continue;
      close(mark.start);
      start = mark.end;
      path = mark.value.trim();
      first = statement;
    }
  }
  close(program.end);
  return { at: (offset) => bisect(sections, offset) };
}

/** `var require_x = __commonJS({ … })` */
function isWrapped(statement: Program['body'][number] | undefined): boolean {
  if (statement?.type !== 'VariableDeclaration') return false;
  const init = statement.declarations[0]?.init;
  return (
    init?.type === 'CallExpression' &&
    init.callee.type === 'Identifier' &&
    init.callee.name === '__commonJS'
  );
}

function bisect(sections: readonly Section[], offset: number): Section | undefined {
  let low = 0;
  let high = sections.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const section = sections[middle];
    if (section === undefined || section.start > offset) high = middle - 1;
    else if (section.end <= offset) low = middle + 1;
    else return section;
  }
  return undefined;
}
