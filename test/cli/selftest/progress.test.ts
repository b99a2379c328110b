import { expect, it } from 'vitest';
import { makeProgress } from '../../../src/cli/selftest/progress.js';
import { fakePowers } from '../fake.js';

it('a terminal is shown how far it is, and then nothing of it', async () => {
  const { stderr } = fakePowers({ terminal: true });
  const progress = makeProgress(stderr);
  await progress.show(15, 30, 'escape\u001b[2J');
  expect(stderr.text).toBe(`\r\u001b[K${'█'.repeat(15)}${'░'.repeat(15)} 15/30 escape\\u001b[2J`);
  await progress.clear();
  expect(stderr.text.endsWith('\r\u001b[K')).toBe(true);
});

it('a line never wraps', async () => {
  const { stderr } = fakePowers({ terminal: true });
  await makeProgress(stderr).show(0, 1, 'x'.repeat(500));
  expect(stderr.text.length).toBeLessThan(85);
});

it('what is no terminal is shown nothing', async () => {
  const { stderr } = fakePowers();
  const progress = makeProgress(stderr);
  await progress.show(1, 2, 'a');
  await progress.clear();
  expect(stderr.text).toBe('');
});
