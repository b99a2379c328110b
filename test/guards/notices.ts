import type { Guard } from './guard.js';

const tests = ['test/http/notices.test.ts'];

/** The webhooks about pending approvals. */
export const noticeGuards: readonly Guard[] = [
  {
    id: 'notices-queue-capped',
    stops: 'notices that fill the memory of the host',
    mutation: 'never',
    tests,
  },
  {
    id: 'notice-follows-no-redirect',
    stops: 'a notice that another host gets',
    mutation: 'remove',
    tests,
  },
  {
    id: 'notices-encrypted',
    stops: 'a notice that the network can read',
    mutation: 'never',
    tests,
  },
  {
    id: 'notice-secret-length',
    stops: 'a signature that can be guessed',
    mutation: 'never',
    tests,
  },
  {
    id: 'notice-link-returns-to-page',
    stops: 'a link that leads to another site after the token',
    mutation: 'always',
    tests: ['test/console/door.test.ts'],
  },
];
