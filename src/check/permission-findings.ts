import type { Format } from '../formats/format.js';
import type { Permissions } from '../permissions/kind.js';
import { scopeTexts } from '../permissions/table.js';
import { locateInManifest } from '../report/manifest-place.js';
import type { Suggestion } from '../suggest/suggestion.js';
import type { CheckFinding } from './finding.js';
import type { ManifestText } from './manifest-findings.js';

/** Kinds whose scopes are lists. */
const LISTED = ['network', 'env', 'fs', 'powers'] as const;
const FLAGS = ['time', 'random', 'storage'] as const;

/** What the code needs and the manifest lacks, what it never uses, and what plugins do not have. */
export function permissionFindings(
  suggestion: Suggestion,
  declared: Permissions,
  format: Format,
  manifest: ManifestText | undefined,
): readonly CheckFinding[] {
  return [
    ...missing(suggestion, declared, format),
    ...absent(suggestion),
    ...(manifest === undefined ? [] : unused(suggestion, declared, format, manifest)),
  ];
}

function missing(
  { items, open, manifest }: Suggestion,
  declared: Permissions,
  { permissionsPlace, declaresPermissions, powersKey }: Format,
): readonly CheckFinding[] {
  const needed = items.flatMap(({ permission, scope, why, at }): CheckFinding[] => {
    if (covers(declared, permission, scope)) return [];
    // A file below a directory that the manifest names: its name is computed.
    if (permission === 'storage' && isRead(why) && declared.fs.length > 0) return [];
    const isOwnName = permission === 'powers' && powersKey !== undefined;
    const named = isOwnName ? scope : `${permission}${isListed(permission) ? ` ${scope}` : ''}`;
    const request = isListed(permission)
      ? `"${permission}": [${JSON.stringify(scope)}]`
      : `"${permission}": true`;
    return [
      {
        rule: 'permission-missing',
        // Dependencies often have code that the plugin never runs.
        level: isOwn(at) && declaresPermissions === true ? 'error' : 'warning',
        message: `${why} needs the permission ${named}, and ${manifest} does not request it.`,
        fix: isOwnName
          ? `Add ${JSON.stringify(scope)} to "${powersKey}" in ${manifest}.`
          : `Add ${request} to ${manifest}, ${permissionsPlace}.`,
        ...placeIn(at),
      },
    ];
  });
  // Code that computes its address needs some host. Without one it can reach none.
  const computed = open.flatMap(({ permission, what, at }): CheckFinding[] => {
    if (permission !== 'network' && permission !== 'env' && permission !== 'fs') return [];
    if (declared[permission].length > 0 || !isOwn(at)) return [];
    // The file may be in the plugin's storage.
    if (permission === 'fs' && declared.storage) return [];
    if (permission === 'network' && items.some((item) => item.permission === 'network')) return [];
    return [
      {
        rule: 'permission-missing',
        level: declaresPermissions === true ? 'warning' : 'note',
        message: `${what} needs the permission ${permission}, and ${manifest} does not request it.`,
        fix: `Add "${permission}": [ … ] to ${manifest}, ${permissionsPlace}.`,
        ...placeIn(at),
      },
    ];
  });
  return oncePer(
    [...needed, ...computed, ...namedHosts(open, declared, manifest, permissionsPlace)],
    ({ message }) => message,
  );
}

/** Hosts that the plugin's own code names and the manifest does not, if its own code computes an address. */
function namedHosts(
  open: Suggestion['open'],
  declared: Permissions,
  manifest: string,
  permissionsPlace: string,
): readonly CheckFinding[] {
  const isComputed = open.some(
    ({ permission, what, at }) => permission === 'network' && isOwn(at) && !isCandidate(what),
  );
  return open.flatMap(({ scope, what, at }): CheckFinding[] => {
    if (!isComputed || scope === undefined || !isCandidate(what) || !isOwn(at)) return [];
    // Without any host there is a finding already.
    if (declared.network.length === 0 || covers(declared, 'network', scope)) return [];
    return [
      {
        rule: 'permission-missing',
        level: 'note',
        message: `${statement(what)} ${manifest} does not request it.`,
        fix: `If the code fetches it, add "network": [${JSON.stringify(scope)}] to ${manifest}, ${permissionsPlace}.`,
        ...placeIn(at),
      },
    ];
  });
}

