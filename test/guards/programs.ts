import type { Guard } from './guard.js';

const PROGRAMS = ['test/engine/programs/programs.test.ts'];
const ESCAPE = ['test/escape/programs.test.ts'];
const SAVED = ['test/engine/programs/saved-programs.test.ts'];
const KILLED = ['test/engine/programs/killed-host.test.ts'];

/** What decides which calls a program makes, and how often. */
export const programGuards: readonly Guard[] = [
  {
    id: 'program-has-calls-only',
    stops: 'a program that uses a broker of the host',
    mutation: 'remove',
    tests: ESCAPE,
  },
  {
    id: 'program-tools-limited',
    stops: 'a program that calls a tool which its caller did not name',
    mutation: { replace: [/names === undefined \|\|/, 'true ||'] },
    tests: PROGRAMS,
  },
  {
    id: 'program-request-cap',
    stops: 'a program that makes requests without end',
    mutation: 'never',
    tests: PROGRAMS,
  },
  {
    id: 'program-bytes-cap',
    stops: 'a program that moves bytes without end',
    mutation: 'never',
    tests: PROGRAMS,
  },
  {
    id: 'program-source-cap',
    stops: 'a source that is expensive to parse',
    mutation: 'never',
    tests: PROGRAMS,
  },
  {
    id: 'programs-per-tenant-cap',
    stops: 'a tenant whose programs leave no room for others',
    mutation: 'always',
    tests: PROGRAMS,
  },
  {
    id: 'program-of-one-tenant',
    stops: 'a tenant that gets the result of another tenant’s program',
    mutation: { replace: [/ \|\| owner\.tenant !== tenant/, ''] },
    tests: PROGRAMS,
  },
  {
    id: 'program-id-checked',
    stops: 'an id that leads out of the directory of logs',
    mutation: { replace: [/ID\.test\(id\) && stored\(\)\.includes\(id\)/, 'true'] },
    tests: PROGRAMS,
  },
  {
    id: 'finished-program-log-removed',
    stops: 'inputs and results that stay on the disk after the program has ended',
    mutation: 'never',
    tests: PROGRAMS,
  },
  {
    id: 'program-log-authenticated',
    stops: 'a log that was changed while the host was down',
    mutation: 'never',
    tests: PROGRAMS,
  },
  {
    id: 'resumed-program-repeats-itself',
    stops: 'a resumed program that gets the results of other requests',
    mutation: 'never',
    tests: ['test/engine/programs/ledger.test.ts'],
  },
  {
    id: 'begun-call-not-run-again',
    stops: 'a second run of a call that may have had its effect',
    mutation: 'never',
    tests: KILLED,
  },
  {
    id: 'begun-call-on-disk',
    stops: 'a call that runs before the log knows it',
    mutation: 'remove',
    tests: KILLED,
  },
  {
    id: 'caller-for-host-tools-only',
    stops: 'a remote server that learns the tenant and the policy of a call',
    mutation: { replace: [/place\.isHosts === true/, 'true'] },
    tests: ['test/engine/plugins/remotes.test.ts'],
  },
  {
    id: 'finished-programs-cap',
    stops: 'a tenant whose finished programs fill the disk',
    mutation: 'remove',
    tests: SAVED,
  },
  {
    id: 'finished-program-id-compared',
    stops: 'the source of another program under the name of this one',
    mutation: { replace: [/ && value\.id === id/, ''] },
    tests: SAVED,
  },
  {
    id: 'saved-program-tools-cap',
    stops: 'a manifest whose tools make each search expensive',
    mutation: 'never',
    tests: SAVED,
  },
  {
    id: 'saved-program-input-checked',
    stops: 'an input that does not fit the schema of a saved program',
    mutation: { replace: [/violationOf\(listed\.inputSchema, input\)/, 'undefined'] },
    tests: SAVED,
  },
  {
    id: 'saved-program-permitted',
    stops: 'a saved program that calls tools without the operator’s grant',
    mutation: 'never',
    tests: SAVED,
  },
  {
    id: 'saved-program-ends-with-its-permission',
    stops: 'a saved program that goes on after its permission was revoked',
    mutation: { replace: [/grants\.onRevoked\(id, \(\) => running\.cancel\(\)\)/, '() => {}'] },
    tests: SAVED,
  },
  {
    id: 'saved-program-names-each-tool',
    stops: 'a pack whose program may call each tool that comes later',
    mutation: { replace: [/!tool\.includes\('\*'\)/, 'true'] },
    tests: SAVED,
  },
  {
    id: 'resumed-saved-program-same-build',
    stops: 'a saved program that goes on with other code, other tools or without its permission',
    mutation: { replace: [/bundle !== undefined/, 'true'] },
    tests: SAVED,
  },
  {
    id: 'code-executor-lends-named-functions',
    stops: 'a program of another code mode that calls a function of another program',
    mutation: {
      replace: [/running\.get\(textOf\(metadata\['run'\]\)\)/, '[...running.values()][0]'],
    },
    tests: ['test/adapters/code-executor.test.ts'],
  },
  {
    id: 'reading-creates-no-key',
    stops: 'a new key in place of one that is only not there now',
    mutation: 'never',
    tests: SAVED,
  },
];
