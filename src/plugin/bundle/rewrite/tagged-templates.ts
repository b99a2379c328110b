import type { TaggedTemplateExpression } from 'acorn';
import { lineBreaks, type Edit } from './edits.js';
import { quote } from './suspicions.js';

/**
 * Writes a tagged template as the call that it is, so that its texts can be written with escapes
 * although the tag sees them raw:
 *
 * ```
 *   tag`a${x}b`   →   (tag(site ??= template(["a", "b"], ["a", "b"]), (x)))
 * ```
 *
 * `site` is a variable of the bundle that is this template's alone: a tag gets the same strings
 * object every time, and some use it as a key.
 */
export function callTag(
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

/** The function `template` of the above, as source text on one line. */
export function templateMaker(name: string): string {
  return (
    `const ${name} = (cooked, raw) => ` +
    `Object.freeze(Object.defineProperty(cooked, 'raw', { value: Object.freeze(raw) }));`
  );
}
