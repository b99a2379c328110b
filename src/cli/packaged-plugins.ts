import { diskReader } from '../engine/node/disk-reader.js';
import { detectFormat, formats } from '../formats/table.js';
import type { PackagedPlugins } from '../npm/store.js';

/** What plugin systems expect of the packages that `add` fetches. */
export const packagedPlugins: PackagedPlugins = {
  provided: formats.flatMap(({ provides = [] }) => provides),
  isPlugin: async (directory) => {
    const format = await detectFormat(diskReader, directory);
    return format !== undefined && format.arePrograms !== true;
  },
};
