import type { AnyNode, Comment, Expression, SpreadElement } from 'acorn';
import { applyEdits, blank, type Edit } from '../rewrite/edits.js';
import { parseSource } from '../rewrite/parse.js';
import { enterAll } from '../rewrite/walk.js';

/**
 * Takes from a JavaScript text what esbuild would look at the disk for (see `isPlain`): comments
 * that name a source map, and imports whose target is computed. The text keeps its lines.
 * Throws acorn's SyntaxError.
 */
export function neutralise(text: string): string {
  const { walk, comments } = parseSource(text, { tokens: false });
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
  // What follows `import` up to the parenthesis may hold comments: they stay, as do its arguments.
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
  // No longer a call of `require` itself, whatever that is here; esbuild leaves it to run time.
  return [
    { start: callee.start, end: callee.start, text: '(0, ' },
    { start: callee.end, end: callee.end, text: ')' },
  ];
}

/**
 * What esbuild may take for `require`: that name, or `module.require`, spelled as a member or as an
 * index. It folds constants, so that either may be an operand: `(true && module)['req' + 'uire']`.
 */
function isRequire(node: AnyNode): node is Expression & AnyNode {
  return operandsOf(node).some((callee) => {
    if (callee.type === 'Identifier') return callee.name === 'require';
    if (callee.type !== 'MemberExpression') return false;
    if (!operandsOf(callee.object).some(isModule)) return false;
    const { property, computed } = callee;
    if (!computed) return property.type === 'Identifier' && property.name === 'require';
    return !(property.type === 'Literal' && property.value !== 'require');
  });
}

function isModule(node: AnyNode): boolean {
  return node.type === 'Identifier' && node.name === 'module';
}

/** What a choice or a sequence may give; any other expression gives itself. */
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

/** A target that esbuild hands to us as it is. */
function isLiteralTarget(node: AnyNode): boolean {
  if (node.type === 'ConditionalExpression') {
    return isLiteralTarget(node.consequent) && isLiteralTarget(node.alternate);
  }
  return node.type === 'Literal' && typeof node.value === 'string';
}

/** The text that a concatenation of literals makes. */
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
