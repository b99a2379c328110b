import { readDeclared } from '../../permissions/declared.js';
import type { PermissionName, Permissions } from '../../permissions/kind.js';
import type { SpindleManifest } from './manifest.js';
import { SPINDLE_PERMISSIONS } from './permission-names.js';

/**
 * What an extension asks for. By default that is what its own system gives without asking: the time,
 * random numbers, and files of its own. Spindle's permissions are names of the kind `powers`; one
 * that nobody knows is reported and asks for nothing.
 */
export function readSpindlePermissions(manifest: SpindleManifest): {
  readonly permissions: Permissions;
  /** Spindle's own, those that are known, each once. */
  readonly names: readonly string[];
  /** The kinds that it says nothing of: which hosts, say, is then for the operator to name. */
  readonly undeclared: readonly PermissionName[];
  readonly problems: readonly string[];
} {
  const { names, problems } = readNames(manifest.permissions ?? []);
  const asked = manifest.bulkhead?.permissions ?? {};
  const declared = readDeclared(
    {
      time: asked.time ?? true,
      random: asked.random ?? true,
      storage: asked.storage ?? true,
      powers: [...names, FREE],
      network: names.includes('cors_proxy') ? asked.network : [],
      environment: asked.env,
      filesystem: asked.fs,
    },
    'bulkhead.permissions',
  );
  return {
    permissions: declared.permissions,
    names,
    undeclared: [
      ...(names.includes('cors_proxy') && asked.network === undefined
        ? (['network'] as const)
        : []),
      ...(asked.env === undefined ? (['environment'] as const) : []),
      ...(asked.fs === undefined ? (['filesystem'] as const) : []),
    ],
    problems: [...problems, ...explainHosts(names, asked.network), ...declared.problems],
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
          `permissions[${index}]: ${JSON.stringify(name.slice(0, 60))} is no permission of Spindle's`,
        ],
  );
  const asked = new Set(written.filter((name) => known.has(name)));
  return { names: [...asked], problems: problems.slice(0, MAX_PROBLEMS) };
}

/** The power that stands for what every extension may ask of its host: toasts, versions, tokens … */
const FREE = 'spindle';

const MAX_PROBLEMS = 20;

function explainHosts(
  names: readonly string[],
  network: readonly string[] | undefined,
): readonly string[] {
  const hosts = network ?? [];
  if (hosts.length > 0 && !names.includes('cors_proxy')) {
    return ['bulkhead.permissions.network: needs "cors_proxy" among "permissions" as well'];
  }
  return [];
}
