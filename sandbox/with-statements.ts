/**
 * Replaces the `with` statement of a function that a template engine generated. Strict code has no
 * `with`, and a compartment runs only strict code. Known engines: lodash and underscore
 * (`template`), EJS, and those that write the same form:
 *
 * ```
 *   …; with (data) {⏎ body } return __text   →
 *   …; { ((a, b) => {{ body }})(data.a, b) } return __text
 * ```
 *
 * Each name of the body becomes a parameter. Its value is the property of that name, else the name
 * outside. A word in a string becomes an unused parameter. Names that begin with `__` are the
 * engine's own. An assignment to a property changes the parameter only. Any other text is returned
 * unchanged.
 */
export function replaceWith(source: string): string {
  // Only a constructor of functions makes such texts. A plugin's bundle begins differently.
  if (!source.startsWith(GENERATED) || source.length > MAX_CHARACTERS) return source;
  const opening = WITH.exec(source);
  const [statement = '', object = ''] = opening ?? [];
  const last = source.lastIndexOf(RETURN);
  const start = (opening?.index ?? last) + statement.length;
  const end = source.slice(start, last).trimEnd().length - 1 + start;
  if (opening === null || last < start || source[end] !== '}') return source;
  const body = source.slice(start, end);
  const names = [...new Set(body.match(NAME))].filter((name) => !RESERVED.has(name));
  if (names.length > MAX_NAMES) return source;
  const values = names.map((name) => `("${name}" in $with ? $with.${name} : ${name})`);
  return (
    `${source.slice(0, opening.index)}{ const $with = Object(${object}); ` +
    `((${names.join(', ')}) => {{\n${body}}})(${values.join(', ')}) }${source.slice(end + 1)}`
  );
}

/** The beginning of the text that `Function` builds. */
const GENERATED = '(function anonymous(';

const MAX_CHARACTERS = 1_000_000;
/** A function has at most 65,535 parameters. */
const MAX_NAMES = 10_000;

/** The beginning of the statement. A string cannot contain the line break after the brace. */
const WITH = /\bwith\s*\(([^()\n]{1,200})\)\s*\{\n/;
/** The block ends before the last `return` of the engine's variable. */
const RETURN = 'return __';

/** A word that is not a property after a dot, and not the engine's own name. */
const NAME = /(?<![\w$]|(?<!\.\.)\.)(?!__|\d)[\w$]+/g;

const RESERVED = new Set(
  [
    'arguments await break case catch class const continue debugger default delete do else enum eval',
    'export extends false finally for function if implements import in instanceof interface let new',
    'null package private protected public return static super switch this throw true try typeof var',
    'void while with yield',
  ]
    .join(' ')
    .split(' '),
);

/** Explains the error of a `with` in generated code that `replaceWith` does not know. */
export function explainWith(error: unknown): Error | undefined {
  return isWithStatement(error)
    ? new Error(
        'A plugin runs as strict code, which has no `with` statement. Set the option of the template engine that avoids it: `variable` of lodash, `_with: false` of EJS.',
      )
    : undefined;
}

function isWithStatement(error: unknown): boolean {
  try {
    if (!(error instanceof SyntaxError)) return false;
    const message: unknown = Reflect.getOwnPropertyDescriptor(error, 'message')?.value;
    return typeof message === 'string' && message.includes('with statement');
  } catch {
    // A Proxy's trap threw.
    return false;
  }
}
