import { join } from 'node:path';
import { diskReader } from '../engine/powers/disk-reader.js';
import { readPlugin } from '../formats/discover.js';
import { isBulkheadError } from '../errors.js';
import { bundlePlugin } from '../plugin/bundle/bundle.js';
import { bundleFailed } from '../plugin/bundle/problems.js';
import type { Bundle, Plugin, PluginEntry } from '../plugin/plugin.js';
import { makeSourceFinder, type SourceFinder } from '../plugin/source-map.js';
import { permissionKinds, scopeTexts } from '../permissions/table.js';
import type { Finding } from './finding.js';
import { readCode } from './reading.js';
import { hostOf, judge } from './rules.js';
import type {
  OpenQuestion,
  SuggestedItem,
  SuggestedKind,
  SuggestedPermissions,
  Suggestion,
} from './suggestion.js';

/**
 * Reads a plugin's code, runs none of it, and answers the least request for permissions that it
 * shows a need for, each with its place in the sources. Throws `PLUGIN_NOT_FOUND`, and whatever makes
 * the plugin one that cannot be read or bundled.
 */
export async function suggestPermissions(directory: string): Promise<Suggestion> {
  const { plugin } = await readPlugin(diskReader, directory);
  const items: SuggestedItem[] = [];
  const open: OpenQuestion[] = [];
  for (const entry of plugin.entries) {
    if (entry.surface !== 'tools') continue;
    const bundle = await bundlePlugin(bundleSpecOf(plugin, entry));
    const found = await readBundle(bundle, plugin.directory).catch(refuse);
    items.push(...found.items);
    open.push(...found.open);
  }
  const told = once(items, ({ permission, scope, at }) => `${permission} ${scope} ${at}`);
  return {
    plugin: plugin.id,
    format: plugin.format,
    manifest: plugin.manifest,
    permissions: requestOf(told),
    items: told,
    open: once(open, ({ what, at }) => `${what} ${at}`),
  };
}

function bundleSpecOf(
  { directory }: Plugin,
  { file, surfaces, virtualModules }: PluginEntry,
): Parameters<typeof bundlePlugin>[0] {
  return {
    directory,
    entry: surfaces === undefined ? { file } : { surfaces },
    virtualModules: virtualModules ?? [],
    builtins: 'powerless',
  };
}

/** A bundle is made where the stack is deep: what is nested further than this one reaches ends here. */
function refuse(error: unknown): never {
  if (!(error instanceof SyntaxError || error instanceof RangeError)) throw error;
  throw bundleFailed([
    { message: 'its code is nested too deeply to be read', remedy: 'Nest it less deeply.' },
  ]);
}

async function readBundle(
  { code, sourceMap }: Bundle,
  directory: string,
): Promise<Pick<Suggestion, 'items' | 'open'>> {
  const reading = readCode(code);
  const find = makeSourceFinder(sourceMap);
  const placeOf = (offset: number): string | undefined => placeIn(find, reading.positionOf(offset));
  const items: SuggestedItem[] = [];
  const open: OpenQuestion[] = [];
  for (const use of reading.uses) {
    for (const finding of judge(use, reading)) {
      const at = placeOf(finding.node.start);
      // What is none of the plugin's is what the bundler put round it.
      if (at === undefined) continue;
      const item = itemOf(await asShipped(finding, directory), at);
      if (item !== undefined) items.push(item);
      else open.push({ permission: finding.permission, what: finding.why, at });
    }
  }
  if (!open.some(({ permission }) => permission === 'network')) return { items, open };
  // An address that is put together elsewhere mostly begins with a text that is there to be read.
  const named = reading.literals.flatMap(({ text, at }) => {
    const host = hostOf(text, true);
    const place = host === undefined ? undefined : placeOf(at);
    return host === undefined || place === undefined ? [] : [{ host, place }];
  });
  const asked = new Set(items.map(({ scope }) => scope));
  const perhaps = named
    .filter(({ host }) => !asked.has(host) && isScope('network', host))
    .map(({ host, place }): OpenQuestion => ({
      permission: 'network',
      what: `${host} is named, and perhaps what is fetched`,
      at: place,
    }));
  return { items, open: [...open, ...perhaps] };
}

/** What looks like the plugin's own data may be a file that it came with. */
async function asShipped(finding: Finding, directory: string): Promise<Finding> {
  const { file } = finding;
  if (file === undefined) return finding;
  const found = await diskReader.stat(join(directory, file));
  return found === undefined ? finding : { ...finding, permission: 'fs', scope: file };
}

function placeIn(
  find: SourceFinder,
  { line, column }: { readonly line: number; readonly column: number },
): string | undefined {
  const origin = find(line, column);
  return origin && `${origin.source}:${origin.line}:${origin.column}`;
}

/** Absent where its scope is not known, or none that a permission can have. */
function itemOf({ permission, scope, why }: Finding, at: string): SuggestedItem | undefined {
  if (permission === 'none' || scope === undefined) return undefined;
  return isScope(permission, scope) ? { permission, scope, why, at } : undefined;
}

function isScope(permission: SuggestedKind, scope: string): boolean {
  try {
    permissionKinds[KINDS[permission]].parse(scope);
    return true;
  } catch (error) {
    if (isBulkheadError(error, 'INVALID_PERMISSION')) return false;
    throw error;
  }
}

const KINDS = {
  time: 'time',
  random: 'random',
  storage: 'storage',
  network: 'network',
  env: 'environment',
  fs: 'filesystem',
  powers: 'powers',
} as const;

function requestOf(items: readonly SuggestedItem[]): SuggestedPermissions {
  const scopes = (kind: SuggestedKind): readonly string[] => {
    const all = items.filter((item) => item.permission === kind).map(({ scope }) => scope);
    // What another scope covers by itself is not asked for again.
    return scopeTexts[KINDS[kind]].intersect(all, all).toSorted();
  };
  const held = (kind: 'time' | 'random' | 'storage'): object =>
    scopes(kind).length > 0 ? { [kind]: true } : {};
  const listed = (kind: 'network' | 'env' | 'fs' | 'powers'): object =>
    scopes(kind).length > 0 ? { [kind]: scopes(kind) } : {};
  return {
    ...held('time'),
    ...held('random'),
    ...held('storage'),
    ...listed('env'),
    ...listed('fs'),
    ...listed('network'),
    ...listed('powers'),
  };
}

function once<Item>(items: readonly Item[], keyOf: (item: Item) => string): readonly Item[] {
  return [...new Map(items.map((item) => [keyOf(item), item])).values()];
}
