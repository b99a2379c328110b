import type { AnyNode, Token } from 'acorn';
import type { Edit } from './edits.js';
import type { Fresh, Rewriting } from './rewriting.js';
import {
  escapeInLiteral,
  escapeInName,
  findSuspicions,
  quote,
  tokenAt,
  type Suspicion,
} from './suspicions.js';
import { callTag, templateMaker } from './tagged-templates.js';
import { enterAll, type Walk } from './walk.js';

/**
 * Writes differently what SES's evaluator refuses, token by token, so that the text means what it
 * meant. `text` has no comments.
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
      // What is known of `import.meta` was put in file by file; this is what no file has.
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
      // Spaced, so that it does not run into a keyword: `case/x/` is valid.
      const made = ` (new ${regExp}(${quote(pattern)}, ${quote(flags)}))`;
      edits.push({ start: node.start, end: node.end, text: made });
    }
  });
  if (template !== undefined) prelude.push(templateMaker(template));
  // A literal knows its constructor whatever the plugin calls RegExp.
  if (regExp !== undefined) prelude.push(`const ${regExp} = globalThis.RegExp;`);

  for (const suspicion of suspicions) {
    const edit = editOfToken(text, suspicion, tokenAt(tokens, suspicion.at));
    if (edit !== undefined) edits.push(edit);
  }
  return { edits, prelude };
}

/** `import(x)` becomes a call of ours; `eval(x)`, which SES makes indirect anyway, says so. */
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
      // Rewritten as a whole, by node.
      return undefined;
    default: {
      // `a<!--b` and `n-->0` are operators in a row.
      const end = kind === 'html comment' && token !== undefined ? token.end : at;
      return { start: end, end, text: ' ' };
    }
  }
}

/** Whether one of them lies in a range, by bisection. */
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
