import posix from 'path-browserify';
import { offer } from './denied.js';

/** Where relative paths begin: the directory in which the plugin's files appear to be. */
export const WORKING_DIRECTORY = '/plugin';

const resolveFrom = posix.resolve;

/** `path.resolve`. The package would ask `process` for the working directory. */
export const resolve: (...paths: string[]) => string = (...paths) =>
  resolveFrom(WORKING_DIRECTORY, ...paths);

/** `node:path`, as on POSIX: a plugin's paths have no drives and one kind of separator. */
export const builtin: object = offer(
  'path',
  Object.assign(posix, {
    resolve,
    toNamespacedPath: (path: string): string => path,
    win32: offer('path.win32', { sep: '\\', delimiter: ';' }),
  }),
);
