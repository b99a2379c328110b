import type { FilesFace } from '../endowments/files/files.js';

/** The argument of a bundle. A bundle that runs without it has no files. */
declare const $bulkhead: { readonly modules: Readonly<Record<string, unknown>> } | undefined;

/** The plugin's files from its guest, or `undefined`. */
export function linkedFiles(): FilesFace | undefined {
  if (typeof $bulkhead === 'undefined') return undefined;
  const files: unknown = $bulkhead.modules['bulkhead:files'];
  return isFace(files) ? files : undefined;
}

function isFace(files: unknown): files is FilesFace {
  return typeof files === 'object' && files !== null && 'later' in files;
}
