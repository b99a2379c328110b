import type { Guard } from './guard.js';

/** Guards between the npm packages of one plugin. */
export const packageGuards: readonly Guard[] = [
  {
    id: 'package-endowment-granted',
    stops: "a package that gets all endowments of its plugin's grant",
    mutation: 'always',
    tests: ['test/escape/packages.test.ts'],
  },
  {
    id: 'package-grant-listed',
    stops: 'a package whose grant is not compared with the permission',
    mutation: { replace: [/\.filter\(.*\)(?=\))/, ''] },
    tests: ['test/escape/packages.test.ts'],
  },
  {
    id: 'package-variable-named',
    stops: 'a package that reads variables which its grant does not name',
    mutation: 'always',
    tests: ['test/escape/packages.test.ts'],
  },
  {
    id: 'package-import-listed',
    stops: 'a package that imports packages which its package.json does not name',
    mutation: 'never',
    tests: ['test/escape/packages.test.ts'],
  },
  {
    id: 'package-files-granted',
    stops: "a package that has the plugin's files without a grant",
    mutation: 'always',
    tests: ['test/escape/packages.test.ts'],
  },
  {
    id: 'exported-prototype-fixed',
    stops: 'a package that replaces the prototype of an exported function',
    mutation: 'remove',
    tests: ['test/escape/packages.test.ts'],
  },
  {
    id: 'export-written-by-owner',
    stops: 'a package that replaces an exported function of another package',
    mutation: 'always',
    tests: ['test/escape/packages.test.ts'],
  },
  {
    id: 'separate-packages-required',
    stops:
      'code that was accepted as one bundle, and runs although the operator wants separate packages',
    mutation: 'never',
    tests: ['test/engine/instance/load-packages.test.ts'],
  },
  {
    id: 'separate-package-does-not-await',
    stops: 'a separate package whose exports are used before they are there',
    mutation: 'always',
    tests: ['test/plugin/bundle/units.test.ts'],
  },
];
