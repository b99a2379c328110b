import type { AnyNode, TaggedTemplateExpression, Token } from 'acorn';
import { type Edit, type Fresh, type Rewriting, lineBreaks } from './edits.js';
import { type Walk, enterAll } from './parse.js';

/**
 * Rewrites the tokens that SES's evaluator refuses, without changing the meaning. `text` must have
 * no comments.
 */
export function makeSesSafe(
  source: { readonly text: string; readonly walk: Walk; readonly tokens: readonly Token[] },
  fresh: Fresh,
): Rewriting {
  const { text, walk, tokens } = source;
  const suspicions = findSuspicions(text);
  const isSuspicious = ({ start, end }: { start: number; end: number }): boolean =>
    hasWithin(suspicions, start, end);
  const edits: Edit[] = [];
  const prelude: string[] = [];
  let regExp: string | undefined;
  let template: string | undefined;

  enterAll(walk, (node) => {
    const edit = editOfCall(node);
    if (edit !== undefined) edits.push(edit);
    else if (node.type === 'MetaProperty' && node.meta.name === 'import') {
      // `describeModule` declared `import.meta` for each file that uses it; others get an empty one.
      edits.push({ start: node.start, end: node.end, text: '({})' });
    } else if (node.type === 'TaggedTemplateExpression' && node.quasi.quasis.some(isSuspicious)) {
      template ??= fresh('template');
      const site = fresh('site');
      prelude.push(`let ${site};`);
      edits.push(...callTag(node, text, { site, template }));
    } else if (node.type === 'Literal' && 'regex' in node && node.regex) {
      if (!isSuspicious(node)) return;
      regExp ??= fresh('RegExp');
      const { pattern, flags } = node.regex;
      // The space separates it from a keyword: `case/x/` is valid.
      const call = ` (new ${regExp}(${quote(pattern)}, ${quote(flags)}))`;
      edits.push({ start: node.start, end: node.end, text: call });
    }
  });
  if (template !== undefined) prelude.push(templateMaker(template));
  // A literal uses the intrinsic even if the plugin declares its own RegExp.
  if (regExp !== undefined) prelude.push(`const ${regExp} = globalThis.RegExp;`);

  for (const suspicion of suspicions) {
    const edit = editOfToken(text, suspicion, tokenAt(tokens, suspicion.at));
    if (edit !== undefined) edits.push(edit);
  }
  return { edits, prelude };
}

/** Replaces `import(x)` by `$bulkhead.importRefused`, and makes `eval(x)` indirect, as SES does. */
function editOfCall(node: AnyNode): Edit | undefined {
  if (node.type === 'ImportExpression') {
    return {
      start: node.start,
      end: node.start + 'import'.length,
      text: '$bulkhead.importRefused',
    };
  }
  if (node.type === 'CallExpression' && isEval(node.callee)) {
    return { start: node.callee.start, end: node.callee.end, text: '(0, eval)' };
  }
  return undefined;
}

function isEval(callee: AnyNode): boolean {
  return callee.type === 'Identifier' && callee.name === 'eval';
}

function editOfToken(
  text: string,
  { at, kind }: Suspicion,
  token: Token | undefined,
): Edit | undefined {
  switch (token?.type.label) {
    case 'string':
    case 'template':
      return escapeInLiteral(text, at);
    case 'name':
    case 'privateId':
      return escapeInName(text, at);
    case 'regexp':
    case 'import':
    case undefined:
      // Rewritten as a whole node.
      return undefined;
    default: {
      // `a<!--b` and `n-->0` are sequences of operators.
      const end = kind === 'html comment' && token !== undefined ? token.end : at;
      return { start: end, end, text: ' ' };
    }
  }
}

/** Whether a suspicion is in a range, by bisection. */
function hasWithin(suspicions: readonly Suspicion[], start: number, end: number): boolean {
  let low = 0;
  let high = suspicions.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((suspicions[middle]?.at ?? end) < start) low = middle + 1;
    else high = middle;
  }
  return (suspicions[low]?.at ?? end) < end;
}

/**
 * A place where SES's evaluator would refuse the text. SES searches with regular expressions, so
 * strings, comments and property names count too. The patterns below find a superset of SES's own
 * and of those of Bulkhead's compartment (`import.source(`).
 */
