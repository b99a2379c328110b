/** How `webidl-conversions` and `jsdom` test for shared memory, which plugins do not have. */
const GETTER =
  /\bObject\.getOwnPropertyDescriptor\( *SharedArrayBuffer\.prototype, *(["'])(?:byteLength|growable|maxByteLength)\1 *\)\.get\b/g;

/** What the getter does for every object that is no shared memory. */
const NONE = '(function () { throw new TypeError(); })';

/**
 * Replaces the getters of shared memory in the code of a package, which reads them at load without a test
 * whether there is shared memory. Places stay the same.
 */
export function answerSharedMemory(code: string): string {
  if (!code.includes('SharedArrayBuffer')) return code;
  return code.replaceAll(GETTER, (found) => NONE.padEnd(found.length));
}
