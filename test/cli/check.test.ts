import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeDirectory, makePlugin, type PluginSpec } from '../engine/plugin-on-disk.js';
import { makeVellum } from '../engine/vellum-on-disk.js';
import { makeScratch } from '../run-directory.js';
import { run } from './in-process.js';

const TOOL = (body: string, more = ''): string => `export const tools = [{
  id: 'run', name: 'Run', description: 'Runs.', parameters: { type: 'object' },
  annotations: { readOnlyHint: true },${more}
  async execute(input: any, context: any) {
    ${body}
  },
}];
`;

interface Found {
  readonly rule: string;
  readonly level: string;
  readonly message: string;
  readonly fix?: string;
  readonly file?: string;
  readonly line?: number;
}

async function check(
  directory: string,
  ...more: readonly string[]
): Promise<{ readonly code: number | null; readonly findings: readonly Found[] }> {
  const { code, stdout } = await run(['check', directory, '--json', ...more]);
  const { findings }: { readonly findings: readonly Found[] } = JSON.parse(stdout);
  return { code, findings };
}

const VERSION = { manifest: { version: '1.0.0' } };
const FETCH = TOOL(`return (await fetch('https://api.example.com/x')).status;`);

describe('bulkhead check', () => {
  const mistakes: readonly (readonly [string, PluginSpec, Partial<Found>])[] = [
    [
      'a misspelt key of the manifest',
      { source: FETCH, entry: { permisions: { network: ['api.example.com'] } } },
      {
        rule: 'manifest-key',
        message: 'provides.tools.permisions is not read.',
        fix: 'Did you mean "permissions"?',
      },
    ],
    [
      'a misspelt permission',
      { source: FETCH, permissions: { netwrk: ['api.example.com'] } },
      { rule: 'manifest-key', fix: 'Did you mean "network"?' },
    ],
    [
      'an entry that does not exist',
      { source: FETCH, entry: { entry: './src/idnex.ts' } },
      {
        rule: 'build',
        message: 'The plugin has no file "src/idnex.ts".',
        file: 'pandora.manifest.json',
        line: 1,
      },
    ],
    [
      'an undeclared host',
      { source: FETCH, permissions: { network: ['api.other.com'] } },
      { rule: 'permission-missing', file: 'index.ts', line: 5 },
    ],
    [
      'a host that is only passed to a function',
      {
        source: `import { get } from './get.js';\n${TOOL(`return get('https://api.example.com/');`)}`,
        files: { 'get.ts': 'export const get = (url: string) => fetch(url);' },
      },
      { rule: 'permission-missing', file: 'index.ts', line: 6 },
    ],
    [
      'a host in a variable that is changed later',
      {
        source: TOOL(
          `const url = new URL('https://api.example.com/'); url.searchParams.set('q', input.q); return (await fetch(url)).status`,
        ),
        permissions: { network: ['api.other.com'] },
      },
      { rule: 'permission-missing', level: 'error', line: 5 },
    ],
    [
      'a variable that is not requested',
      { source: TOOL('return process.env.MY_KEY.length') },
      { rule: 'permission-missing', line: 5 },
    ],
    [
      'no tools',
      { source: 'export const toolz = [];' },
      { rule: 'load', message: 'index.ts: exports "toolz", no "tools".' },
    ],
    [
      'a default export',
      { source: 'export default [];' },
      { rule: 'load', message: 'index.ts: exports "default", no "tools".' },
    ],
    [
      'a tool instead of a list',
      { source: TOOL('return 1').replace('= [{', '= {').replace('}];', '};') },
      { rule: 'load', message: 'index.ts: "tools" is not a list.' },
    ],
    [
      'an absent global',
      { source: TOOL(`return new WebSocket('wss://api.example.com');`) },
      { rule: 'absent', line: 5, fix: expect.stringContaining('Use fetch') },
    ],
    [
      'a field with the name that another system has',
      { source: TOOL('return 1').replace('parameters:', 'inputSchema:') },
      {
        rule: 'load',
        message: 'tool "run": "inputSchema" is not read.',
        fix: 'Did you mean "parameters"?',
        file: 'index.ts',
        line: 2,
      },
    ],
    [
      'a type that does not exist in a schema',
      { source: `\n${TOOL('return 1').replace("'object'", "'objct'")}` },
      { rule: 'schema', fix: 'Did you mean "object"?', file: 'index.ts', line: 3 },
    ],
    [
      'a list of tools with a gap',
      { source: TOOL('return 1').replace('[{', '[ , {') },
      { rule: 'load', message: expect.stringContaining('has no id; an id has 1 to 128') },
    ],
    [
      'a tool without hints',
      { source: TOOL('return 1').replace('annotations:', 'hints:') },
      {
        rule: 'load',
        level: 'warning',
        fix: expect.stringContaining('write annotations: { readOnlyHint: true }'),
        line: 2,
      },
    ],
    [
      'ES modules and CommonJS in one file',
      { source: `${TOOL('return 1')}module.exports = {};` },
      { rule: 'load', file: 'index.ts', line: 8 },
    ],
    [
      'a missing dependency',
      { source: `import x from 'not-here';\n${TOOL('return x')}` },
      { rule: 'build', file: 'index.ts', line: 1, fix: expect.stringContaining('npm install') },
    ],
    [
      'a throw while it loads',
      { source: `${TOOL('return 1')}\nthrow new Error('no luck');` },
      { rule: 'load', message: 'no luck.', file: 'index.ts', line: 9 },
    ],
  ];

  const vellumTool = (text: string): string =>
    `\nexport default {\n  description: 'Runs.',\n  ${text}\n};\n`;

  it.each([
    ['execute', `exec() {}`, /has no execute function/, 'warning'],
    ['a schema', `inputSchema: {}, execute() {}`, /"inputSchema" is not read/, 'warning'],
    ['a risk', `defaultRiskLevel: 'none',\n  execute() {}`, /defaultRiskLevel: must be/, 'warning'],
  ])('finds a Vellum tool without %s', async (_what, text, message, level) => {
    const { findings } = await check(makeVellum({ tools: { run: vellumTool(text) } }));
    expect(findings).toContainEqual(
      expect.objectContaining({
        rule: 'load',
        level,
        message: expect.stringMatching(message),
        file: 'tools/run.ts',
      }),
    );
  });

  it('says that a directory without a plugin lacks a manifest', async () => {
    const directory = makeScratch('no-plugin');
    writeFileSync(join(directory, 'package.json'), '{"name":"no-plugin"}');
    const { findings } = await check(directory);
    expect(findings).toMatchObject([
      {
        rule: 'manifest',
        message: expect.stringContaining('@vellumai/plugin-api in peerDependencies)'),
      },
    ]);
  });

  it('finds a Vellum plugin that has nothing, because its tools are elsewhere', async () => {
    const directory = makeVellum({ files: { 'src/tools/run.ts': vellumTool('execute() {}') } });
    expect((await check(directory)).findings).toContainEqual(
      expect.objectContaining({ rule: 'load', level: 'error', message: expect.any(String) }),
    );
    const { code, stderr } = await run(['call', directory, 'run']);
    expect(code).toBe(1);
    expect(stderr).toContain('There is no tool run: sample has no tools.');
  });

  it('places what a tool lacks at this tool, not at one that has it', async () => {
    const first = `{ id: 'first', name: 'F', description: 'F.', parameters: { type: 'object' }, execute: () => 1 },`;
    const source = TOOL('return 1').replace('[{', `[\n${first}\n{`);
    const { findings } = await check(makePlugin({ ...VERSION, source }));
    expect(findings).toMatchObject([{ rule: 'load', level: 'warning', line: 2 }]);
  });

  it.each(mistakes)('finds %s', async (_what, spec, finding) => {
    const { code, findings } = await check(makePlugin({ ...VERSION, ...spec }));
    expect(code).toBe(2);
    expect(findings).toContainEqual(expect.objectContaining(finding));
  });

  it.each([
    [FETCH, ['ok', 'ok', 'error', 'ok', 'ok']],
    [TOOL('return 1').replace("'object'", "'objct'"), ['ok', 'ok', 'ok', 'error', 'ok']],
    ['return;', ['ok', 'error', 'not-checked', 'not-checked', 'not-checked']],
  ])('has a scorecard: %#', async (source, results) => {
    const { stdout } = await run(['check', makePlugin({ ...VERSION, source }), '--json']);
    const parts = ['manifest', 'code', 'permissions', 'tools', 'publication'];
    expect(JSON.parse(stdout).plugins[0].scorecard).toEqual(
      parts.map((part, index) => ({ part, result: results[index] })),
    );
  });

  it('reports nothing about a plugin without mistakes', async () => {
    const directory = makePlugin({
      ...VERSION,
      source: TOOL(
        `const seen = typeof window === 'object' ? window : globalThis; return [seen === globalThis, (await fetch('https://api.example.com/x')).status];`,
      ),
      permissions: { network: ['api.example.com'] },
    });
    expect(await check(directory)).toEqual({ code: 0, findings: [] });
    const { stdout } = await run(['check', directory]);
    expect(stdout).toBe(
      'sample: 1 tool, about 16 tokens in every turn\n' +
        '  manifest ok · code ok · permissions ok · tools ok · publication ok\n' +
        'no problem found\n',
    );
  });

  it('counts unused permissions and a missing version as notes, which --fail-on can count', async () => {
    const directory = makePlugin({
      source: TOOL('return 1'),
      permissions: { time: true, network: ['api.example.com'] },
    });
    const { code, findings } = await check(directory);
    expect({ code, found: findings.map(({ rule, level }) => `${level} ${rule}`) }).toEqual({
      code: 0,
      found: ['note version', 'note permission-unused', 'note permission-unused'],
    });
    expect((await check(directory, '--fail-on', 'note')).code).toBe(2);
  });

  it('does not report a permission of a computed address as unused', async () => {
    const directory = makePlugin({
      ...VERSION,
      source: TOOL('return (await fetch(input.url)).status'),
      permissions: { network: ['api.example.com'] },
    });
    expect((await check(directory)).findings).toEqual([]);
  });

  it('notes a host that the code names, if it computes an address', async () => {
    const source = (url: string): string =>
      `const HOSTS: any = { a: 'https://api.example.com', b: 'https://b.example.com' };\n${TOOL(`return [HOSTS, (await fetch(${url})).status]`)}`;
    const spec = { ...VERSION, permissions: { network: ['b.example.com'] } };
    const { code, findings } = await check(
      makePlugin({ ...spec, source: source('HOSTS[input.at]') }),
    );
    expect({ code, findings }).toEqual({
      code: 0,
      findings: [
        expect.objectContaining({
          rule: 'permission-missing',
          level: 'note',
          line: 1,
          fix: expect.stringContaining(
            'If the code fetches it, add "network": ["https://api.example.com"]',
          ),
        }),
      ],
    });
    const computesNone = makePlugin({ ...spec, source: source("'https://b.example.com/'") });
    expect((await check(computesNone)).findings).toEqual([]);
  });

  it('means the plugin around if none is named and there is no lock file', async () => {
    const cwd = makePlugin({ ...VERSION, source: TOOL('return missing') });
    const named = await run(['check', '.', '--json'], { cwd });
    expect(JSON.parse(named.stdout)).toMatchObject({ plugins: [{ plugin: 'sample' }] });
    expect(await run(['check', '--json'], { cwd })).toEqual(named);
    for (const more of [['--locked'], ['--lock', 'other.lock.json']]) {
      const { code, stderr } = await run(['check', ...more], { cwd });
      expect(code).toBe(1);
      expect(stderr).toContain('does not exist');
    }
    await run(['add', '.', '--yes'], { cwd });
    expect(JSON.parse((await run(['check', '--json'], { cwd })).stdout)).toMatchObject({
      plugins: [],
    });
  });

  it('finds misspelt keys of a Vellum package', async () => {
    const directory = makeVellum({
      tools: { say: `export default { description: 'Says.', execute: () => 1 };` },
      manifest: { bulkhead: { permision: { time: true } } },
    });
    const { findings } = await check(directory);
    expect(findings).toContainEqual(
      expect.objectContaining({ rule: 'manifest-key', message: 'bulkhead.permision is not read.' }),
    );
  });

  it('shows the line and the edit, and writes SARIF', async () => {
    const directory = makePlugin({ ...VERSION, source: FETCH });
    const sarif = join(makeDirectory(), 'check.sarif');
    const { code, stdout } = await run(['check', directory, '--sarif', sarif]);
    expect(code).toBe(2);
    expect(stdout).toContain('> 5 |     return (await fetch(');
    expect(stdout).toContain('Add "network": ["https://api.example.com"]');
    const log = JSON.parse(readFileSync(sarif, 'utf8'));
    expect(log.runs[0].results).toEqual([
      expect.objectContaining({
        ruleId: 'permission-missing',
        level: 'error',
        locations: [
          expect.objectContaining({
            physicalLocation: expect.objectContaining({
              artifactLocation: { uri: 'index.ts', uriBaseId: 'PLUGIN' },
              region: { startLine: 5, startColumn: 19 },
            }),
          }),
        ],
      }),
    ]);
    expect(log.runs[0].tool.driver.rules[log.runs[0].results[0].ruleIndex].id).toBe(
      'permission-missing',
    );
  });
});

