import type { Guard } from './guard.js';

const filesystem = (...names: readonly string[]): readonly string[] =>
  names.map((name) => `test/brokers/filesystem/${name}.test.ts`);
const PATHS = 'test/fuzz/paths.test.ts';

/** Which files a plugin reads, and what a variable is to it. */
export const filesystemGuards: readonly Guard[] = [
  {
    stops: 'a path that by its text lies outside of what is granted',
    file: 'src/brokers/filesystem/contain.ts',
    code: 'const root = roots.find((candidate) => isWithin(candidate.path, path));',
    without: 'const root = roots[0];',
    tests: filesystem('broker'),
  },
  {
    stops: 'a folder whose name only begins like a granted one',
    file: 'src/brokers/filesystem/contain.ts',
    code: "return rest === '' || (rest !== '..' && !rest.startsWith(`..${sep}`) && !isAbsolute(rest));",
    without: 'return path.startsWith(root);',
    tests: [...filesystem('broker'), PATHS],
  },
  {
    stops: 'a link that leads out of what is granted',
    file: 'src/brokers/filesystem/contain.ts',
    code: 'return this.#realRoots.some((root) => isWithin(root, real));',
    without: 'return true;',
    tests: filesystem('open', 'race'),
  },
  {
    stops: 'a link that leads out, before anything is opened',
    file: 'src/brokers/filesystem/contain.ts',
    code: 'if (!realRoots.some((realRoot) => isWithin(realRoot, real))) {',
    without: 'if (false) {',
    tests: filesystem('links'),
  },
  {
    stops: "a granted prefix that its plugin's author made a link out of the plugin",
    file: 'src/brokers/filesystem/contain.ts',
    code: 'return anchor === undefined || isWithin(await realpath(anchor), real) ? [real] : [];',
    without: 'return [real];',
    tests: filesystem('links', 'broker'),
  },
  {
    stops: 'files of the kernel behind a wide grant',
    file: 'src/brokers/filesystem/contain.ts',
    code: 'if (isSpecial(real)) return this.#named && real === this.real;',
    without: '',
    tests: filesystem('broker', 'links'),
  },
  {
    stops: 'a swapped link that wins the race between check and open',
    file: 'src/brokers/filesystem/open.ts',
    code: 'if (realPath === undefined || !path.admits(realPath)) {',
    without: 'if (realPath === undefined) {',
    tests: filesystem('open'),
  },
  {
    stops: 'a pipe or a device that opening waits for or sets off',
    file: 'src/brokers/filesystem/open.ts',
    code: '    if (!stats.isFile()) throw refusals.failed(path.asked, NOT_REGULAR);\n    return await open(',
    without: '    return await open(',
    tests: filesystem('open'),
  },
  {
    stops: 'a path that the system reads as another than was checked',
    file: 'src/brokers/filesystem/path.ts',
    code: "if (path.includes('\\0')) throw refusals.malformed('holds a NUL character');",
    without: '',
    tests: filesystem('broker'),
  },
  {
    stops: 'a file that grows beyond the cap while it is read',
    file: 'src/brokers/filesystem/content.ts',
    code: 'if (total > spec.maxBytes) throw spec.tooLong();',
    without: '',
    tests: filesystem('changes'),
  },
  {
    stops: 'variables that nobody granted',
    file: 'src/brokers/environment.ts',
    code: 'for (const key of granted) {',
    without: 'for (const key of Object.keys(source)) {',
    tests: ['test/brokers/environment.test.ts'],
  },
];
