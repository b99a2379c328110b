import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { fencesOf } from '../docs/documents.js';
import { ROOT } from '../architecture/sources.js';
import { heardOf, makeCell } from './cell.js';
import { hasNats, startNats } from './nats-server.js';

const [example] = fencesOf('docs/fleet.md').filter(({ language }) => language === 'js');

it.skipIf(!hasNats)('docs/fleet.md has an example of a gateway that runs', async () => {
  const { url } = await startNats();
  const cell = await makeCell(url, [{ id: 'sample', tools: { echo: '(input) => input.text' } }]);
  const gateway = await cell.gateway('starter');
  await cell.runner();
  await heardOf(gateway, 'runner-1');
  // Inside the repository, where `bulkhead` is this package.
  const directory = mkdtempSync(join(ROOT, 'test/.fleet-'));
  try {
    writeFileSync(
      join(directory, 'example.mjs'),
      (example?.text ?? '').replaceAll('nats://127.0.0.1:4222', url),
    );
    copyFileSync(cell.lockFile, join(directory, 'bulkhead.lock.json'));
    copyFileSync(cell.signKey, join(directory, 'gateway.pem'));
    const child = spawn(process.execPath, ['example.mjs'], {
      cwd: directory,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += String(chunk)));
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(output).toContain('hello');
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});