interface Suspicion {
  /** Offset of the character to change: the first of `<!--`, of `-->`, of `import`, of `eval`. */
  readonly at: number;
  readonly kind: 'html comment' | 'import' | 'eval';
}

const PATTERNS: readonly (readonly [Suspicion['kind'], RegExp])[] = [
  // Lookaheads, so that `<!-->` counts as both.
  ['html comment', /<(?=!--)|-(?=->)/g],
  ['import', /\bimport(?=\s*(?:[(.]|\/[/*]))/g],
  ['eval', /(?<!\.)\beval(?=\s*\()/g],
];

export function findSuspicions(text: string): Suspicion[] {
  return PATTERNS.flatMap(([kind, pattern]) =>
    [...text.matchAll(pattern)].map(({ index }) => ({ at: index, kind })),
  ).toSorted((a, b) => a.at - b.at);
}

/** The token at an offset, by bisection. */
function tokenAt(tokens: readonly Token[], offset: number): Token | undefined {
  let low = 0;
  let high = tokens.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const token = tokens[middle];
    if (token === undefined || token.start > offset) high = middle - 1;
    else if (token.end <= offset) low = middle + 1;
    else return token;
  }
  return undefined;
}

/** Escapes one character of a string, or of a template whose raw text is not used. */
function escapeInLiteral(text: string, at: number): Edit {
  const escape = `\\x${text.charCodeAt(at).toString(16).padStart(2, '0')}`;
  // `\i` is `i`: its backslash is replaced too, because it would escape the new one.
  const start = precedingBackslashes(text, at) % 2 === 1 ? at - 1 : at;
  return { start, end: at + 1, text: escape };
}

/** Escapes the first letter of a name, which hides it from a text search only. */
function escapeInName(text: string, at: number): Edit {
  const escape = `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`;
  return { start: at, end: at + 1, text: escape };
}

/** A string literal of the value, without suspicious text. */
function quote(value: string): string {
  const literal = JSON.stringify(value).replace(/[\u2028\u2029]/g, (character) =>
    character === '\u2028' ? '\\u2028' : '\\u2029',
  );
  let safe = '';
  let at = 0;
  for (const suspicion of findSuspicions(literal)) {
    const edit = escapeInLiteral(literal, suspicion.at);
    safe += literal.slice(at, edit.start) + edit.text;
    at = edit.end;
  }
  return safe + literal.slice(at);
}

function precedingBackslashes(text: string, at: number): number {
  let count = 0;
  while (text[at - 1 - count] === '\\') count += 1;
  return count;
}

/**
 * Rewrites a tagged template as a call, so that its texts can have escapes although the tag gets
 * them raw:
 *
 * ```
 *   tag`a${x}b`   →   (tag(site ??= template(["a", "b"], ["a", "b"]), (x)))
 * ```
 *
 * `site` is a variable of the bundle for this template only. A tag gets the same strings object
 * every time, and some tags use it as a key.
 */
function callTag(
  node: TaggedTemplateExpression,
  text: string,
  names: { readonly site: string; readonly template: string },
): Edit[] {
  const { quasis, expressions } = node.quasi;
  const cooked = quasis.map(({ value }) =>
    typeof value.cooked === 'string' ? quote(value.cooked) : 'void 0',
  );
  const raw = quasis.map(({ value }) => quote(value.raw));
  const strings = `${names.site} ??= ${names.template}([${cooked.join(', ')}], [${raw.join(', ')}])`;

  const edits: Edit[] = [{ start: node.start, end: node.start, text: '(' }];
  let at = node.tag.end;
  expressions.forEach((expression, index) => {
    const between = lineBreaks(text.slice(at, expression.start));
    edits.push({
      start: at,
      end: expression.start,
      text: index === 0 ? `(${strings}${between}, (` : `)${between}, (`,
    });
    at = expression.end;
  });
  const rest = lineBreaks(text.slice(at, node.end));
  edits.push({
    start: at,
    end: node.end,
    text: expressions.length === 0 ? `(${strings}${rest}))` : `)${rest}))`,
  });
  return edits;
}

/** The function `template` above, as source text on one line. */
function templateMaker(name: string): string {
  return (
    `const ${name} = (cooked, raw) => ` +
    `Object.freeze(Object.defineProperty(cooked, 'raw', { value: Object.freeze(raw) }));`
  );
}
