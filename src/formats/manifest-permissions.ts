import { readDeclared } from '../permissions/declared.js';
import type { Permissions } from '../permissions/kind.js';
import { array, boolean, object, optional, type Shape, string } from '../schema/shape.js';

/** Permissions in Pandora's manifest format. The key `bulkhead` of other manifests uses it too. */
export interface ManifestPermissions {
  readonly time?: boolean;
  readonly network?: readonly string[];
  readonly env?: readonly string[];
  readonly fs?: readonly string[];
  readonly random?: boolean;
  readonly storage?: boolean;
  readonly powers?: readonly string[];
}

export const permissionsShape: Shape<ManifestPermissions> = object({
  time: optional(boolean),
  network: optional(array(string())),
  env: optional(array(string())),
  fs: optional(array(string())),
  random: optional(boolean),
  storage: optional(boolean),
  powers: optional(array(string())),
});

/** Reads declared permissions. Problems begin with their path under `at`. */
export function readManifestPermissions(
  written: ManifestPermissions | undefined,
  at: string,
): { readonly permissions: Permissions; readonly problems: readonly string[] } {
  const { time, network, env, fs, random, storage, powers } = written ?? {};
  return readDeclared({ time, network, env, fs, random, storage, powers }, at);
}

/** Permissions in the manifest format, without empty ones. */
export function writeManifestPermissions(permissions: Permissions): ManifestPermissions {
  const { time, network, env, fs, random, storage, powers } = permissions;
  return {
    ...(time ? { time } : {}),
    ...(network.length > 0 ? { network } : {}),
    ...(env.length > 0 ? { env } : {}),
    ...(fs.length > 0 ? { fs } : {}),
    ...(random ? { random } : {}),
    ...(storage ? { storage } : {}),
    ...(powers.length > 0 ? { powers } : {}),
  };
}
