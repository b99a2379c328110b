import { hiddenIn } from '../visible.js';
import type { ToolTexts } from './changes.js';

/** A tool of another plugin. */
export interface OtherTool {
  readonly plugin: string;
  readonly tool: string;
}

/**
 * What is suspect in the texts that models read about a plugin's tools: characters that a person does not
 * see, and mentions of other plugins' tools, which may be instructions to use or avoid them.
 */
export function textFindings(
  tools: Readonly<Record<string, { readonly texts: ToolTexts }>>,
  others: readonly OtherTool[],
): readonly string[] {
  return Object.entries(tools).flatMap(([tool, { texts }]) => {
    const { title, description, schema } = texts;
    const parts = [
      ['name', tool],
      ['title', title],
      ['description', description],
      ['input schema', schema],
    ] as const;
    return parts.flatMap(([part, text]) => {
      const hidden = hiddenIn(text);
      const named = part === 'name' ? [] : others.filter((other) => mentions(text, other));
      return [
        // guard: hidden-text-reported
        ...(hidden.length === 0
          ? []
          : [
              `the ${part} of ${tool} has characters that a person does not see: ${hidden.join(', ')}. Remove them: models read them`,
            ]),
        // guard: foreign-tool-reported
        ...named
          .filter(({ tool: name }) => !Object.hasOwn(tools, name))
          .map(
            (other) =>
              `the ${part} of ${tool} mentions ${other.tool} of ${other.plugin}. Remove it: a text of one plugin must not direct the use of another's tools`,
          ),
      ];
    });
  });
}

/**
 * Whether a text names a tool of another plugin: by its exported name or its id, or by its own name if that is
 * no ordinary word (it has a capital inside, a digit, `_` or `-`) or stands in quotes.
 */
function mentions(text: string, { plugin, tool }: OtherTool): boolean {
  const short = plugin.slice(plugin.lastIndexOf('/') + 1);
  const names = [
    `${plugin}:${tool}`,
    `${plugin}__${tool}`,
    `${short}:${tool}`,
    `${short}__${tool}`,
  ];
  if (/[\d_-]|.\p{Lu}/u.test(tool)) names.push(tool);
  const quoted = ['`', '"', "'"].some((mark) => text.includes(`${mark}${tool}${mark}`));
  return quoted || names.some((name) => hasWord(text, name));
}

/** Whether a text has a name that is not part of a longer one. */
function hasWord(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) {
    const around = [text[at - 1] ?? ' ', text[at + name.length] ?? ' '];
    if (!around.some((character) => /[\p{L}\p{N}_-]/u.test(character))) return true;
  }
  return false;
}
