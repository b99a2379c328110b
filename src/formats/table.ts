import { BulkheadError } from '../errors.js';
import type { FormatName } from '../plugin/plugin.js';
import type { Format, DirectoryReader } from './format.js';
import { mcpServer } from './mcp-server/format.js';
import { pandora } from './pandora/format.js';
import { savedProgram } from './saved-program/format.js';
import { spindle } from './spindle/format.js';
import { vellum } from './vellum/format.js';

/** All plugin systems, in the order of detection. */
export const formats: readonly Format[] = [pandora, spindle, mcpServer, vellum, savedProgram];

/** The system whose rules the host's own tools and the workspace follow. */
export const hostFormat: Format = vellum;

const byName: ReadonlyMap<FormatName, Format> = new Map(
  formats.map((format) => [format.name, format]),
);

/** The plugin system of this name. Throws `INVALID_MANIFEST` if there is none. */
export function formatNamed(name: FormatName): Format {
  const format = byName.get(name);
  if (format !== undefined) return format;
  const known = [...byName.keys()].join(', ');
  throw new BulkheadError(
    'INVALID_MANIFEST',
    `The plugin system ${JSON.stringify(name)} is not known. This version knows ${known}. Use the version of Bulkhead that wrote the name.`,
    { file: 'format', problems: [`unknown: ${name}`] },
  );
}

/** The format of the plugin in a directory; `undefined` if the directory has none. */
export async function detectFormat(
  reader: DirectoryReader,
  directory: string,
): Promise<Format | undefined> {
  for (const format of formats) {
    if (await format.detect(reader, directory)) return format;
  }
  return undefined;
}
