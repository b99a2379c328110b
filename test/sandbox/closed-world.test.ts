import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '../architecture/sources.js';

/** Guest code that must not compile, and one file that must, or the test would prove nothing. */
const snippets = {
  process: 'export const pid: unknown = process.pid;',
  fetch: "export const answer: unknown = fetch('https://example.com');",
  Buffer: "export const bytes: unknown = Buffer.from('');",
  require: "export const fs: unknown = require('fs');",
  setTimeout: 'setTimeout(() => {}, 1);',
  'node-import':
    "import { readFileSync } from 'node:fs';\nexport const read: unknown = readFileSync;",
  'host-import':
    "import { BulkheadError } from '../../src/errors.js';\nexport const error: unknown = BulkheadError;",
  allowed: 'export const frozen: object = harden({ text: String(1) });',
};

let directory = '';
let problems = '';

beforeAll(() => {
  mkdirSync(join(ROOT, '.cache'), { recursive: true });
  // Inside the repository, so that types and packages are found as the sandbox finds them.
  directory = mkdtempSync(join(ROOT, '.cache', 'closed-world-'));
  const config = {
    extends: '../../sandbox/tsconfig.json',
    compilerOptions: {
      rootDir: '.',
      noEmit: true,
      composite: false,
      declaration: true,
      incremental: false,
    },
    include: ['.'],
    exclude: [],
  };
  writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify(config));
  for (const [name, code] of Object.entries(snippets)) {
    writeFileSync(join(directory, `${name}.ts`), code);
  }
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  problems = spawnSync(process.execPath, [tsc, '-p', directory], {
    cwd: directory,
    encoding: 'utf8',
  }).stdout;
});

afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe('code inside the boundary', () => {
  it.each(Object.keys(snippets).filter((name) => name !== 'allowed'))(
    'does not compile where it uses %s',
    (name) => {
      expect(problems).toMatch(new RegExp(`^${name}\\.ts\\(.*error TS`, 'm'));
    },
  );

  it('compiles where it uses the language and SES', () => {
    expect(problems).not.toContain('allowed.ts');
  });
});
