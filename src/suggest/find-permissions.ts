import { join } from 'node:path';
import { diskReader } from '../engine/node/disk-reader.js';
import { isBulkheadError } from '../errors.js';
import { readPlugin } from '../formats/discover.js';
import { formats } from '../formats/table.js';
import { permissionKinds, scopeTexts } from '../permissions/table.js';
import { bundleFailed } from '../plugin/bundle/problems.js';
import type { Bundle, Plugin } from '../plugin/plugin.js';
import { packageOf } from '../plugin/package-path.js';
import { makeSourceFinder } from '../plugin/source-map.js';
import { bundlesToRead, placeText } from './bundled.js';
import { globalObjectUses } from './global-object.js';
import type { Finding, SuggestedKind, SuggestedPermissions } from './finding.js';
import { hostOf } from './network-rules.js';
import { judge, powerUsed } from './rules.js';
import type { OpenQuestion, SuggestedItem, Suggestion, UsedPower } from './suggestion.js';

/** What `suggestPermissions` of `suggest.ts` does. */
export async function findPermissions(directory: string): Promise<Suggestion> {
  const { plugin } = await readPlugin(diskReader, directory);
  const items: SuggestedItem[] = [];
  const open: OpenQuestion[] = [];
  const hostPowers: UsedPower[] = [];
  for (const bundle of bundlesToRead(plugin)) {
    const found = await readBundle(await bundle(), plugin).catch(explainTooDeep);
    items.push(...found.items);
    open.push(...found.open);
    hostPowers.push(...found.hostPowers);
  }
  const unique = uniqueBy(items, ({ permission, scope, at }) => `${permission} ${scope} ${at}`);
  return {
    plugin: plugin.id,
    format: plugin.format,
    manifest: plugin.manifest,
    permissions: requestOf(unique),
    items: unique,
    open: uniqueBy(open, ({ what, at }) => `${what} ${at}`),
    hostPowers: uniqueBy(hostPowers, ({ name }) => name),
  };
}

/** The bundler's process has a larger stack than this one, so a bundle can be too deep to parse here. */
function explainTooDeep(error: unknown): never {
  if (!(error instanceof SyntaxError || error instanceof RangeError)) throw error;
  throw bundleFailed([
    { message: 'its code is nested too deeply to be parsed', remedy: 'Reduce the nesting.' },
  ]);
}

