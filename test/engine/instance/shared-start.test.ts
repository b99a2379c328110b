import { describe, expect, it } from 'vitest';
import { makeSharedStart, type SharedStart } from '../../../src/engine/instance/shared-start.js';

interface Door {
  readonly shared: SharedStart<number>;
  readonly starts: AbortSignal[];
  readonly open: (value: number) => void;
}

/** Starts wait at a door, and may be given up there. */
function makeDoor(): Door {
  const starts: AbortSignal[] = [];
  let open: (value: number) => void = () => {};
  const shared = makeSharedStart(
    ({ signal }) =>
      new Promise<number>((resolve, reject) => {
        starts.push(signal);
        open = resolve;
        signal.addEventListener('abort', () => reject(signal.reason));
      }),
  );
  return { shared, starts, open: (value) => open(value) };
}

describe('what is started once for all who want it', () => {
  it('is shared, and starts again for a later caller', async () => {
    const { shared, starts, open } = makeDoor();
    const both = [shared.join(), shared.join()];
    open(1);
    expect(await Promise.all(both)).toEqual([1, 1]);
    const third = shared.join();
    open(2);
    expect(await third).toBe(2);
    expect(starts).toHaveLength(2);
  });

  it('goes on while one of them wants it, and is given up with the last', async () => {
    const { shared, starts } = makeDoor();
    const [one, two] = [new AbortController(), new AbortController()];
    const both = [shared.join({ signal: one.signal }), shared.join({ signal: two.signal })];
    one.abort();
    expect(starts[0]?.aborted).toBe(false);
    two.abort();
    expect(starts[0]?.aborted).toBe(true);
    for (const each of both) await expect(each).rejects.toThrow('no caller waits');
  });

  it('starts again for a caller that arrives while it is abandoned', async () => {
    const { shared, starts, open } = makeDoor();
    const controller = new AbortController();
    const given = shared.join({ signal: controller.signal });
    controller.abort();
    const late = shared.join();
    await expect(given).rejects.toThrow('no caller waits');
    await expect.poll(() => starts.length).toBe(2);
    open(3);
    expect(await late).toBe(3);
  });

  it('is abandoned for all callers by the caller that started it', async () => {
    const { shared } = makeDoor();
    const wanted = shared.join();
    shared.giveUp(new Error('closed'));
    await expect(wanted).rejects.toThrow('closed');
  });
});
