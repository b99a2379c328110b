import { describe, expect, it } from 'vitest';
import { echo, lend } from './lender.js';

const never = { name: 'never', handler: () => new Promise(() => {}) };

describe('the caps on the host’s powers', () => {
  it('bound the arguments, in bytes', async () => {
    const { refusal } = lend([echo], ['echo'], { maxArgumentBytes: 10 });
    expect((await refusal('echo', 'é'.repeat(4)))[0]).toBe('allowed');
    expect(await refusal('echo', 'é'.repeat(5))).toEqual([
      'POWER_LIMIT',
      'A use of a power by notes was stopped: the arguments of echo are 12 bytes. The limit maxArgumentBytes is 10.',
    ]);
  });

  it('bound the result, in bytes', async () => {
    const { refusal } = lend([{ name: 'big', handler: (n) => 'é'.repeat(Number(n)) }], ['big'], {
      maxResultBytes: 10,
    });
    expect((await refusal('big', 4))[0]).toBe('allowed');
    expect(await refusal('big', 5)).toEqual([
      'POWER_LIMIT',
      'A use of a power by notes was stopped: the result of big is larger. The limit maxResultBytes is 10.',
    ]);
  });

  it('bound the uses under way, and those that wait', async () => {
    const { refusal, close } = lend([never], ['never'], { maxActive: 1, maxQueued: 1 });
    const first = refusal('never');
    const second = refusal('never');
    expect((await refusal('never'))[1]).toMatch(/maxQueued is 1/);
    close();
    expect((await Promise.all([first, second])).map(([code]) => code)).toEqual([
      'PERMISSION_REVOKED',
      'PERMISSION_REVOKED',
    ]);
  });

  it('bound the time, and what comes too late is not read', async () => {
    let signal: AbortSignal | undefined;
    const slow = {
      name: 'slow',
      timeoutMs: 20,
      handler: (_: unknown, context: { readonly signal: AbortSignal }) => {
        ({ signal } = context);
        return new Promise(() => {});
      },
    };
    const { refusal } = lend([slow], ['slow']);
    expect(await refusal('slow')).toEqual([
      'POWER_FAILED',
      'slow failed: it did not finish within 20 ms.',
    ]);
    expect(signal?.aborted).toBe(true);
  });

  it('free their slot whatever the outcome of the call', async () => {
    const { refusal } = lend(
      [
        {
          name: 'fails',
          handler: () => {
            throw new Error('no');
          },
        },
      ],
      ['fails'],
      { maxActive: 1, maxQueued: 1 },
    );
    for (let tries = 0; tries < 5; tries += 1) {
      expect((await refusal('fails'))[0]).toBe('POWER_FAILED');
    }
  });
});
