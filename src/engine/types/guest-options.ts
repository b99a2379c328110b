import { BulkheadError } from '../../errors.js';
import type { EngineOptions, Isolation } from './options.js';

/** The options that say which guests a plugin's calls get. */
type GuestOptions = Pick<
  EngineOptions,
  'replicas' | 'isolation' | 'trustGroups' | 'background' | 'hostMode' | 'idempotent' | 'record'
>;

/** The checked options, with their defaults. */
export interface GuestSettings {
  readonly replicas: NonNullable<EngineOptions['replicas']>;
  readonly isolation: NonNullable<EngineOptions['isolation']>;
  readonly trustGroups: NonNullable<EngineOptions['trustGroups']>;
  readonly background: readonly string[];
  readonly idempotent: readonly string[];
  readonly record: readonly string[];
}

/** Throws `INVALID_OPTIONS`. */
export function readGuestOptions(options: GuestOptions): GuestSettings {
  return {
    background: readTexts('background', 'ids of plugins', options.background),
    idempotent: readTexts('idempotent', 'names of tools', options.idempotent),
    record: readTexts('record', 'names of tools', options.record),
    trustGroups: readTrustGroups(options),
    replicas: readReplicas(options),
    isolation: readIsolation(options),
  };
}

/** How the calls of a plugin are isolated. Default: `plugin`. */
export function isolationOf(
  { isolation }: Pick<GuestSettings, 'isolation'>,
  id: string,
): Isolation {
  return (Object.hasOwn(isolation, id) ? isolation[id] : undefined) ?? 'plugin';
}

const TRUST_GROUPS = "ids of plugins by group, e.g. { mine: ['notes', 'mail'] }";

/** A plugin may be in only one group, because a group is one process. */
function readTrustGroups({ trustGroups }: GuestOptions): GuestSettings['trustGroups'] {
  const groups = Object.entries(readRecord('trustGroups', TRUST_GROUPS, trustGroups));
  const read = groups.map(
    ([name, ids]) => [name, readTexts('trustGroups', `ids of plugins for ${name}`, ids)] as const,
  );
  const plugins = read.flatMap(([, ids]) => ids);
  const twice = plugins.find((plugin, at) => plugins.indexOf(plugin) !== at);
  if (twice === undefined) return Object.fromEntries(read);
  throw invalid('trustGroups', `each plugin once; ${twice} is there twice`);
}

/** Most guests that one plugin may have. */
const MAX_REPLICAS = 64;

/** Plugins of a trust group share one process, and work in the background belongs to one guest. */
function readReplicas(options: GuestOptions): GuestSettings['replicas'] {
  const { isolation = {}, trustGroups = {}, background = [] } = options;
  const grouped = Object.values(trustGroups).flat();
  const given = readRecord('replicas', '{ max } by plugin id', options.replicas);
  const read = Object.entries(given).map(([plugin, value]) => {
    const max: unknown =
      typeof value === 'object' && value !== null ? Reflect.get(value, 'max') : undefined;
    if (typeof max !== 'number' || !Number.isInteger(max) || max < 1 || max > MAX_REPLICAS) {
      throw invalid('replicas', `for ${plugin} a whole number from 1 to ${MAX_REPLICAS} as max`);
    }
    // guard: replicas-not-shared
    if (grouped.includes(plugin)) {
      throw invalid('replicas', `no plugin of a trust group; ${plugin} is in trustGroups`);
    }
    if (background.includes(plugin)) {
      throw invalid(
        'replicas',
        `no plugin that works in the background; ${plugin} is in background`,
      );
    }
    if (isolation[plugin] === 'call') {
      throw invalid('replicas', `no plugin whose calls have a guest each: isolation of ${plugin}`);
    }
    return [plugin, { max }] as const;
  });
  return Object.fromEntries(read);
}

const ISOLATIONS: ReadonlySet<unknown> = new Set<Isolation>(['plugin', 'tenant', 'call']);

/**
 * A shared process, work between calls and an unconfined process would each bring the data of one
 * tenant to another.
 */
function readIsolation(options: GuestOptions): GuestSettings['isolation'] {
  const { trustGroups = {}, background = [], hostMode = [] } = options;
  const grouped = Object.values(trustGroups).flat();
  const given = readRecord('isolation', 'plugin, tenant or call by plugin id', options.isolation);
  const read = Object.entries(given).map(([plugin, value]) => {
    if (!isIsolation(value)) {
      throw invalid('isolation', `for ${plugin} one of ${[...ISOLATIONS].join(', ')}`);
    }
    if (value === 'plugin') return [plugin, value] as const;
    // guard: isolated-plugin-not-shared
    if (grouped.includes(plugin)) {
      throw invalid('isolation', `no plugin of a trust group; ${plugin} is in trustGroups`);
    }
    if (background.includes(plugin)) {
      throw invalid(
        'isolation',
        `no plugin that works in the background; ${plugin} is in background`,
      );
    }
    if (hostMode.includes(plugin)) {
      throw invalid('isolation', `no plugin that runs unconfined; ${plugin} is in hostMode`);
    }
    return [plugin, value] as const;
  });
  return Object.fromEntries(read);
}

function isIsolation(value: unknown): value is Isolation {
  return ISOLATIONS.has(value);
}

function readRecord(option: string, takes: string, value: unknown): object {
  if (value === undefined) return {};
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw invalid(option, takes);
}

function readTexts(option: string, takes: string, value: unknown): readonly string[] {
  if (value === undefined) return [];
  if (Array.isArray(value) && value.every((text) => typeof text === 'string')) return value;
  throw invalid(option, `a list of ${takes}`);
}

function invalid(option: string, takes: string): BulkheadError {
  return new BulkheadError('INVALID_OPTIONS', `The option ${option} takes ${takes}.`, { option });
}
