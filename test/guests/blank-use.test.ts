import { expect, it } from 'vitest';
import { blankUseOf, noteBlankUse } from '../../src/guests/blank-use.js';

it.runIf(process.platform === 'linux')(
  'what a blank guest had used is known once it was noted, of that guest alone',
  () => {
    const guest = { pid: process.pid };
    expect(blankUseOf(guest)).toBeUndefined();
    noteBlankUse(guest);
    expect(blankUseOf(guest)).toBeGreaterThan(0);
    expect(blankUseOf({ pid: process.pid })).toBeUndefined();
  },
);

it('of a process that is gone nothing is noted', () => {
  const guest = { pid: 0x3fffffff };
  noteBlankUse(guest);
  expect(blankUseOf(guest)).toBeUndefined();
});
