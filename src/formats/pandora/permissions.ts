import { readDeclared } from '../../permissions/declared.js';
import type { Permissions } from '../../permissions/kind.js';
import type { PandoraPermissions } from './manifest.js';

/** Reads permissions in Pandora's words; problems name their place under `at`. */
export function readPandoraPermissions(
  written: PandoraPermissions | undefined,
  at: string,
): { readonly permissions: Permissions; readonly problems: readonly string[] } {
  const { time, network, env, fs, random, storage, powers } = written ?? {};
  return readDeclared(
    { time, network, environment: env, filesystem: fs, random, storage, powers },
    at,
  );
}

/** Permissions in Pandora's words, without those that are not held. */
export function writePandoraPermissions(permissions: Permissions): PandoraPermissions {
  const { time, network, environment, filesystem, random, storage, powers } = permissions;
  return {
    ...(time ? { time } : {}),
    ...(network.length > 0 ? { network } : {}),
    ...(environment.length > 0 ? { env: environment } : {}),
    ...(filesystem.length > 0 ? { fs: filesystem } : {}),
    ...(random ? { random } : {}),
    ...(storage ? { storage } : {}),
    ...(powers.length > 0 ? { powers } : {}),
  };
}
