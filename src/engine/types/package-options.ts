import type { PackageGrant } from '../../../sandbox/wire/methods.js';
import { isRecord } from '../../../sandbox/wire/json.js';
import { didYouMean } from '../../did-you-mean.js';
import { BulkheadError } from '../../errors.js';
import { scopeTexts } from '../../permissions/table.js';

export type { PackageGrant } from '../../../sandbox/wire/methods.js';

/** How the npm packages in one plugin run. */
export interface PackageOptions {
  /**
   * What each package may use of the plugin's grant, by its directory in the plugin (`node_modules/axios`). Packages
   * that are not named get nothing.
   */
  readonly grant?: Readonly<Record<string, PackageGrant>>;
  /** Directories of packages that run as part of the plugin's own code, with all of the plugin's grant. */
  readonly together?: readonly string[];
}

/** The options of a plugin, by its id. `undefined`: its packages and its own code are one bundle. */
export type PackageSettings = (id: string) => ReadPackageOptions | undefined;

export interface ReadPackageOptions {
  /** `undefined`: the operator named no grant. */
  readonly grant: Readonly<Record<string, PackageGrant>> | undefined;
  readonly together: readonly string[];
}

/** The name that stands for all plugins that are not named. */
const OTHERS = '*';

/** Throws `INVALID_OPTIONS`. */
export function readPackageOptions(
  given: Readonly<Record<string, 'separate' | 'together' | PackageOptions>> | undefined,
): PackageSettings {
  const value: unknown = given ?? {};
  if (!isRecord(value)) throw invalid('"separate", "together" or { grant, together } by plugin id');
  const read = new Map(
    Object.entries(value).map(([id, one]: [string, unknown]) => [
      id,
      one === 'together' ? undefined : readOne(id, one),
    ]),
  );
  return (id) => read.get(read.has(id) ? id : OTHERS);
}

function readOne(id: string, value: unknown): ReadPackageOptions {
  if (value === 'separate') return { grant: undefined, together: [] };
  if (!isRecord(value)) {
    throw invalid(`"separate", "together" or { grant, together }, for ${id} too`);
  }
  const { grant, together = [], ...unknown } = value;
  const [stray] = Object.keys(unknown);
  if (stray !== undefined) throw invalid(`only grant and together for ${id}; ${stray} is neither`);
  if (!isTexts(together)) throw invalid(`directories of packages as together of ${id}`);
  if (grant === undefined) return { grant, together };
  if (!isRecord(grant)) throw invalid(`a grant by directory for ${id}`);
  return {
    together,
    grant: Object.fromEntries(
      Object.entries(grant).map(([path, one]: [string, unknown]) => [path, readGrant(path, one)]),
    ),
  };
}

/** The parts of a package's grant that are given whole or not at all. */
export const PACKAGE_FLAGS = [
  'time',
  'random',
  'fs',
  'storage',
  'powers',
  'streams',
  'arguments',
  'open',
] as const;

const FLAGS: readonly string[] = [...PACKAGE_FLAGS, 'network'];
const LISTS = ['network', 'env', 'imports'];

function readGrant(path: string, value: unknown): PackageGrant {
  if (!/^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+$/.test(path)) {
    throw invalid(`directories such as node_modules/axios; ${JSON.stringify(path)} is not one`);
  }
  if (!isRecord(value)) throw invalid(`a grant such as { network: true } for ${path}`);
  for (const [name, one] of Object.entries(value)) {
    if (FLAGS.includes(name) && typeof one === 'boolean') continue;
    if (LISTS.includes(name) && isTexts(one)) {
      if (name === 'network') one.forEach(scopeTexts.network.normalise);
      continue;
    }
    const kinds = [...new Set([...FLAGS, ...LISTS])];
    const meant = didYouMean(name, kinds);
    const forms = [
      ...(FLAGS.includes(name) ? ['true or false'] : []),
      ...(LISTS.includes(name) ? ['a list of texts'] : []),
    ];
    throw invalid(
      forms.length > 0
        ? `${forms.join(', or ')} for ${name} of ${path}`
        : `${kinds.join(', ')} for ${path}; ${name} is not one of them${meant === undefined ? '' : ` (did you mean ${meant}?)`}`,
    );
  }
  return value;
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((text) => typeof text === 'string');
}

function invalid(takes: string): BulkheadError {
  return new BulkheadError('INVALID_OPTIONS', `The option packages takes ${takes}.`, {
    option: 'packages',
  });
}
