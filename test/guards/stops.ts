import type { Guard } from './guard.js';

const tests = ['test/engine/stops.test.ts'];

/** The operator's kill switch. */
export const stopGuards: readonly Guard[] = [
  {
    id: 'unreadable-stops-stop',
    stops: 'a stop that is lost because its directory cannot be read',
    mutation: { replace: ['UNREADABLE', ''] },
    tests,
  },
  {
    id: 'stop-stored-first',
    stops: 'a stop that ends with the process',
    mutation: 'remove',
    tests,
  },
  {
    id: 'stopped-calls-end',
    stops: 'a running call that survives a stop',
    mutation: 'always',
    tests,
  },
  {
    id: 'stop-withdraws-approvals',
    stops: 'an approval from before a stop that is spent after it',
    mutation: 'remove',
    tests,
  },
  {
    id: 'stopped-guests-killed',
    stops: 'a process of a stopped plugin that lives on',
    mutation: 'never',
    tests,
  },
  {
    id: 'stopped-plugin-gets-no-guest',
    stops: 'code of a stopped plugin that is loaded',
    mutation: 'never',
    tests,
  },
  {
    id: 'stopped-call-refused',
    stops: 'a call of something that is stopped',
    mutation: 'never',
    tests,
  },
  {
    id: 'stopped-program-refused',
    stops: 'a program of a stopped tenant',
    mutation: 'never',
    tests,
  },
  {
    id: 'stopped-programs-end',
    stops: 'a program that survives a stop',
    mutation: 'never',
    tests,
  },
  {
    id: 'stopped-hooks-refused',
    stops: 'a hook for a stopped tenant',
    mutation: 'never',
    tests,
  },
  {
    id: 'stop-needs-name',
    stops: 'a stop that nothing attributes',
    mutation: 'never',
    tests,
  },
];
