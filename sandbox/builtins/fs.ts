import { offer } from './denied.js';
import { builtin as promises, readFile } from './fs-promises.js';
import { fsConstants } from './os-constants.js';

/** `node:fs`: files can be read where that is granted, and only by asking the host, so never at once. */
export const builtin: object = offer('fs', {
  ...fsConstants,
  constants: fsConstants,
  promises,
  readFile: (path: unknown, ...rest: unknown[]): void => {
    const callback = rest.pop();
    if (typeof callback !== 'function') throw new TypeError('The last argument must be a function');
    readFile(path, rest[0]).then(
      (content) => callback(null, content),
      (error: unknown) => callback(error),
    );
  },
  // A question that may be asked of anything, and that has a harmless answer.
  existsSync: (): boolean => false,
});
