import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { run } from './in-process.js';
import { run as runProcess, writePlugin } from './spawned.js';

const directory = mkdtempSync(join(tmpdir(), 'bulkhead-rules-'));
const file = join(directory, 'rules.json');
afterAll(() => rmSync(directory, { recursive: true, force: true }));

it('a rule that matches no installed tool is warned about when it is added and tested', async () => {
  const plugin = writePlugin({ id: 'p1' });
  const add = (tool: string) =>
    run(['rules', 'add', 'deny', tool, '--rules', file, '--plugins', plugin], { cwd: directory });
  const misspelt = await add('p1:rum');
  expect(misspelt.code).toBe(0);
  expect(misspelt.stderr).toContain('matches no installed tool');
  expect(misspelt.stderr).toContain('did you mean p1:run?');
  expect((await add('p1:r*')).stderr).toBe('');
  const tested = await run(['rules', 'test', 'p1__run', plugin, '--rules', file], {
    cwd: directory,
  });
  expect(tested.stdout).toContain('denied');
  expect(tested.stderr).toContain('did you mean p1:run?');
});

it('a server warns about such rules at its start', async () => {
  const rules = { version: 2, rules: [{ id: 'r-1', verdict: 'deny', plugin: 'p1', tool: 'rum' }] };
  writeFileSync(file, JSON.stringify(rules));
  const { stderr } = await runProcess(['mcp', writePlugin({ id: 'p1' }), '--rules', file]);
  expect(stderr).toContain(
    'rules that match no installed tool: r-1 (p1:rum; did you mean p1:run?)',
  );
});