function absent({ open }: Suggestion): readonly CheckFinding[] {
  const found = open
    .filter(({ permission, at }) => permission === 'none' && isOwn(at))
    .map(({ what, at }): CheckFinding => {
      const [message = '', fix] = what.split(': ', 2);
      return {
        rule: 'absent',
        level: 'error',
        ...(fix === 'no permission allows it'
          ? { message: `No permission allows ${message}.` }
          : { message: statement(message), ...(fix === undefined ? {} : { fix: sentence(fix) }) }),
        ...placeIn(at),
      };
    });
  return oncePer(found, ({ message }) => message);
}

/** A permission counts as used if some use of its kind has a scope that only running shows. */
function unused(
  { items, open }: Suggestion,
  declared: Permissions,
  { declaresPermissions }: Format,
  { file, text }: ManifestText,
): readonly CheckFinding[] {
  const isOpen = (kind: string): boolean =>
    open.some(({ permission, what }) => permission === kind && !isCandidate(what)) ||
    (kind === 'fs' && items.some(({ permission, why }) => permission === 'storage' && isRead(why)));
  const found = (kind: string, scope: string): CheckFinding => ({
    rule: 'permission-unused',
    // Powers and dependencies may use it in a way that reading does not show.
    level: 'note',
    message: `The code does not use the permission ${kind}${scope === '' ? '' : ` ${scope}`}.`,
    fix: `Remove it from ${file}.`,
    file,
    ...locateInManifest(text, scope === '' ? kind : `${kind} ${scope}`),
  });
  const flags = declaresPermissions === true ? FLAGS : [];
  return [
    ...flags.flatMap((kind) =>
      declared[kind] && !isOpen(kind) && !items.some(({ permission }) => permission === kind)
        ? [found(kind, '')]
        : [],
    ),
    ...(['network', 'env', 'fs'] as const).flatMap((kind) => {
      if (isOpen(kind)) return [];
      const used = items.filter(({ permission }) => permission === kind).map(({ scope }) => scope);
      return declared[kind]
        .filter((scope) => scopeTexts[kind].intersect([scope], used).length === 0)
        .map((scope) => found(kind, scope));
    }),
  ];
}

function covers(
  declared: Permissions,
  kind: Suggestion['items'][number]['permission'],
  scope: string,
): boolean {
  if (!isListed(kind)) return declared[kind];
  return scopeTexts[kind].intersect(declared[kind], [scope]).length > 0;
}

function isListed(kind: string): kind is (typeof LISTED)[number] {
  return LISTED.some((listed) => listed === kind);
}

/** Whether the use reads a file by its path. */
function isRead(why: string): boolean {
  return why.includes(' of ');
}

/** Whether it is a host that the code names, not a use. */
function isCandidate(what: string): boolean {
  return what.startsWith('the code names');
}

function isOwn(at: string): boolean {
  return !at.startsWith('node_modules/');
}

/** The place in `lib/weather.ts:14:9`. */
export function placeIn(at: string | undefined): Pick<CheckFinding, 'file' | 'line' | 'column'> {
  const [, file, line, column] = /^(.*):(\d+):(\d+)$/.exec(at ?? '') ?? [];
  return file === undefined ? {} : { file, line: Number(line), column: Number(column) };
}

function sentence(text: string): string {
  const begun = text.charAt(0).toUpperCase() + text.slice(1);
  return begun.endsWith('.') ? begun : `${begun}.`;
}

/** A sentence that may begin with a name in the code, which keeps its case. */
function statement(text: string): string {
  return /^(?:an?|the|plugins|powers) /.test(text) ? sentence(text) : `${text}.`;
}

function oncePer(
  findings: readonly CheckFinding[],
  keyOf: (finding: CheckFinding) => string,
): readonly CheckFinding[] {
  const first = new Map<string, CheckFinding>();
  for (const finding of findings) {
    if (!first.has(keyOf(finding))) first.set(keyOf(finding), finding);
  }
  return [...first.values()];
}
