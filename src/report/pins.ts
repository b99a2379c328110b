import { isRecord } from '../../sandbox/wire/json.js';
import type { PluginStatus } from '../engine/types/status.js';
import type { PackageReport, PinReport } from './report.js';

/** What a lock file says of one plugin, as far as a report needs it. */
export interface Pin {
  /** The hash of the accepted artifact. `null` in a lock file of another shape. */
  readonly artifact: string | null;
  readonly bundles: Readonly<Record<string, string>>;
  readonly by: string | null;
  readonly at: string | null;
  /** Hosts that its code names. */
  readonly hosts: readonly string[];
  readonly packages: readonly PinnedPackage[];
}

/** A separate npm package of a pinned plugin. */
type PinnedPackage = Omit<PackageReport, 'denied'>;

/** Reads `bulkhead.lock.json`, and no more of it than is there: a lock of another shape pins nothing. */
export function readPins(lock: unknown): ReadonlyMap<string, Pin> {
  const plugins = memberOf(lock, 'plugins');
  if (typeof plugins !== 'object' || plugins === null) return new Map();
  return new Map(
    Object.entries(plugins).map(([id, pin]: [string, unknown]) => [
      id,
      {
        artifact: textOf(memberOf(pin, 'artifact')),
        bundles: textsOf(memberOf(pin, 'bundles')),
        by: textOf(memberOf(pin, 'by')),
        at: textOf(memberOf(pin, 'at')),
        hosts: listOf(memberOf(pin, 'hosts')),
        packages: packagesOf(memberOf(pin, 'packages')),
      },
    ]),
  );
}

export function reportPin(
  pin: Pin | undefined,
  status: PluginStatus | undefined,
): PinReport | null {
  if (pin === undefined) return null;
  const { artifact, bundles, by, at } = pin;
  const entries = status?.entries.filter(({ bundle }) => bundle !== undefined) ?? [];
  // An engine with a lock file names the artifact, and one without it the code of the entry.
  const current = entries.every(
    ({ key, bundle }) => bundle === artifact || bundle === bundles[key],
  );
  return { artifact, bundles, by, at, current };
}

function packagesOf(packages: unknown): readonly PinnedPackage[] {
  if (!isRecord(packages)) return [];
  const all = Object.entries(packages).map(([path, one]: [string, unknown]): PinnedPackage => ({
    path,
    version: textOf(memberOf(one, 'version')),
    granted: grantedTexts(memberOf(one, 'granted')),
    together: memberOf(one, 'together') === true,
  }));
  const weight = ({ granted, together }: PinnedPackage): number =>
    together ? 0 : granted.length > 0 ? 1 : 2;
  return all.toSorted((a, b) => weight(a) - weight(b) || (a.path < b.path ? -1 : 1));
}

function grantedTexts(granted: unknown): readonly string[] {
  return Object.entries(isRecord(granted) ? granted : {}).flatMap(([kind, scopes]) =>
    scopes === true ? [kind] : listOf(scopes).map((scope) => `${kind} ${scope}`),
  );
}

function memberOf(value: unknown, key: string): unknown {
  return isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function listOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

function textsOf(value: unknown): Record<string, string> {
  if (typeof value !== 'object' || value === null) return {};
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, text]: [string, unknown]) =>
      typeof text === 'string' ? [[key, text]] : [],
    ),
  );
}
