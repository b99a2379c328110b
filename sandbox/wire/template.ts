/** A macro in a template, e.g. `{{calc::2+3}}`. */
export interface TemplateMacro {
  /** As written, braces included. */
  readonly source: string;
  /** In lower case. */
  readonly name: string;
  /** Each may contain macros. */
  readonly args: readonly string[];
  /** Its first character's place in the template. */
  readonly offset: number;
}

/** Nested macros. Stops a template of opening braces. */
const MAX_DEPTH = 20;

const NAME = /^\s*([a-z0-9_.-]{1,128}(?::[a-z0-9_.-]+)*|[():;<>](?=\s*(?:$|::)))/i;

/**
 * The texts and macros of a template, in order. A macro is a name with arguments after `::`, or with
 * words after a space. Braces without a macro are text.
 */
export function parseTemplate(template: string): readonly (string | TemplateMacro)[] {
  const pieces: (string | TemplateMacro)[] = [];
  let at = 0;
  for (let open = template.indexOf('{{'); open !== -1; open = template.indexOf('{{', open)) {
    const end = endOf(template, open);
    const macro = end === undefined ? undefined : readMacro(template, open, end);
    if (macro === undefined) {
      open += 2;
      continue;
    }
    if (open > at) pieces.push(template.slice(at, open));
    pieces.push(macro);
    at = open + macro.source.length;
    open = at;
  }
  if (at < template.length) pieces.push(template.slice(at));
  return pieces;
}

/** The place after the braces that close those at `open`. */
function endOf(template: string, open: number): number | undefined {
  let depth = 0;
  const braces = /\{\{|\}\}/g;
  braces.lastIndex = open;
  for (let match = braces.exec(template); match !== null; match = braces.exec(template)) {
    depth += match[0] === '{{' ? 1 : -1;
    if (depth === 0) return match.index + 2;
    if (depth > MAX_DEPTH) return undefined;
  }
  return undefined;
}

function readMacro(template: string, offset: number, end: number): TemplateMacro | undefined {
  const source = template.slice(offset, end);
  const inside = source.slice(2, -2);
  const [head = '', name = ''] = NAME.exec(inside) ?? [];
  if (name === '') return undefined;
  const rest = inside.slice(head.length);
  const args = rest.trimStart().startsWith('::')
    ? split(rest, '::').slice(1)
    : split(rest.replaceAll(/\s+/g, ' ').trim(), ' ').filter((word) => word !== '');
  if (args.length === 0 && rest.trim() !== '') return undefined;
  return { source, name: name.toLowerCase(), args, offset };
}

/** Splits outside of nested macros. */
function split(text: string, separator: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (text.startsWith('{{', at)) depth += 1;
    else if (text.startsWith('}}', at)) depth -= 1;
    else if (depth === 0 && text.startsWith(separator, at)) {
      parts.push(text.slice(from, at));
      from = at + separator.length;
      at = from - 1;
    }
  }
  return [...parts, text.slice(from)];
}
