import { describe, expect, it } from 'vitest';
import { makeRequestSlots } from '../../src/http/request-slots.js';

type Acquire = ReturnType<typeof makeRequestSlots>['acquire'];

/** Acquires every slot that a caller can get. */
function acquireAll(acquire: Acquire, caller?: string): (() => void)[] {
  const releases: (() => void)[] = [];
  for (let release = acquire(caller); release !== undefined; release = acquire(caller)) {
    releases.push(release);
  }
  return releases;
}

describe('request slots', () => {
  it('are all available to a caller without a name', () => {
    expect(acquireAll(makeRequestSlots(64).acquire)).toHaveLength(64);
  });

  it('are all available to one tenant that is alone, and a quarter more to the others', () => {
    const { acquire } = makeRequestSlots(64);
    const counts = ['a', 'b', 'c', 'd'].map((caller) => acquireAll(acquire, caller).length);
    expect(counts).toEqual([64, 12, 3, 1]);
    expect(acquire('e')).toBeUndefined();
  });

  it('are not available to the largest of several callers while few are free', () => {
    const { acquire } = makeRequestSlots(64);
    const releases = acquireAll(acquire, 'a');
    const release = acquire('b');
    releases.pop()?.();
    expect(acquire('a')).toBeUndefined();
    release?.();
    expect(acquire('a')).toBeTypeOf('function');
  });

  it('are available again after their release, which counts once', () => {
    const { acquire } = makeRequestSlots(8);
    for (let round = 0; round < 3; round += 1) {
      const releases = acquireAll(acquire, 'a');
      expect(releases).toHaveLength(8);
      for (const release of releases) {
        release();
        release();
      }
    }
  });

  it('leave a spare one for a second caller if there is only one', () => {
    const { acquire } = makeRequestSlots(1);
    const release = acquire('a');
    expect(acquire('a')).toBeUndefined();
    expect(acquire('b')).toBeTypeOf('function');
    expect(acquire('c')).toBeUndefined();
    release?.();
    expect(acquire('c')).toBeTypeOf('function');
  });
});
