/** What extensions import, and what becomes of those that do not load (Spindle, Entry and globals). */
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeExtension, registering } from '../../engine/extension-on-disk.js';
import { makeDirectory, startEngine } from '../../engine/plugin-on-disk.js';
import { answerOf, tool } from './answer-of.js';

async function problemOf(spec: Parameters<typeof makeExtension>[0]): Promise<string> {
  const engine = await startEngine([makeExtension(spec)]);
  const [status] = engine.plugins();
  expect(status?.state).toBe('failed');
  await engine.close();
  return status?.problems.map(({ message }) => message).join('\n') ?? '';
}

describe('S09: what an extension imports', () => {
  it.each(['node:child_process', 'bun:ffi', 'node:vm', 'node:worker_threads'])(
    '%s loads where it is never used, and says its name where it is',
    async (specifier) => {
      const source = (use: string): string =>
        `import * as it from ${JSON.stringify(specifier)}; const unused = () => it; ${tool(use)}`;
      expect(await answerOf({ source: source(`'fine'`) })).toBe('fine');
      const bare = specifier.replace(/^\w+:/, '');
      expect(await answerOf({ source: source('it.readFileSync("/etc/passwd")') })).toMatch(
        new RegExp(`^failed: (?:bun:)?${bare}\\.readFileSync is refused to plugins`),
      );
    },
  );

  it.each(['node:fs', 'fs', 'node:fs/promises'])(
    '%s loads, and reaches no file that was not granted',
    async (specifier) => {
      const source = (use: string): string =>
        `import * as it from ${JSON.stringify(specifier)}; ${tool(use)}`;
      expect(await answerOf({ source: source(`typeof it.readFile`) })).toBe('function');
      const read = specifier.endsWith('promises') ? 'readFile' : 'readFileSync';
      expect(await answerOf({ source: source(`it.${read}("/etc/passwd")`) })).toMatch(
        /^failed: EACCES: permission denied, '\/etc\/passwd'/,
      );
    },
  );

  it('createRequire gives nothing that was not bundled', async () => {
    const source = `import { createRequire } from 'module';
      ${tool(`(() => { try { return typeof createRequire(import.meta.url)('fs').readFileSync('/etc/passwd') } catch (error) { return error.message } })()`)}`;
    expect(await answerOf({ source })).toMatch(/refused to plugins|cannot|not/i);
  });

  it.each(['left-pad', '@scope/name', 'https://example.com/x.js'])(
    '%s that is not there is refused by its name',
    async (specifier) => {
      const problem = await problemOf({
        source: `import it from ${JSON.stringify(specifier)}; it();`,
      });
      expect(problem).toContain(specifier);
    },
  );

  it.each(['/etc/passwd', '../../../../../../etc/passwd', 'file:///etc/passwd'])(
    '%s is not read',
    async (path) => {
      const problem = await problemOf({ source: `import text from ${JSON.stringify(path)};` });
      expect(problem).not.toContain('root:');
      expect(problem).toMatch(/leads out|OUTSIDE|not|no/i);
    },
  );

  it('S04: an entry that is a link out of the extension is not read', async () => {
    const outside = makeDirectory();
    const directory = makeExtension({ backend: 'other.js', source: '' });
    makeExtension({ source: tool(`'outside'`) }, outside);
    symlinkSync(join(outside, 'dist'), join(directory, 'dist'));
    const engine = await startEngine([directory]);
    expect(engine.catalog.list()).toEqual([]);
    expect(engine.plugins()[0]?.problems[0]?.code).toBe('OUTSIDE_PLUGIN');
  });
});

describe('S12: an extension that does not load', () => {
  it('is reported with its own words and place, and the others start', async () => {
    const broken = makeExtension({
      identifier: 'broken',
      source: `${registering('never')}\nthrow new Error('cannot start');`,
    });
    const good = makeExtension({ identifier: 'good', source: tool(`'good'`) });
    const engine = await startEngine([broken, good]);
    expect(engine.catalog.list().map(({ id }) => id)).toEqual(['good:run']);
    const status = engine.plugins().find(({ id }) => id === 'broken');
    expect(status?.problems[0]?.message).toContain('cannot start');
  });

  it('is given up where it never finishes', async () => {
    const engine = await startEngine(
      [makeExtension({ source: `await new Promise(() => {}); ${tool(`'x'`)}` })],
      { limits: { loadTimeoutMs: 500 } },
    );
    expect(engine.plugins()[0]).toMatchObject({ state: 'failed' });
    expect(engine.plugins()[0]?.problems[0]?.code).toBe('DEADLINE_EXCEEDED');
  });

  it('S05: without a backend is there, with nothing to run', async () => {
    const engine = await startEngine([
      makeExtension({ backend: 'dist/frontend.js', source: 'document.title = 1;' }),
    ]);
    expect(engine.plugins()).toMatchObject([{ id: 'sample', state: 'active', tools: [] }]);
  });
});
