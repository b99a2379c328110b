import { lstatSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Evidence, stampOf } from '../../../src/plugin/bundle/evidence.js';
import { isCurrent } from '../../../src/plugin/bundle/is-current.js';

let root = '';

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'bulkhead-evidence-'));
  writeFileSync(join(root, 'read.js'), '1');
  writeFileSync(join(root, 'found.js'), '2');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const evidence = (): Evidence => ({
  root,
  hoisted: [],
  files: {
    'read.js': {
      bytes: 1,
      hash: 'sha512-x',
      stamp: stampOf(lstatSync(join(root, 'read.js'), { bigint: true })),
    },
  },
  lookups: { 'read.js': 'file', 'found.js': 'file', 'read.ts': 'absent' },
});

describe('the evidence of a bundle is out of date', () => {
  const changes: Readonly<Record<string, () => void>> = {
    'if a file that was read has another text': () => writeFileSync(join(root, 'read.js'), '33'),
    'if a file that was read was removed': () => rmSync(join(root, 'read.js')),
    'if a link replaced a file that was read': () => {
      renameSync(join(root, 'read.js'), join(root, 'elsewhere.js'));
      symlinkSync('elsewhere.js', join(root, 'read.js'));
    },
    'if a file that was found but not read was removed': () => rmSync(join(root, 'found.js')),
    'if a file was added at a path that was absent': () => writeFileSync(join(root, 'read.ts'), ''),
  };

  test.each(Object.entries(changes))('%s', async (_, change) => {
    const before = evidence();
    expect(await isCurrent(before)).toBe(true);
    change();
    expect(await isCurrent(before)).toBe(false);
  });
});
