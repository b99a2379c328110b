import type { Guard } from './guard.js';

const tests = ['test/engine/call/read-proof.test.ts'];

/** Calls that need no question because they are proven to only read. */
export const readGuards: readonly Guard[] = [
  {
    id: 'required-approval-not-proven-away',
    stops: 'a tool whose operator requires approval and that runs without',
    mutation: 'never',
    tests,
  },
  {
    id: 'reads-proven-by-held-writes',
    stops: 'a write that an author calls a read',
    mutation: 'never',
    tests,
  },
  {
    id: 'reads-proven-for-network-alone',
    stops: 'a change to files of the host that is called a read',
    mutation: 'never',
    tests,
  },
  {
    id: 'every-host-cleared',
    stops: 'a GET to a host of which the operator said nothing',
    mutation: 'never',
    tests,
  },
];
