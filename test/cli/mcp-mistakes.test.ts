/** The mistakes that authors of MCP servers make, as `check` and a call report them. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createEngine } from '../../src/index.js';
import { plainProgram } from '../engine/mcp-on-disk.js';
import { makeDirectory } from '../engine/plugin-on-disk.js';
import { run } from './in-process.js';

const WORKS = plainProgram("return text('done');");

function write(program: string, more: object = {}): string {
  const directory = makeDirectory();
  const manifest = {
    name: 'my-server',
    version: '1.0.0',
    type: 'module',
    bin: 'src/server.js',
    keywords: ['mcp'],
    ...more,
  };
  const files = {
    'package.json': JSON.stringify(manifest, undefined, 2),
    'src/server.js': program,
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text);
  }
  return directory;
}

interface Finding {
  readonly rule: string;
  readonly level: string;
  readonly message: string;
  readonly fix?: string;
  readonly file?: string;
  readonly line?: number;
}

async function check(directory: string): Promise<readonly Finding[]> {
  const { stdout } = await run(['check', directory, '--json']);
  const { findings }: { findings: readonly Finding[] } = JSON.parse(stdout);
  // Its tool has no description.
  return findings.filter(({ rule }) => rule !== 'tool-text');
}

describe('a mistake of an author of an MCP server', () => {
  it.each([
    ['an error at the top', `const a = undefined;\na.b.c;\n${WORKS}`, 'load', "reading 'b'", 2],
    ['code that cannot be built', `${WORKS}\nconst {`, 'build', 'Expected identifier', undefined],
  ])('is reported at its line: %s', async (_, program, rule, message, line) => {
    const directory = write(program);
    const at = line ?? program.split('\n').length;
    expect(await check(directory)).toEqual([
      expect.objectContaining({
        rule,
        level: 'error',
        message: expect.stringContaining(message),
        file: 'src/server.js',
        line: at,
      }),
    ]);
    const { stdout } = await run(['call', directory, 'run', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({
      error: { code: 'LOAD_FAILED', at: { file: 'src/server.js', line: at } },
    });
  });

  it('is reported if the source is misspelt, with the file that is there', async () => {
    const directory = write(WORKS, {
      bin: 'dist/server.js',
      bulkhead: { source: 'src/servr.js' },
    });
    expect(await check(directory)).toEqual([
      expect.objectContaining({
        file: 'package.json',
        message: expect.stringMatching(
          /there is no src\/servr\.js, and no compiled dist\/server\.js\. Did you mean src\/server\.js\?$/,
        ),
      }),
    ]);
  });

  it('is reported if it never connects, with what to do', async () => {
    const directory = write('setInterval(() => {}, 1_000);');
    await using engine = await createEngine({
      plugins: [directory],
      grant: 'declared',
      // Long enough that a busy machine loads the file, and waits for the server.
      limits: { loadTimeoutMs: 4_000 },
    });
    const [plugin] = engine.plugins();
    expect(plugin?.problems).toEqual([
      expect.objectContaining({
        code: 'DEADLINE_EXCEEDED',
        message: expect.stringMatching(/did not say what tools.*connect the server to a Stdio/),
      }),
    ]);
  });

  it.each([
    ['tools alone, and lists none', 'tools: {}', true],
    ['prompts too', 'tools: {}, prompts: {}', false],
  ])('is reported if it offers %s', async (_, capabilities, isReported) => {
    const program = plainProgram('return text(1);', 'listed = [];');
    const directory = write(program.replace('tools: {}, resources: {}, prompts: {}', capabilities));
    const { stdout } = await run(['check', directory, '--json']);
    expect(stdout.includes('the server lists no tools, and offers neither')).toBe(isReported);
    const added = await run(['add', directory, '--yes'], { cwd: directory });
    const printed = added.stdout + added.stderr;
    expect(printed.includes('the server lists no tools, and offers neither')).toBe(isReported);
  });

  it('is reported with its last lines if it ends itself, with what to give it', async () => {
    const { stdout } = await run([
      'tools',
      write("console.error('\\u001b[31mERROR\\u001b[39m no KEY'); process.exit(1);"),
      '--json',
    ]);
    const { problems } = JSON.parse(stdout);
    expect(problems).toEqual([
      expect.objectContaining({
        code: 'LOAD_FAILED',
        message: expect.stringContaining('the exit code 1. Its last lines: ERROR no KEY'),
        fix: expect.stringContaining('--allow env:NAME'),
      }),
    ]);
  });

  it('is reported by add as without a key, if it lists nothing with a placeholder', async () => {
    const directory = write(
      plainProgram(
        "return text('done');",
        `if (!process.env.API_KEY) { console.error('API_KEY is required'); process.exit(1); }
         if (!process.env.API_KEY.startsWith('sk-')) listed = [];`,
      ),
    );
    const { stdout, stderr } = await run(['add', directory, '--yes'], { cwd: directory });
    expect(stdout + stderr).toContain('Its last lines: API_KEY is required');
  });

  it('is none if add gets the variable that its code reads in a way that is not found', async () => {
    const directory = write(
      plainProgram(
        "return text('done');",
        `const need = (name) => process.env[name] ?? (console.error(name, 'is required'), process.exit(1)); need(['MO', 'DE'].join(''));`,
      ),
    );
    const without = await run(['add', directory, '--yes'], { cwd: directory });
    expect(without.stderr).toContain('MODE is required');
    const other = makeDirectory();
    const given = ['add', directory, '--yes', '--allow', 'env:MODE', '--json'];
    const { stdout } = await run(given, { cwd: other });
    expect(Object.keys(JSON.parse(stdout).locked.tools)).toEqual(['run']);
  });

  it('is reported with what it was denied while it started, also if its code caught the error', async () => {
    const directory = write(
      "await fetch(new URL('https://api.example.com/v1')).catch(() => {}); console.error('no answer'); process.exit(1);",
    );
    const json = JSON.parse((await run(['tools', directory, '--json'])).stdout);
    expect(json.problems).toEqual([
      expect.objectContaining({
        denied: [
          expect.objectContaining({
            permission: 'network',
            wanted: 'fetch https://api.example.com/v1',
            at: expect.stringMatching(/^src\/server\.js:1:/),
          }),
        ],
      }),
    ]);
    const { stderr } = await run(['tools', directory]);
    expect(stderr).toMatch(
      /1 request was denied:\n {2}network: fetch https:\/\/api\.example\.com\/v1 at src\/server\.js:1:\d+ \(--allow network:api\.example\.com\)/,
    );
  });

  it('is reported for a misspelt key, and not for permissions that it never asked for', async () => {
    const permissions = { network: ['api.example.com'] };
    const misspelt = await check(write(WORKS, { bulkhead: { permisions: permissions } }));
    expect(misspelt).toEqual([
      expect.objectContaining({
        level: 'error',
        message: 'bulkhead.permisions is not read.',
        fix: 'Did you mean "permissions"?',
        file: 'package.json',
      }),
    ]);
    expect(await check(write(WORKS))).toEqual([]);
    // A declared one that nothing uses is reported.
    expect(await check(write(WORKS, { bulkhead: { permissions } }))).toEqual([
      expect.objectContaining({ rule: 'permission-unused', file: 'package.json' }),
    ]);
  });

  it('is reported for a program that it would start', async () => {
    const program = `import { execSync } from 'node:child_process';\n${plainProgram("execSync('ls'); return text('x');")}`;
    expect(await check(write(program))).toContainEqual(
      expect.objectContaining({
        rule: 'absent',
        message: 'No permission allows child_process.execSync.',
      }),
    );
  });
});
