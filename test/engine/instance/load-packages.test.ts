import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openLockfile } from '../../../src/entry-points/lock.js';
import { makeCache } from '../../run-directory.js';
import { makeDirectory, makePlugin, silentLogger, startEngine } from '../plugin-on-disk.js';

it('starts only code that was accepted with the same option packages', async () => {
  const root = makeDirectory();
  const directory = makePlugin(
    { id: 'locked', tools: { run: "() => 'ran'" } },
    join(root, 'plugins/locked'),
  );
  const lockFile = join(root, 'bulkhead.lock.json');
  const packages = { locked: 'separate' } as const;
  const accept = async (more: object): Promise<void> => {
    const book = openLockfile(lockFile, {
      plugins: [],
      cacheDirectory: makeCache(join(root, 'cache')),
      logger: silentLogger,
      env: {},
      limits: { pool: 0 },
      ...more,
    });
    const inspected = await book.inspect(directory);
    book.accept(inspected, { granted: inspected.declared, by: 'ada' });
  };

  await accept({});
  // What it offers is stored, so that a start needs no guest.
  const first = await startEngine([], { lockFile });
  expect(await first.call('run', {})).toMatchObject({ value: 'ran' });
  const refused = await startEngine([], { lockFile, packages });
  expect(JSON.stringify(refused.plugins())).toContain('its accepted code was built as one bundle');
  await accept({ packages });
  const engine = await startEngine([], { lockFile, packages });
  expect(await engine.call('run', {})).toMatchObject({ value: 'ran' });
});
