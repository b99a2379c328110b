import { isRecord } from '../../../sandbox/wire/json.js';
import type { PluginFiles } from './files.js';
import { fileOf, PLUGIN_NAMESPACE, pluginPath } from './problems.js';

/** Prefix of sources in a source map that are not the plugin's. */
const FOREIGN_SOURCE = 'bulkhead:';

/**
 * Removes everything from a source map that is not the plugin's. Paths become relative to the
 * plugin's directory. The plugin's own sources get their texts, which esbuild would copy three times.
 */
export function trimSourceMap(text: string, files: PluginFiles): string {
  const map: unknown = JSON.parse(text);
  if (!isRecord(map) || !Array.isArray(map['sources'])) throw new TypeError('not a source map');
  const sources = map['sources'].map(String);
  const isOwn = (source: string): boolean =>
    source.startsWith(`${PLUGIN_NAMESPACE}:`) || !/^[a-z-]+:/.test(source);
  const textOf = (source: string): string | null => {
    const path = fileOf(source);
    return files.evidenceOf(path) === undefined ? null : files.read(path);
  };
  return JSON.stringify({
    version: 3,
    sources: sources.map((source) =>
      isOwn(source) ? pluginPath(source) : FOREIGN_SOURCE + source,
    ),
    sourcesContent: sources.map((source) => (isOwn(source) ? textOf(source) : null)),
    mappings: map['mappings'],
    names: [],
  });
}
