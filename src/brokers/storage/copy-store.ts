import { constants } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { systemCode } from '../../errors.js';
import { directoryNameOf, type Store } from './store.js';

/** What a copy leaves out: the storage of tenants, drafts, and what only a running engine needs. */
const LEFT_OUT: ReadonlySet<string> = new Set(['tenants', 'tmp', 'commits', 'mutex', 'usage.json']);

/**
 * Copies the storage of a plugin, or of one tenant of it, from one storage directory to another, while no
 * guest changes it. Files share their blocks where the file system can.
 */
export async function copyStore(
  store: Pick<Store, 'reading'>,
  from: string,
  to: string,
  plugin: string,
  tenant: string | undefined,
): Promise<void> {
  const place = (root: string): string =>
    tenant === undefined
      ? join(root, directoryNameOf(plugin))
      : join(root, directoryNameOf(plugin), 'tenants', directoryNameOf(tenant));
  const source = place(from);
  await store.reading(async () => {
    try {
      await cp(source, place(to), {
        recursive: true,
        mode: constants.COPYFILE_FICLONE,
        verbatimSymlinks: true,
        filter: (path) => {
          const [top = ''] = relative(source, path).split(sep);
          return !LEFT_OUT.has(top);
        },
      });
    } catch (error) {
      // Nothing was stored yet.
      if (systemCode(error) !== 'ENOENT') throw error;
    }
  });
}
