import { describe, expect, it } from 'vitest';
import { dryRunTitle } from '../../src/report/dry-run-title.js';

const write = { permission: 'storage', operation: 'write', path: 'a' } as const;
const request = {
  permission: 'network',
  method: 'GET',
  url: 'https://a.test/',
  headers: [],
} as const;
const read = { ...request, reads: true } as const;
const post = { ...request, method: 'POST' } as const;

describe('the title of a dry run', () => {
  it.each([
    [[], {}, 'This time the tool asked for no change.'],
    [[write], {}, 'This time the tool asked for 1 change.'],
    [[write, post], { readOnlyHint: false }, 'This time the tool asked for 2 changes.'],
    // A refused read is no change.
    [
      [read],
      { readOnlyHint: true },
      'This time the tool asked for no change, and for 1 read from a host that no rule clears for dry runs.',
    ],
    [
      [read, read, post],
      {},
      'This time the tool asked for 1 change, and for 2 reads from a host that no rule clears for dry runs.',
    ],
    // It names the hint that it contradicts.
    [
      [post],
      { readOnlyHint: true },
      'This time the tool asked for 1 change. Its author says that it only reads.',
    ],
    [
      [],
      { readOnlyHint: false, destructiveHint: true },
      'This time the tool asked for no change. Its author says that it may delete or overwrite data.',
    ],
    [[], { readOnlyHint: true, destructiveHint: true }, 'This time the tool asked for no change.'],
  ])('of %j with the hints %j is %j', (stopped, hints, title) => {
    expect(dryRunTitle(stopped, hints)).toBe(title);
  });
});
