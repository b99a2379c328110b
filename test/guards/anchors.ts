import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'oxc-parser';

/** A `// guard: <id>` comment, and the part of the source directly below it. */
export interface Anchor {
  readonly id: string;
  /** Relative to the repository, with forward slashes. */
  readonly file: string;
  readonly source: string;
  /** The outermost node that starts below the comment; in a chain, the call. */
  readonly node: Node;
}

export interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

const COMMENT = /^ guard: (.*)$/;
/** The token below a comment that the anchored node does not begin with. */
const BEFORE_NODE = /(?:\s+|\/\/.*|else\b|\?\?|\|\||&&|\?\.|\.(?!\.)|[?:])*/y;

/** Every anchor in the sources of the product. */
export function readAnchors(root: string): Anchor[] {
  return ['sandbox', 'src'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .flatMap((path) => {
        const file = `${folder}/${path}`.replaceAll('\\', '/');
        const source = readFileSync(join(root, file), 'utf8');
        return source.includes('// guard: ') ? anchorsIn(file, source) : [];
      }),
  );
}

export function anchorsIn(file: string, source: string): Anchor[] {
  const { program, comments, errors } = parseSync(file, source);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`);
  return comments.flatMap(({ type, value, end }) => {
    const id = type === 'Line' ? COMMENT.exec(value)?.[1] : undefined;
    if (id === undefined) return [];
    BEFORE_NODE.lastIndex = end;
    BEFORE_NODE.exec(source);
    const start = BEFORE_NODE.lastIndex;
    const isChain = source[start - 1] === '.';
    const node = find(program, (one) =>
      isChain
        ? calleeProperty(one)?.start === start
        : one.type !== 'Program' && one.start === start,
    );
    if (node === undefined) throw new Error(`${file}: nothing to anchor below "guard: ${id}"`);
    return [{ id, file, source, node }];
  });
}

/** The first node in source order, a parent before its children, that fits. */
export function find(
  from: unknown,
  fits: (node: Node) => boolean,
  enter: (node: Node) => boolean = () => true,
): Node | undefined {
  if (isNode(from)) {
    if (fits(from)) return from;
    if (!enter(from)) return undefined;
  } else if (!Array.isArray(from)) {
    return undefined;
  }
  for (const child of Object.values(from)) {
    const found = find(child, fits, enter);
    if (found !== undefined) return found;
  }
  return undefined;
}

export function isNode(value: unknown): value is Node {
  return (
    typeof value === 'object' &&
    value !== null &&
    'type' in value &&
    'start' in value &&
    typeof value.type === 'string'
  );
}

/** `filter` in the call `list.filter(…)`. */
function calleeProperty({ type, callee }: Node): Node | undefined {
  if (type !== 'CallExpression' || !isNode(callee)) return undefined;
  const property = callee['property'];
  return isNode(property) ? property : undefined;
}
