import { denial, reportRefusal } from './denied.js';

/** The error for a file of machine code, or for a package that finds such a file. */
export function nativeDenial(file: string): Error {
  reportRefusal('native code', file);
  return denial(
    'BUILTIN_DENIED',
    `native code (${file}) is refused to plugins: no permission grants it. Use a package in plain JavaScript; for SQLite, import node:sqlite or bun:sqlite.`,
  );
}

/** In place of the packages that find and load the machine code of another package. */
export const builtin: object = (options: unknown): never => {
  const named =
    typeof options === 'object' && options !== null ? Reflect.get(options, 'bindings') : options;
  throw nativeDenial(typeof named === 'string' ? named.slice(0, 150) : 'a .node file');
};