async function readBundle(
  { code, sourceMap }: Bundle,
  { directory, format }: Plugin,
): Promise<Pick<Suggestion, 'items' | 'open' | 'hostPowers'>> {
  const hasCryptoRandom = formats.find(({ name }) => name === format)?.hasCryptoRandom !== false;
  // Loaded on first use, because most engines read no code.
  const { readCode } = await import('./reading.js');
  const reading = readCode(code);
  const find = makeSourceFinder(sourceMap);
  const placeOf = (offset: number): string | undefined => {
    const { line, column } = reading.positionOf(offset);
    return placeText(find(line, column));
  };
  const items: SuggestedItem[] = [];
  const open: OpenQuestion[] = [];
  const hostPowers: UsedPower[] = [];
  const findings: Finding[] = [];
  for (const use of reading.uses) {
    const power = powerUsed(use, reading);
    const place = power && placeOf(use.node.start);
    if (power !== undefined && place !== undefined) hostPowers.push({ ...power, at: place });
    findings.push(...judge(use, reading, { hasCryptoRandom }));
  }
  const written = findings.flatMap(({ writes }) => (writes === undefined ? [] : [writes]));
  for (const finding of findings) {
    const at = placeOf(finding.node.start);
    // Code without a place in the sources was added by the bundler.
    if (at === undefined) continue;
    const isPackage = at.startsWith('node_modules/');
    // guard: unreached-code-needs-nothing
    if (isPackage && reading.isUnreached(finding.node.start)) continue;
    if (finding.absent === true && isPackage) continue;
    // A plugin whose request names a variable is inactive without it.
    if (finding.optional === true && isPackage) {
      const { permission, scope = '', why } = finding;
      if (!isScope('env', scope)) continue;
      open.push({ permission, scope, what: `${why}, which the package reads if it is set`, at });
      continue;
    }
    const item = itemOf(await asKept(finding, written, directory), at);
    if (item !== undefined) items.push(item);
    else open.push({ permission: finding.permission, what: finding.why, at });
  }
  for (const { permission, why, at } of globalObjectUses(reading, placeOf)) {
    const isKnown = (one: { readonly permission: string; readonly at: string }): boolean =>
      one.permission === permission && packageOf(one.at) === packageOf(at);
    if (items.some(isKnown) || open.some(isKnown)) continue;
    if (permission === 'network') open.push({ permission, what: why, at });
    else if (hasCryptoRandom) items.push({ permission, scope: 'true', why, at });
  }
  for (const { name, node } of reading.contextVariables) {
    const at = placeOf(node.start);
    if (at === undefined || !isScope('env', name)) continue;
    items.push({ permission: 'env', scope: name, why: `env.${name} of a tool's context`, at });
  }
  if (!open.some(({ permission }) => permission === 'network')) {
    return { items, open, hostPowers };
  }
  // A computed address usually begins with a literal elsewhere in the code.
  const named = reading.literals.flatMap(({ text, at }) => {
    const host = hostOf(text, true);
    const place = host === undefined ? undefined : placeOf(at);
    return host === undefined || place === undefined ? [] : [{ host, place }];
  });
  const requested = new Set(items.map(({ scope }) => scope));
  const candidates = named
    .filter(({ host }) => !requested.has(host) && isScope('network', host))
    .map(({ host, place }): OpenQuestion => ({
      permission: 'network',
      scope: host,
      what: `${NAMED_HOST}${host} and may fetch it`,
      at: place,
    }));
  return { items, open: [...open, ...candidates], hostPowers };
}

/** The start of a question about a host that no use was found for. */
export const NAMED_HOST = 'the code names ';

/**
 * A path in the plugin's storage may be a file that the plugin ships. A relative path that the plugin does not ship,
 * and writes, is in its storage.
 */
async function asKept(
  finding: Finding,
  written: readonly string[],
  directory: string,
): Promise<Finding> {
  const { file, permission, scope } = finding;
  const isShipped = async (path: string): Promise<boolean> =>
    (await diskReader.stat(join(directory, path))) !== undefined;
  if (file !== undefined) {
    return (await isShipped(file)) ? { ...finding, permission: 'fs', scope: file } : finding;
  }
  if (permission !== 'fs' || scope === undefined) return finding;
  const isWritten = written.some(
    (path) => path === scope || path.startsWith(`${scope}/`) || scope.startsWith(`${path}/`),
  );
  return isWritten && !(await isShipped(scope))
    ? { ...finding, permission: 'storage', scope: 'true' }
    : finding;
}

/** `undefined` if the scope is unknown or not valid for the permission. */
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
  env: 'env',
  fs: 'fs',
  powers: 'powers',
} as const;

function requestOf(items: readonly SuggestedItem[]): SuggestedPermissions {
  const scopes = (kind: SuggestedKind): readonly string[] => {
    const all = items.filter((item) => item.permission === kind).map(({ scope }) => scope);
    // Scopes that another scope covers are left out.
    return scopeTexts[KINDS[kind]].intersect(all, all).toSorted();
  };
  const flag = (kind: 'time' | 'random' | 'storage'): object =>
    scopes(kind).length > 0 ? { [kind]: true } : {};
  const listed = (kind: 'network' | 'env' | 'fs' | 'powers'): object =>
    scopes(kind).length > 0 ? { [kind]: scopes(kind) } : {};
  return {
    ...flag('time'),
    ...flag('random'),
    ...flag('storage'),
    ...listed('env'),
    ...listed('fs'),
    ...listed('network'),
    ...listed('powers'),
  };
}

function uniqueBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): readonly Item[] {
  return [...new Map(items.map((item) => [keyOf(item), item])).values()];
}
