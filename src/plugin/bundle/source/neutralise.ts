import type { AnyNode, Comment, Expression, SpreadElement } from 'acorn';
import { type Edit, applyEdits, blank } from '../rewrite/edits.js';
import { enterAll, parseSource } from '../rewrite/parse.js';

/**
 * Removes everything from a JavaScript text that makes esbuild read the disk (see `isPlain`):
 * comments that name a source map, and imports with a computed target. Lines do not move. Throws
 * acorn's SyntaxError.
 */
export function neutralise(text: string): string {
  const { walk, comments } = parseSource(text, { tokens: false });
  // guard: source-map-comment-blanked
  const edits: Edit[] = comments.filter(namesSourceMap).map(({ start, end }) => ({
    start,
    end,
    text: blank(text.slice(start, end)),
  }));
  enterAll(walk, (node) => {
    if (node.type === 'ImportExpression') edits.push(...neutraliseImport(node, text));
    else if (node.type === 'CallExpression' && isRequire(node.callee)) {
      edits.push(...neutraliseRequire(node.callee, node.arguments));
    }
  });
  return applyEdits(text, edits);
}

function namesSourceMap({ value }: Comment): boolean {
  return value.includes('sourceMappingURL=');
}

function neutraliseImport(
  node: { readonly start: number; readonly source: Expression },
  text: string,
): Edit[] {
  if (isLiteralTarget(node.source)) return [];
  const folded = foldText(node.source);
  if (folded !== undefined) return [replaceBy(node.source, folded)];
  // Replaces only the word: comments before the parenthesis and the arguments stay.
  const end = node.start + 'import'.length;
  return text.slice(node.start, end) === 'import'
    ? [{ start: node.start, end, text: '$bulkhead.importRefused' }]
    : [];
}

function neutraliseRequire(
  callee: Expression,
  [target, ...more]: readonly (Expression | SpreadElement)[],
): Edit[] {
  if (target === undefined || (more.length === 0 && isLiteralTarget(target))) return [];
  const folded = more.length === 0 ? foldText(target) : undefined;
  if (folded !== undefined) return [replaceBy(target, folded)];
  // `(0, require)(…)` is not a direct call of `require`: esbuild leaves it to run time.
  return [
    { start: callee.start, end: callee.start, text: '(0, ' },
    { start: callee.end, end: callee.end, text: ')' },
  ];
}

/**
 * Whether esbuild may read an expression as `require`: the name, or `module.require` as a member or
 * an index. It folds constants, so either may be an operand: `(true && module)['req' + 'uire']`.
 */
function isRequire(node: AnyNode): node is Expression & AnyNode {
  return operandsOf(node).some((callee) => {
    if (callee.type === 'Identifier') return callee.name === 'require';
    if (callee.type !== 'MemberExpression') return false;
    // guard: aliased-require-found
    if (!operandsOf(callee.object).some(isModule)) return false;
    const { property, computed } = callee;
    if (!computed) return property.type === 'Identifier' && property.name === 'require';
    return !(property.type === 'Literal' && property.value !== 'require');
  });
}

function isModule(node: AnyNode): boolean {
  return node.type === 'Identifier' && node.name === 'module';
}

/** The possible values of a choice or a sequence; any other expression is its own value. */
function operandsOf(node: AnyNode): readonly AnyNode[] {
  if (node.type === 'LogicalExpression') {
    return [...operandsOf(node.left), ...operandsOf(node.right)];
  }
  if (node.type === 'ConditionalExpression') {
    return [...operandsOf(node.consequent), ...operandsOf(node.alternate)];
  }
  return node.type === 'SequenceExpression'
    ? node.expressions.slice(-1).flatMap(operandsOf)
    : [node];
}

/** Whether esbuild passes the target to `pluginSources` unchanged. */
function isLiteralTarget(node: AnyNode): boolean {
  if (node.type === 'ConditionalExpression') {
    return isLiteralTarget(node.consequent) && isLiteralTarget(node.alternate);
  }
  return node.type === 'Literal' && typeof node.value === 'string';
}

/** The text of a concatenation of literals. */
function foldText(node: AnyNode): string | undefined {
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : undefined;
  if (node.type === 'TemplateLiteral') {
    const [only, ...more] = node.quasis;
    return more.length === 0 ? (only?.value.cooked ?? undefined) : undefined;
  }
  if (node.type !== 'BinaryExpression' || node.operator !== '+') return undefined;
  const left = foldText(node.left);
  const right = foldText(node.right);
  return left === undefined || right === undefined ? undefined : left + right;
}

function replaceBy(node: AnyNode, text: string): Edit {
  return { start: node.start, end: node.end, text: JSON.stringify(text) };
}

/**
 * Whether a source text certainly contains nothing that makes esbuild read the disk itself. Two
 * things do, and both reach the whole disk of the host:
 *
 * - `import('./a/' + b)`, `require('./a/' + b)` and `module.require('./a/' + b)`: esbuild searches
 *   the directory for matching files;
 * - `//# sourceMappingURL=file:///…`: esbuild reads the file.
 *
 * This is a text search, so that most files are not parsed twice. A text that it does not recognise
 * as harmless is parsed.
 */
export function isPlain(text: string): boolean {
  return (
    !text.includes('sourceMappingURL=') &&
    !ESCAPED_LETTER.test(text) &&
    everyMatch(text, IMPORT_WORD, PLAIN_IMPORT) &&
    everyMatch(text, REQUIRE_WORD, PLAIN_REQUIRE) &&
    // guard: module-require-spelled-plainly
    everyMatch(text, MODULE_WORD, PLAIN_MODULE)
  );
}

/** `\u0072equire` is `require`. In a string it is harmless, but only a parser can tell. */
const ESCAPED_LETTER = /\\u(?:\{0*[4-7][0-9a-fA-F]\}|00[4-7][0-9a-fA-F])/;

const IMPORT_WORD = /import/g;
const REQUIRE_WORD = /require/g;
const MODULE_WORD = /module/g;

/** A declaration, `import.meta`, the import of a literal, or part of a longer word. */
const PLAIN_IMPORT = /\s*(?:[\w$"'{*,;:)]|\.\s*meta\b|\(\s*(?:"[^"\\\n]*"|'[^'\\\n]*')\s*\))/y;
/** The require of a literal, the start of a longer word, or a use that is not a call. */
const PLAIN_REQUIRE = /[\w$]|["'=,;.]|\s*\(\s*(?:"[^"\\\n]*"|'[^'\\\n]*')\s*\)/y;
/**
 * The start of a longer word, `module.exports`, the end of a string (usually a file's name), or a
 * word of prose. Any other member may be `require`: `module['req' + 'uire']`.
 */
const PLAIN_MODULE = /[\w$]|\s*\.\s*exports\b|(?:\.[cm]?[jt]sx?)?["']|[,;]|\s+[A-Za-z]/y;

function everyMatch(text: string, word: RegExp, plain: RegExp): boolean {
  for (const match of text.matchAll(word)) {
    plain.lastIndex = match.index + match[0].length;
    if (!plain.test(text)) return false;
  }
  return true;
}
