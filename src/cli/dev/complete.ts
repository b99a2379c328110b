import type { CatalogTool } from '../../catalog/catalog.js';
import { exampleInput, propertiesOf } from './call-line.js';

/** What the prompt knows about a tool. */
export type KnownTool = Pick<CatalogTool, 'name' | 'tool' | 'inputSchema'>;

/** The prompt's own words, with what each does. */
export const WORDS: Readonly<Record<string, string>> = {
  '.tools': 'list the tools with their fields',
  '.permissions': 'list the permissions that the plugin has',
  '.reload': 'read the plugin again',
  '.help': 'list these words',
  '.exit': 'end; so does Ctrl+D',
};

/**
 * The completions of a line, as `node:readline` takes them: the candidates, and the end of the line that they
 * replace. First the tool's name, then its fields.
 */
export function complete(
  line: string,
  tools: readonly KnownTool[],
): readonly [readonly string[], string] {
  const [, name = '', rest] = /^\s*(\S+)(\s.*)?$/s.exec(line) ?? [];
  if (rest === undefined) {
    const names = [...tools.map(shortName), ...(name.startsWith('.') ? Object.keys(WORDS) : [])];
    return [names.filter((one) => one.startsWith(name)).map((one) => `${one} `), name];
  }
  const tool = tools.find((one) => one.name === name || one.tool === name);
  if (tool === undefined) return [[], line];
  if (rest.trim() === '{') {
    return [[JSON.stringify(exampleInput(tool.inputSchema))], '{'];
  }
  const isJson = rest.trimStart().startsWith('{');
  const given = isJson
    ? [...rest.matchAll(/"([^"]+)"\s*:/g)].map(([, field]) => field)
    : [...rest.matchAll(/(\S+?)=/g)].map(([, field]) => field);
  const fields = Object.keys(propertiesOf(tool.inputSchema)).filter(
    (field) => !given.includes(field),
  );
  if (isJson) {
    const begun = /"([^"]*)$/.exec(rest);
    // Within a value there is nothing to complete.
    if (begun === null || !/[{,]\s*"[^"]*$/.test(rest)) return [[], line];
    const [, part = ''] = begun;
    return [fields.filter((one) => one.startsWith(part)).map((one) => `${one}":`), part];
  }
  const part = /\S*$/.exec(rest)?.[0] ?? '';
  return [fields.filter((one) => one.startsWith(part)).map((one) => `${one}=`), part];
}

/** The name that an author writes: the tool's own. */
export function shortName({ tool }: Pick<KnownTool, 'tool'>): string {
  return tool;
}
