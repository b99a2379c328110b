/** The commands, with plugins of Vellum's, as a person types them. */
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeVellum } from '../engine/vellum-on-disk.js';
import { run as bulkhead } from './in-process.js';

const fixture = (name: string): string => resolve('fixtures/plugins/vellum', name);

describe('bulkhead call', () => {
  it('prints what a tool says, and its output while it runs on standard error', async () => {
    const { code, stdout, stderr } = await bulkhead([
      'call',
      fixture('meeting-notes'),
      'summarise_transcript',
      '--input',
      '{"transcript":"A: hi"}',
    ]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'A (1)\n' });
    expect(stderr).toContain('line 1/1\n');
  });

  it('prints its data as JSON, and with --json all that it returned', async () => {
    const argv = ['call', fixture('family-briefing'), 'list_people'];
    const plain = await bulkhead(argv);
    expect(JSON.parse(plain.stdout)).toEqual(['Ada', 'Ben']);
    const json = await bulkhead([...argv, '--json']);
    expect(JSON.parse(json.stdout)).toMatchObject({
      ok: true,
      result: { content: ['Ada', 'Ben'] },
    });
  });

  it('exits with 5 if the tool reports a failure, with the tool’s message', async () => {
    const { code, stdout } = await bulkhead([
      'call',
      fixture('notes-db'),
      'search_notes',
      '--input',
      '{"query":" "}',
      '--json',
    ]);
    expect(code).toBe(5);
    expect(JSON.parse(stdout)).toMatchObject({
      ok: false,
      error: { code: 'TOOL_FAILED', message: 'error: query must be non-empty' },
      result: { isError: true },
    });
  });

  it('hands the context over', async () => {
    const directory = makeVellum({
      tools: {
        who: 'export default { execute: (i, ctx) => ({ content: ctx.conversationId + ctx.isInteractive }) };',
      },
    });
    const { stdout } = await bulkhead([
      'call',
      directory,
      'who',
      '--context',
      '{"conversationId":"c7","isInteractive":true}',
    ]);
    expect(stdout).toBe('c7true\n');
  });

  it('--allow adds to the request of a plugin that declares no permissions, and gives no other more', async () => {
    const read = `import { readFile } from 'node:fs/promises';
      export default {
        execute: async () => ({
          content: typeof Date.now() + (await readFile(new URL('../pages/a.txt', import.meta.url), 'utf8')),
        }),
      };`;
    const files = { 'pages/a.txt': ' and a page' };
    const silent = makeVellum({ tools: { read }, files });
    const declares = makeVellum({ tools: { read }, files, permissions: { time: true } });
    expect((await bulkhead(['call', silent, 'read'])).code).not.toBe(0);
    expect(await bulkhead(['call', silent, 'read', '--allow', 'fs:./pages'])).toMatchObject({
      code: 0,
      stdout: 'number and a page\n',
    });
    const refused = await bulkhead(['call', declares, 'read', '--allow', 'fs:./pages']);
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain(
      'fs:./pages gives sample nothing: package.json does not declare it',
    );
    // Without the clock the tool fails; with --only, the rest of the request is withheld.
    const only = ['--only', 'fs:./pages'];
    expect((await bulkhead(['call', silent, 'read', ...only])).code).not.toBe(0);
    expect(await bulkhead(['call', silent, 'read', ...only, '--only', 'time'])).toMatchObject({
      code: 0,
    });
    const wrong = await bulkhead(['call', silent, 'read', '--allow', 'network', '--json']);
    expect(wrong.code).toBe(1);
    expect(JSON.parse(wrong.stdout)).toMatchObject({ error: { code: 'INVALID_OPTIONS' } });
  });
});

describe('bulkhead tools and inspect', () => {
  it('list all of a folder under their own names', async () => {
    const { code, stdout } = await bulkhead([
      'tools',
      resolve('fixtures/plugins/vellum'),
      '--json',
    ]);
    const { tools } = JSON.parse(stdout);
    expect(tools).toHaveLength(17);
    expect(tools[0]).toMatchObject({ name: 'channel_overview', category: 'research', bare: true });
    expect(code).toBe(0);
  });

  it('show for a plugin its API, its hooks, and its possible permissions', async () => {
    const { stdout } = await bulkhead(['inspect', fixture('reading-pal')]);
    expect(stdout).toContain('edition    current');
    expect(stdout).toContain('hooks      init');
    expect(stdout).toContain('--allow');
    const json = await bulkhead(['inspect', fixture('reading-pal'), '--json']);
    expect(JSON.parse(json.stdout).plugin.entries[0]).toMatchObject({
      edition: 'current',
      hooks: ['init'],
      undeclared: true,
    });
  });
});
