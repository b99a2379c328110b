import { describe, expect, it } from 'vitest';
import { makeProgress } from '../../../src/cli/selftest/selftest.js';
import { fakeCapabilities } from '../fake.js';

describe('the selftest progress', () => {
  it('is shown on a terminal and then erased', async () => {
    const { stderr } = fakeCapabilities({ terminal: true });
    const progress = makeProgress(stderr);
    await progress.show(15, 30, 'escape\u001b[2J');
    expect(stderr.text).toBe(`\r\u001b[K${'█'.repeat(15)}${'░'.repeat(15)} 15/30 escape\\u001b[2J`);
    await progress.clear();
    expect(stderr.text.endsWith('\r\u001b[K')).toBe(true);
  });

  it('never wraps a line', async () => {
    const { stderr } = fakeCapabilities({ terminal: true });
    await makeProgress(stderr).show(0, 1, 'x'.repeat(500));
    expect(stderr.text.length).toBeLessThan(85);
  });

  it('is not shown if the output is not a terminal', async () => {
    const { stderr } = fakeCapabilities();
    const progress = makeProgress(stderr);
    await progress.show(1, 2, 'a');
    await progress.clear();
    expect(stderr.text).toBe('');
  });
});