describe('the error of a call', () => {
  const call = async (
    source: string,
    files: PluginSpec['files'] = {},
    ...options: readonly string[]
  ): Promise<string> => {
    const directory = makePlugin({ source, files });
    return (await run(['call', directory, 'run', ...options])).stderr;
  };

  it('says what to use instead of an absent global', async () => {
    expect(await call(TOOL(`return localStorage.getItem('x')`))).toContain(
      'fix     Store data with the permission "storage".',
    );
  });

  it('names the variable that was not granted', async () => {
    expect(await call(TOOL('return process.env.MY_KEY.length'))).toContain(
      'fix     If MY_KEY is undefined: grant it (--allow env:MY_KEY)',
    );
  });

  it("shows the author's own line, and names the dependency's", async () => {
    const text = await call(`import { parse } from 'dep';\n${TOOL('return parse()')}`, {
      'node_modules/dep/package.json': '{"name":"dep","version":"1.0.0","main":"index.js"}',
      'node_modules/dep/index.js': `exports.parse = () => {\n  throw new Error('empty');\n};\n`,
    });
    expect(text).toContain('index.ts:6:');
    expect(text).toContain('return parse()');
    expect(text).toContain('thrown  in node_modules/dep/index.js:2:9');
  });

  it('says whether a call that ran out of time computed or waited', async () => {
    const called = (body: string): Promise<string> => call(TOOL(body), {}, '--timeout', '3000');
    expect(await called('for (;;) {}')).toContain('It was computing at that time');
    expect(await called('await new Promise(() => {});')).toContain('It was waiting at that time');
  });
});
