import { didYouMean } from '../../did-you-mean.js';
import { readDeclared } from '../../permissions/declared.js';
import type { PermissionName, Permissions } from '../../permissions/kind.js';
import type { SpindleManifest } from './manifest.js';

/**
 * The permissions that an extension requests. The default is what Spindle gives every extension: the
 * time, random numbers, and storage of its own. Spindle's permissions are names of the kind `powers`;
 * an unknown name is a problem and requests nothing.
 */
export function readSpindlePermissions(manifest: SpindleManifest): {
  readonly permissions: Permissions;
  /** The known Spindle permissions, each once. */
  readonly names: readonly string[];
  /** The kinds that the manifest does not mention; the operator names the scopes, such as hosts. */
  readonly undeclared: readonly PermissionName[];
  readonly problems: readonly string[];
} {
  const { names, problems } = readNames(manifest.permissions ?? []);
  const requested = manifest.bulkhead?.permissions ?? {};
  const declared = readDeclared(
    {
      time: requested.time ?? true,
      random: requested.random ?? true,
      storage: requested.storage ?? true,
      powers: [...names, BASE],
      network: names.includes('cors_proxy') ? requested.network : [],
      env: requested.env,
      fs: requested.fs,
    },
    'bulkhead.permissions',
  );
  return {
    permissions: declared.permissions,
    names,
    undeclared: [
      ...(names.includes('cors_proxy') && requested.network === undefined
        ? (['network'] as const)
        : []),
      ...(requested.env === undefined ? (['env'] as const) : []),
      ...(requested.fs === undefined ? (['fs'] as const) : []),
    ],
    problems: [...problems, ...explainHosts(names, requested.network), ...declared.problems],
  };
}

function readNames(written: readonly string[]): {
  readonly names: readonly string[];
  readonly problems: readonly string[];
} {
  const known = new Set(SPINDLE_PERMISSIONS);
  const problems = written.flatMap((name, index) =>
    known.has(name)
      ? []
      : [
          `permissions[${index}]: ${JSON.stringify(name.slice(0, 60))} is not a permission of Spindle${remedyFor(name)}`,
        ],
  );
  const requested = new Set(written.filter((name) => known.has(name)));
  return { names: [...requested], problems: problems.slice(0, MAX_PROBLEMS) };
}

function remedyFor(name: string): string {
  const meant = ELSEWHERE.get(name) ?? didYouMean(name, SPINDLE_PERMISSIONS);
  if (meant !== undefined) return `. Did you mean "${meant}"?`;
  return FREE.has(name) ? '. Every extension has it; remove it' : '';
}

/** The words of other systems for the same thing. */
const ELSEWHERE: ReadonlyMap<string, string> = new Map(
  ['cors', 'fetch', 'http', 'network'].map((word) => [word, 'cors_proxy']),
);

/** What no extension has to request. */
const FREE: ReadonlySet<string> = new Set(['storage', 'time', 'random', 'spindle', 'toast']);

/** The power for what every extension may request from its host: toasts, versions, tokens … */
const BASE = 'spindle';

const MAX_PROBLEMS = 20;

function explainHosts(
  names: readonly string[],
  network: readonly string[] | undefined,
): readonly string[] {
  const hosts = network ?? [];
  if (hosts.length > 0 && !names.includes('cors_proxy')) {
    return ['bulkhead.permissions.network: also needs "cors_proxy" in "permissions"'];
  }
  return [];
}

/** The permissions that a `spindle.json` may request, in Spindle's own words. */
export const SPINDLE_PERMISSIONS: readonly string[] = [
  'generation',
  'interceptor',
  'tools',
  'cors_proxy',
  'context_handler',
  'ephemeral_storage',
  'chat_mutation',
  'event_tracking',
  'ui_panels',
  'app_manipulation',
  'oauth',
  'characters',
  'chats',
  'presets',
  'world_books',
  'regex_scripts',
  'regex_scripts_unrestricted',
  'databanks',
  'memories',
  'media',
  'personas',
  'push_notification',
  'image_gen',
  'images',
  'generation_parameters',
  'macro_interceptor',
  'web_search',
  'unsafe_eval',
  'final_response',
  'providers.embedding.register',
  'providers.tts.register',
  'providers.stt.register',
  'providers.sidecar.register',
];
