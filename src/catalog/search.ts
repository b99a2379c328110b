import type { CatalogTool } from './catalog.js';

/** Tools returned by a search that sets no limit. */
const DEFAULT_FOUND = 10;

/**
 * The tools that fit the words, best first. A word in a tool's name counts more than one in its title, and
 * that more than one in its description. Without words: the first tools by name.
 */
export function searchTools(
  tools: readonly CatalogTool[],
  words: string,
  limit: number = DEFAULT_FOUND,
): readonly CatalogTool[] {
  const wanted = [...new Set(wordsOf(words))];
  if (wanted.length === 0) return tools.slice(0, limit);
  return tools
    .map((tool) => ({ tool, score: scoreOf(tool, wanted) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, limit)
    .map(({ tool }) => tool);
}

function scoreOf({ id, title, description }: CatalogTool, wanted: readonly string[]): number {
  const [names, titles, texts] = [id, title, description].map((text) => wordsOf(text));
  const score = (word: string): number => {
    if (hasWord(names, word)) return IN_NAME;
    if (hasWord(titles, word)) return IN_TITLE;
    return hasWord(texts, word) ? 1 : 0;
  };
  return wanted.reduce((sum, word) => sum + score(word), 0);
}

const IN_NAME = 4;
const IN_TITLE = 2;

/** `forecast` fits `forecasts`, and `read` fits `readFile`. */
function hasWord(words: readonly string[] = [], wanted: string): boolean {
  return words.some(
    (word) => word.startsWith(wanted) || (word.length > 3 && wanted.startsWith(word)),
  );
}

function wordsOf(text: string): string[] {
  return text
    .replaceAll(/(?<=\p{Ll})(?=\p{Lu})/gu, ' ')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}
