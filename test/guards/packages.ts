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
    id: 'package-learning-within-hosts',
    stops: 'a package that reaches a host which was not listed, because its author learns',
    mutation: 'always',
    tests: ['test/cli/dev/learn.test.ts'],
  },
  {
    id: 'package-grant-listed',
    stops: 'a package whose grant is not compared with the permission',
    mutation: { replace: [/\.filter\(.*\)/, ''] },
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
    id: 'shared-compartment-frozen',
    stops: 'a package that leaves something on the global object of packages without permissions',
    mutation: 'remove',
    tests: ['test/escape/shared-packages.test.ts'],
  },
  {
    id: 'exported-prototype-closed',
    stops: 'a package that intercepts the calls and fields of instances of an exported class',
    mutation: 'remove',
    tests: ['test/escape/shared-packages.test.ts'],
  },
  {
    id: 'package-streams-granted',
    stops: 'a package that speaks for its server without a grant',
    mutation: 'always',
    tests: ['test/engine/packages-of-servers.test.ts'],
  },
  {
    id: 'shared-packages-hold-nothing',
    stops: 'a package without permissions in the compartment of one with a host',
    mutation: 'always',
    tests: ['test/escape/shared-packages.test.ts'],
  },
  {
    id: 'assigning-package-alone',
    stops: 'a package that assigns to globals, and fails without a global object of its own',
    mutation: 'never',
    tests: ['test/escape/shared-packages.test.ts'],
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
  {
    id: 'package-host-listed',
    stops: 'a package that reaches hosts of the plugin which its grant does not name',
    mutation: 'always',
    tests: ['test/escape/package-hosts.test.ts'],
  },
  {
    id: 'wildcard-excludes-apex-in-guest',
    stops: 'a package with a wildcard that reaches the domain itself',
    mutation: { replace: [/endsWith\(.*?\) :/, 'endsWith(scope.host) :'] },
    tests: ['test/escape/package-hosts.test.ts'],
  },
  {
    id: 'package-redirect-limited',
    stops: 'a package that is redirected to a host which its grant does not name',
    mutation: 'remove',
    tests: ['test/escape/package-hosts.test.ts'],
  },
  {
    id: 'package-redirect-covered',
    stops: 'a redirect that is not compared with the hosts of the package',
    mutation: 'never',
    tests: ['test/escape/package-hosts.test.ts'],
  },
  {
    id: 'narrowed-endowments-hardened',
    stops: 'a package that changes the `fetch` of its own compartment for the host',
    mutation: 'unwrap',
    tests: ['test/escape/package-hosts.test.ts'],
  },
  {
    id: 'later-endowment-granted',
    stops: 'a package that gets what the plugin gets later',
    mutation: { replace: [/\.filter\(.*\)/, ''] },
    tests: ['test/escape/package-hosts.test.ts'],
  },
  {
    id: 'package-import-accepted',
    stops: 'a package that imports what the lock file does not list',
    mutation: 'never',
    tests: ['test/engine/plugins/locked-packages.test.ts'],
  },
  {
    id: 'replaced-policy-grants-nothing',
    stops: 'code that gets permissions which were accepted for other code',
    mutation: { replace: ['{}', 'plugin?.packages'] },
    tests: ['test/engine/plugins/locked-packages.test.ts'],
  },
  {
    id: 'package-integrity-compared',
    stops: 'permissions of a package that count for other files',
    mutation: 'always',
    tests: ['test/engine/plugins/locked-packages.test.ts'],
  },
  {
    id: 'package-wants-reviewed',
    stops: 'an update in which a package uses more, without a review',
    mutation: 'remove',
    tests: ['test/cli/lock-packages.test.ts'],
  },
  {
    id: 'package-edge-reviewed',
    stops: 'an update in which a package imports more, without a review',
    mutation: 'remove',
    tests: ['test/cli/lock-packages.test.ts'],
  },
  {
    id: 'package-together-reviewed',
    stops: 'an update of a package with all permissions of its plugin, without a review',
    mutation: 'remove',
    tests: ['test/cli/lock-packages.test.ts'],
  },
  {
    id: 'shared-builtin-hardened',
    stops: 'a package that changes the `Buffer` of all packages',
    mutation: 'unwrap',
    tests: ['test/escape/packages.test.ts'],
  },
];
