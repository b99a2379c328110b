import { describe, expect, it } from 'vitest';
import { standbyUseOf, noteStandbyUse } from '../../src/guests/pool.js';

describe('the noted use of a standby guest', () => {
  it.runIf(process.platform === 'linux')('is known for that guest alone', () => {
    const guest = { pid: process.pid };
    expect(standbyUseOf(guest)).toBeUndefined();
    noteStandbyUse(guest);
    expect(standbyUseOf(guest)).toBeGreaterThan(0);
    expect(standbyUseOf({ pid: process.pid })).toBeUndefined();
  });

  it('is undefined for a process that has ended', () => {
    const guest = { pid: 0x3fffffff };
    noteStandbyUse(guest);
    expect(standbyUseOf(guest)).toBeUndefined();
  });
});
