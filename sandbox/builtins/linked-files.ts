import type { FilesFace } from '../endowments/files/files.js';

/** What a bundle is called with. A bundle that is run without it has no files. */
declare const $bulkhead: { readonly modules: Readonly<Record<string, unknown>> } | undefined;

/** The plugin's files, as its guest gives them; `undefined` where nobody does. */
export function linkedFiles(): FilesFace | undefined {
  if (typeof $bulkhead === 'undefined') return undefined;
  const files: unknown = $bulkhead.modules['bulkhead:files'];
  return isFace(files) ? files : undefined;
}

function isFace(files: unknown): files is FilesFace {
  return typeof files === 'object' && files !== null && 'later' in files;
}
