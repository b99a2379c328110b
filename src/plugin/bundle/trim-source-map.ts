import { isObject } from './resolve/package.js';
import { pluginPath, PLUGIN_NAMESPACE } from './problems.js';

/** How sources that are not the plugin's are called in a source map. */
export const FOREIGN_SOURCE = 'bulkhead:';

/**
 * Leaves in a source map what is the plugin's: its paths relative to its directory, and no text of
 * modules that are ours.
 */
export function trimSourceMap(text: string): string {
  const map: unknown = JSON.parse(text);
  if (!isObject(map) || !Array.isArray(map['sources'])) throw new TypeError('not a source map');
  const sources = map['sources'].map(String);
  const contents: unknown[] = Array.isArray(map['sourcesContent']) ? map['sourcesContent'] : [];
  const isOwn = (source: string): boolean =>
    source.startsWith(`${PLUGIN_NAMESPACE}:`) || !/^[a-z-]+:/.test(source);
  return JSON.stringify({
    version: 3,
    sources: sources.map((source) =>
      isOwn(source) ? pluginPath(source) : FOREIGN_SOURCE + source,
    ),
    sourcesContent: sources.map((source, index) =>
      isOwn(source) ? (contents[index] ?? null) : null,
    ),
    mappings: map['mappings'],
    names: [],
  });
}
