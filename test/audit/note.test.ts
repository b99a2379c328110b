import { describe, expect, it } from 'vitest';
import { noteEvent } from '../../src/audit/note.js';
import { processorMs } from '../processor-time.js';

const ended = (stack: string): ReturnType<typeof noteEvent> =>
  noteEvent(
    {
      atMs: 1,
      type: 'call-ended',
      call: 'c',
      plugin: 'sample',
      tool: 'run',
      outcome: 'error',
      stack,
      durationMs: 1,
    },
    { inputs: 'none', redact: [] },
  );

describe('the audit entry of a failed call', () => {
  it('has the first place of the stack', () => {
    expect(ended('Error: no\n    at run (src/index.ts:3:7)\n    at a.ts:1:1')).toMatchObject({
      at: 'src/index.ts:3:7',
    });
    expect(ended('Error: no\n    at a.ts:1:1')).toMatchObject({ at: 'a.ts:1:1' });
    expect(ended('Error: at a.ts:1:1')).not.toHaveProperty('at');
  });

  it('takes less than 100 ms to compute from a stack of empty lines', () => {
    const stack = '\n'.repeat(16 * 1024);
    const ms = processorMs(() => {
      for (let n = 0; n < 10; n += 1) ended(stack);
    });
    // A quadratic search takes 5 s.
    expect(ms).toBeLessThan(1_000);
  });
});
