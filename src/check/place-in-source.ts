import type { CheckFinding } from './finding.js';

/**
 * The place in a source that a finding about a tool is about. Tools exist only after the code ran, so
 * it is found by the text: a quoted word of the message that the source has once, else the tool's
 * id. `undefined` if there is no such word.
 */
export function placeInSource(
  { message }: Pick<CheckFinding, 'message'>,
  source: string,
): { readonly line: number; readonly column: number } | undefined {
  const quoted = [...message.matchAll(/"([^"\n]{1,100})"/g)].map(([, word = '']) => word);
  // A field that is missing is found only in another tool.
  const [, field] =
    /^(?:tool "[^"\n]+"|[^\s:]+): (\w+): (?!are missing|is missing)/.exec(message) ?? [];
  const [, tool] = /^(?:tool "|The (?:schema of the )?tool )([\w-]+)/i.exec(message) ?? [];
  const words = [
    ...quoted.filter((word) => word !== tool).toReversed(),
    ...(field === undefined ? [] : [field]),
    ...(tool === undefined ? [] : [tool]),
  ];
  for (const word of words) {
    const offset = onlyUse(word, source);
    if (offset !== undefined) return placeOf(offset, source);
  }
  return undefined;
}

/** The offset of the only literal or key with that text. A path may begin with `./`. */
function onlyUse(word: string, source: string): number | undefined {
  const text = word.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  const [first, ...others] = source.matchAll(
    new RegExp(`(['"\`])(?:\\./)?${text}\\1|(?<![\\w$.])${text}(?=\\s*:)`, 'g'),
  );
  return others.length === 0 ? first?.index : undefined;
}

function placeOf(offset: number, source: string): { line: number; column: number } {
  const before = source.slice(0, offset).split('\n');
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 };
}
