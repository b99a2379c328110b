import { describe, expect, it } from 'vitest';
import { run } from './spawned.js';

describe('bulkhead demo', () => {
  it('ends by itself without a terminal, with all as claimed', async () => {
    const { stdout, stderr, code } = await run(['demo']);
    expect(stderr).toBe('');
    expect(stdout).toMatch(/attacks (\d\d)\/\1 blocked/);
    expect(stdout).not.toContain('ESCAPED');
    expect(stdout).toContain('All as claimed.');
    expect(code).toBe(0);
  }, 60_000);
});
