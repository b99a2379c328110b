import { createServer } from 'node:http';
import { describe, expect, it } from 'vitest';
import { afterEachFile } from '../tidying.js';
import { createEngine } from '../../src/index.js';
import { makePlugin, type PluginSpec } from '../engine/plugin-on-disk.js';
import { makeVellum } from '../engine/vellum-on-disk.js';
import { run } from './in-process.js';

const tool = (body: string, head = ''): string => `${head}export const tools = [{
  id: 'run', name: 'Run', description: 'Runs.', parameters: { type: 'object' },
  annotations: { readOnlyHint: true },
  async execute(input: any, context: any) {
    ${body}
  },
}];
`;
const dependency = (name: string, code: string): Readonly<Record<string, string>> => ({
  [`node_modules/${name}/package.json`]: JSON.stringify({ name, version: '1.0.0' }),
  [`node_modules/${name}/index.js`]: code,
});

const silent = createServer(() => {}).listen(0, '127.0.0.1');
afterEachFile(() => {
  silent.closeAllConnections();
  silent.close();
});
const port = (): number => {
  const address = silent.address();
  return typeof address === 'object' ? (address?.port ?? 0) : 0;
};

interface Mistake {
  readonly about: string;
  readonly spec: PluginSpec;
  /** Further arguments of `call … run`. */
  readonly args?: () => readonly string[];
  readonly code: string;
  readonly cause: string;
  readonly at?: string;
  readonly fix: string;
}

const mistakes: readonly Mistake[] = [
  {
    about: 'a host that is not granted',
    spec: { source: tool(`return (await fetch('https://api.example.com/x')).status;`) },
    code: 'NETWORK_DENIED',
    cause: 'may not use the network (fetch https://api.example.com/x)',
    at: 'index.ts:5:25',
    fix: '--allow network:api.example.com',
  },
  {
    about: 'a dependency that wants a variable',
    spec: {
      source: tool(`return open();`, `import { open } from 'openai-like';\n`),
      files: dependency(
        'openai-like',
        `exports.open = () => { throw new Error('OPENAI_API_KEY is missing'); };`,
      ),
    },
    code: 'TOOL_FAILED',
    cause: 'OPENAI_API_KEY is missing',
    at: 'index.ts:6:12',
    fix: 'If OPENAI_API_KEY is undefined: grant it (--allow env:OPENAI_API_KEY) and give it a value',
  },
  {
    about: 'a dependency that finds no network',
    spec: {
      source: tool(`return send();`, `import { send } from 'axios-like';\n`),
      files: dependency(
        'axios-like',
        `exports.send = () => {
          if (typeof fetch !== 'function') throw new Error('There is no suitable adapter');
          return fetch('https://api.example.com/x');
        };`,
      ),
    },
    code: 'TOOL_FAILED',
    cause: 'There is no suitable adapter',
    at: 'index.ts:6:12',
    fix: 'axios-like uses the network, which the plugin may not: grant the hosts that it calls (--allow network:HOST)',
  },
  {
    about: 'a dependency that refuses a value',
    spec: {
      source: tool(`return parse();`, `import { parse } from 'zod-like';\n`),
      files: dependency('zod-like', `exports.parse = () => { throw new Error('not a number'); };`),
    },
    code: 'TOOL_FAILED',
    cause: 'not a number',
    at: 'index.ts:6:12',
    fix: 'Check the input and the line of the plugin',
  },
  {
    about: 'a dependency that is not installed',
    spec: { source: tool(`return nope();`, `import nope from 'not-there';\n`) },
    code: 'BUNDLE_FAILED',
    cause: `"not-there" is not in the plugin's node_modules`,
    at: 'index.ts:1:18',
    fix: 'Run "npm install not-there"',
  },
  {
    about: 'a dependency that is not installed and imported late',
    spec: { source: tool(`return (await import('not-there')).default;`) },
    code: 'TOOL_FAILED',
    cause: `"not-there" is not in the plugin's node_modules`,
    at: 'index.ts:5:',
    fix: 'npm install not-there',
  },
  {
    about: 'an import from an address',
    spec: { source: tool(`return x;`, `import x from 'https://esm.sh/lodash';\n`) },
    code: 'BUNDLE_FAILED',
    cause: 'a plugin loads no code from the network',
    at: 'index.ts:1:15',
    fix: 'Install the package with npm and import it by its name',
  },
  {
    about: 'an import of a data address',
    spec: {
      source: tool(`return (await import('data:text/javascript,export default 1')).default;`),
    },
    code: 'TOOL_FAILED',
    cause: 'only files and packages of the plugin are imported, and no data: addresses',
    at: 'index.ts:5:',
    fix: 'Write the code into a file of the plugin',
  },
  {
    about: 'an import as Deno writes it',
    spec: { source: tool(`return x;`, `import x from 'npm:@scope/pad@1/left';\n`) },
    code: 'BUNDLE_FAILED',
    cause: 'only Deno imports packages so',
    at: 'index.ts:1:15',
    fix: `Run "npm install @scope/pad" in the plugin's directory, and import "@scope/pad".`,
  },
  {
    about: 'an import from the registry of Deno',
    spec: { source: tool(`return x;`, `import x from 'jsr:@std/path';\n`) },
    code: 'BUNDLE_FAILED',
    cause: 'only Deno imports packages so',
    at: 'index.ts:1:15',
    fix: 'npx jsr add @std/path',
  },
  {
    about: 'a module that Node does not have',
    spec: { source: tool(`return x;`, `import x from 'node:fetch';\n`) },
    code: 'BUNDLE_FAILED',
    cause: 'Node has no module fetch',
    at: 'index.ts:1:15',
    fix: 'Check its name.',
  },
  {
    about: 'an import whose name is computed',
    spec: { source: tool(`const n = './x' + '.js'; return import(n);`) },
    code: 'BUILTIN_DENIED',
    cause: 'names its module while the plugin runs',
    at: 'index.ts:5:',
    fix: 'Import it by a literal path.',
  },
  {
    about: 'a member of Intl without the clock',
    spec: { source: tool(`return new Intl.NumberFormat('en').format(1);`) },
    code: 'TOOL_FAILED',
    cause: 'plugins have Intl with the permission "time"',
    at: 'index.ts:5:',
    fix: 'Declare and grant "time".',
  },
  {
    about: 'a global of pages',
    spec: { source: tool(`return navigator.userAgent;`) },
    code: 'TOOL_FAILED',
    cause: 'Plugins have no navigator.',
    at: 'index.ts:5:',
    fix: 'Do not depend on the platform.',
  },
  {
    about: 'a file that does not exist',
    spec: {
      source: tool(
        `return readFileSync('data.json', 'utf8');`,
        `import { readFileSync } from 'node:fs';\n`,
      ),
    },
    code: 'TOOL_FAILED',
    cause: 'ENOENT: no such file or directory',
    at: 'index.ts:6:12',
    fix: 'Add the file "data.json" to the plugin, and name it in "fs"',
  },
  {
    about: 'a change of a built-in object',
    spec: { source: tool(`Object.assign(Array.prototype, { last: 1 }); return 1;`) },
    code: 'TOOL_FAILED',
    cause: 'Cannot add property last, object is not extensible',
    at: 'index.ts:5:12',
    fix: 'frozen for all plugins',
  },
  {
    about: 'two exports of one name',
    spec: { source: `export const tools = [];\n${tool('return 1;')}` },
    code: 'BUNDLE_FAILED',
    cause: 'Multiple exports with the same name "tools"',
    at: 'index.ts:2:14',
    fix: 'Keep one of the two. The name "tools" was originally exported here: line 1, column 14.',
  },
  {
    about: 'a variable that is not granted',
    spec: { source: tool(`return process.env['API_KEY'].trim();`) },
    code: 'TOOL_FAILED',
    cause: `(reading 'trim')`,
    at: 'index.ts:5:35',
    fix: 'If API_KEY is undefined: grant it (--allow env:API_KEY)',
  },
  {
    about: 'a variable that has no value',
    spec: {
      source: tool(`return env.get('API_KEY').trim();`),
      permissions: { env: ['API_KEY'] },
    },
    code: 'TOOL_FAILED',
    cause: `(reading '`,
    at: 'index.ts:5:',
    fix: 'give it a value (--env API_KEY=VALUE)',
  },
  {
    about: 'a function of Node’s crypto at the global one',
    spec: { source: tool(`return crypto.createHash('sha256');`) },
    code: 'TOOL_FAILED',
    cause: 'crypto.createHash is not a function',
    at: 'index.ts:5:19',
    fix: `import { createHash } from 'node:crypto'`,
  },
  {
    about: 'a thrown text',
    spec: { source: tool(`throw 'no city';`) },
    code: 'TOOL_FAILED',
    cause: 'no city',
    at: 'index.ts:5:5',
    fix: 'write throw new Error(…)',
  },
  {
    about: 'a thrown text with a value',
    spec: {
      source: tool(`if (input.x) throw 'another';\nthrow \`no city \${1 + 1}\`;`),
    },
    code: 'TOOL_FAILED',
    cause: 'no city 2',
    at: 'index.ts:6:1',
    fix: 'write throw new Error(…)',
  },
  {
    about: 'a rejection with an object',
    spec: {
      source: tool(`return Promise.reject({ reason: 'no city' });`),
    },
    code: 'TOOL_FAILED',
    cause: `{ reason: 'no city' }`,
    at: 'index.ts:5:12',
    fix: 'write throw new Error(…)',
  },
  {
    about: 'a rejection with nothing',
    spec: {
      source: tool(`return new Promise((_, reject) => {\n      reject();\n    });`),
    },
    code: 'TOOL_FAILED',
    cause: 'The plugin threw undefined instead of an error.',
    at: 'index.ts:6:7',
    fix: 'write throw new Error(…)',
  },
  {
    about: 'a thrown value that another function made',
    spec: { source: tool(`throw make();`, `const make = (): unknown => ({ a: 1 });\n`) },
    code: 'TOOL_FAILED',
    cause: '{ a: 1 }',
    at: 'index.ts:5:3',
    fix: 'write throw new Error(…)',
  },
  {
    about: 'a tool without its function',
    spec: {
      source: tool('return 1;').replace('async execute', 'async exekute'),
    },
    code: 'INVALID_TOOL',
    cause: 'has no execute function',
    at: 'index.ts:1:23',
    fix: 'Correct the tool',
  },
  {
    about: 'a name that a module does not export',
    spec: {
      source: tool(`return b;`, `import { b } from './helper';\n`),
      files: { 'helper.ts': 'export const a = 1;' },
    },
    code: 'BUNDLE_FAILED',
    cause: 'No matching export in "helper.ts" for import "b"',
    at: 'index.ts:1:10',
    fix: 'Correct the name, or export it there.',
  },
  {
    about: 'a syntax error',
    spec: { source: tool('return 1 +') },
    code: 'BUNDLE_FAILED',
    cause: 'Unexpected "}"',
    at: 'index.ts:6:3',
    fix: 'Correct the source at this place.',
  },
  {
    about: 'a missing comma in the manifest',
    spec: {
      source: tool('return 1;'),
      files: {
        'pandora.manifest.json': '{ "manifestVersion": 1,\n  "id": "x"\n  "name": "X" }',
      },
    },
    code: 'INVALID_MANIFEST',
    cause: 'is not JSON: a comma is missing before this',
    at: 'pandora.manifest.json:3:3',
    fix: 'Correct the manifest at this place.',
  },
  {
    about: 'a manifest that ends too early',
    spec: {
      source: tool('return 1;'),
      files: { 'pandora.manifest.json': '{ "manifestVersion": 1' },
    },
    code: 'INVALID_MANIFEST',
    cause: 'the text ends too early; a bracket or a quote is missing',
    at: 'pandora.manifest.json:1:23',
    fix: 'Correct the manifest at this place.',
  },
  {
    about: 'a comma after the last member',
    spec: {
      source: tool('return 1;'),
      files: { 'pandora.manifest.json': '{\n  "id": "x",\n}' },
    },
    code: 'INVALID_MANIFEST',
    cause: 'the last member has no comma after it',
    at: 'pandora.manifest.json:3:1',
    fix: 'Correct the manifest at this place.',
  },
  {
    about: 'no tools',
    spec: { source: '\nexport default [1];' },
    code: 'INVALID_TOOL',
    cause: 'exports "default", no "tools". Write: export const tools = [ … ]',
    at: 'index.ts:2:1',
    fix: 'Correct the tool',
  },
  {
    about: 'tools without export',
    spec: { source: `\n\n${tool('return 1;').replace('export ', '')}` },
    code: 'INVALID_TOOL',
    cause: 'index.ts: exports nothing. Write: export const tools = [ … ]',
    at: 'index.ts:3:1',
    fix: 'Correct the tool',
  },
  {
    about: 'a type that does not exist',
    spec: { source: tool('return 1;').replace(`type: 'object'`, `type: 'objct'`) },
    code: 'INVALID_SCHEMA',
    cause: 'the schema of run: #/type "objct" is not a type. Did you mean "object"?',
    at: 'index.ts:2:69',
    fix: 'bulkhead check <plugin-dir>',
  },
  {
    about: 'an entry that does not exist',
    spec: { source: tool('return 1;'), entry: { entry: 'src/main.ts' } },
    code: 'BUNDLE_FAILED',
    cause:
      'The plugin has no file "src/main.ts". Correct the entry in the manifest, or add the file.',
    at: 'pandora.manifest.json:',
    fix: 'Correct the entry in the manifest, or add the file.',
  },
  {
    about: 'a variable that is misspelt',
    spec: { source: tool(`const current = 1; return curretn;`) },
    code: 'TOOL_FAILED',
    cause: 'curretn is not defined',
    at: 'index.ts:5:31',
    fix: 'Did you mean current? Correct the name, or declare curretn.',
  },
  {
    about: 'a tool that uses too much memory',
    spec: { source: tool(`const all = []; for (;;) all.push(new Array(1e6).fill(all.length));`) },
    args: () => ['--memory', '64'],
    code: 'GUEST_OUT_OF_MEMORY',
    cause: 'it exceeded its memory limit of 64 MiB',
    at: 'index.ts:4:3',
    fix: 'Raise limits.memoryMb (--memory)',
  },
  {
    about: 'a result that is too large',
    spec: { source: tool(`return { list: [{ text: 'x'.repeat(2_000_000) }] };`) },
    code: 'RESULT_TOO_LARGE',
    cause: 'larger than 1048576 bytes of JSON at list[0].text',
    at: 'index.ts:4:3',
    fix: 'A host allows more bytes with limits.maxResultBytes.',
  },
  {
    about: 'code at the top level that throws',
    spec: { source: `${tool('return 1;')}throw new Error('at load');` },
    code: 'LOAD_FAILED',
    cause: 'at load',
    at: 'index.ts:8:7',
    fix: `Correct the plugin's top-level code`,
  },
  {
    about: 'CommonJS in an ES module',
    spec: { source: `${tool('return 1;')}module.exports.x = 1;` },
    code: 'LOAD_FAILED',
    cause: 'module is not defined',
    at: 'index.ts:8:1',
    fix: 'Write export instead of module.exports',
  },
  {
    about: 'a program that it wants to run',
    spec: {
      source: tool(`return execSync('ls');`, `import { execSync } from 'node:child_process';\n`),
    },
    code: 'BUILTIN_DENIED',
    cause: 'plugins may not run programs',
    at: 'index.ts:6:12',
    fix: 'Use fetch, readFile or env',
  },
  {
    about: 'a circular result',
    spec: { source: tool(`const a: any = { b: {} }; a.b.c = a; return a;`) },
    code: 'RESULT_INVALID',
    cause: 'The result is circular: b.c',
    at: 'index.ts:4:3',
    fix: 'Return plain data',
  },
  {
    about: 'a BigInt in a result',
    spec: { source: tool(`return { rows: [{ id: 1n }] };`) },
    code: 'RESULT_INVALID',
    cause: 'a BigInt at rows[0].id',
    at: 'index.ts:4:3',
    fix: 'Return plain data',
  },
  {
    about: 'a host of the own machine',
    spec: {
      source: tool(`return (await fetch('http://localhost:3000/')).status;`),
      permissions: { network: ['localhost:3000'] },
    },
    code: 'NETWORK_DENIED',
    cause: 'localhost is a private address or name',
    at: 'index.ts:5:',
    fix: '--host-override localhost=URL',
  },
  {
    about: 'a host that does not answer',
    spec: {
      source: tool(`return (await fetch('https://slow.test/a?key=secret')).status;`),
      permissions: { network: ['slow.test'] },
    },
    args: () => ['--timeout', '700', '--host-override', `slow.test=http://127.0.0.1:${port()}`],
    code: 'DEADLINE_EXCEEDED',
    cause: 'was waiting at that time for fetch GET https://slow.test/a.',
    at: 'index.ts:4:3',
    fix: 'Raise the deadline (--timeout',
  },
  {
    about: 'a promise that does not settle',
    spec: { source: tool(`return new Promise(() => {});`) },
    args: () => ['--timeout', '400'],
    code: 'DEADLINE_EXCEEDED',
    cause: 'look for a promise that does not settle',
    at: 'index.ts:4:3',
    fix: 'Raise the deadline (--timeout',
  },
  {
    about: 'a loop',
    spec: { source: tool(`for (;;);`) },
    args: () => ['--timeout', '400'],
    code: 'DEADLINE_EXCEEDED',
    cause: 'look for a loop that does not end',
    at: 'index.ts:4:3',
    fix: 'Raise the deadline (--timeout',
  },
  {
    about: 'a top-level await that does not settle',
    spec: { source: `await new Promise(() => {});\n${tool(`return 1;`)}` },
    code: 'DEADLINE_EXCEEDED',
    cause: 'was not loaded after 10000 ms (limits.loadTimeoutMs)',
    fix: 'Look for a top-level `await` that does not settle',
  },
  {
    about: 'randomness that its system does not have',
    spec: { source: tool(`return crypto.randomUUID();`) },
    code: 'BUILTIN_DENIED',
    cause: 'no cryptographic randomness',
    at: 'index.ts:',
    fix: "Pass an identifier in the tool's input",
  },
  {
    about: 'a server of its own',
    spec: {
      source: `import { createServer } from 'node:http';\n${tool(`return createServer().listen(80);`)}`,
    },
    code: 'NETWORK_DENIED',
    cause: 'a plugin cannot listen on a port, and no permission lets it',
    at: 'index.ts:',
    fix: 'Offer what the server does as tools',
  },
  {
    about: 'an input that is not JSON',
    spec: { source: tool(`return 1;`) },
    args: () => ['--input', '{city:1}'],
    code: 'INVALID_OPTIONS',
    cause: `Names and texts have double quotes: --input '{"name":"value"}'`,
    fix: 'Read `bulkhead call --help`',
  },
];

interface Told {
  readonly code: string;
  readonly message: string;
  readonly at?: { readonly file: string; readonly line: number; readonly column: number };
  readonly frame?: readonly string[];
  readonly fix: string;
}

const RUNS = `export default {
  description: 'd', defaultRiskLevel: 'low', input_schema: { type: 'object' },
  execute: () => ({ content: 'done', isError: false }),
};`;

describe('a mistake of an author', () => {
  it.each(mistakes)('is reported with its cause, place and fix: $about', async (mistake) => {
    const { spec, code, cause, at, fix, args = () => [] } = mistake;
    const { stdout } = await run(['call', makePlugin(spec), 'run', '--json', ...args()]);
    const { error }: { readonly error: Told } = JSON.parse(stdout);
    expect(error).toMatchObject({
      code,
      message: expect.stringContaining(cause),
      fix: expect.stringContaining(fix),
    });
    const place = error.at && `${error.at.file}:${error.at.line}:${error.at.column}`;
    if (at === undefined) expect(place).toBeUndefined();
    else {
      expect(place).toContain(at);
      expect(error.frame).toContainEqual(expect.stringMatching(/^ > +\d+ \| /));
    }
  });

  it('in the manifest is reported, whether the call fails or not', async () => {
    const permissions = { network: ['https://api.example.com/v1'] };
    const warning = 'it names hosts, not paths. Remove the path.';
    const failing = makePlugin({
      source: tool(`return (await fetch('https://api.example.com/v1')).status;`),
      permissions,
    });
    expect((await run(['call', failing, 'run'])).stderr).toMatch(
      /^warning {2}.*Remove the path\.$/m,
    );
    const working = makePlugin({ source: tool(`return 'done';`), permissions });
    const { code, stdout, stderr } = await run(['call', working, 'run']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'done\n' });
    expect(stderr).toContain(warning);
    const { stdout: line } = await run(['call', working, 'run', '--json']);
    expect(JSON.parse(line)).toMatchObject({
      ok: true,
      problems: [expect.stringContaining(warning)],
    });
  });

  it.each([
    [
      'no execute',
      `export default { input_schema: { type: 'object' }, exec() {} };`,
      'TOOL_FAILED',
      /no execute implementation/,
    ],
    ['a syntax error', 'export default { execute( };', 'BUNDLE_FAILED', /Expected|Unexpected/],
    [
      'no default export',
      '\nexport const tool = {};',
      'INVALID_TOOL',
      /tools\/run\.ts: is not a tool/,
    ],
  ])('of Vellum is reported as what it is: %s', async (_, text, code, cause) => {
    const directory = makeVellum({ tools: { run: text } });
    const { stdout } = await run([
      'call',
      directory,
      'run',
      '--input',
      '{"a":1}',
      '--json',
      '--yes',
    ]);
    const { error }: { readonly error: Told } = JSON.parse(stdout);
    expect(error).toMatchObject({ code, message: expect.stringMatching(cause) });
    expect(error.fix).not.toContain('a value that is not an Error');
    expect(error.at).toMatchObject({ file: 'tools/run.ts' });
  });

  it.each([
    [
      'a hook whose name is misspelt',
      { hooks: { 'user-prompt-submitt': 'export default () => {};' } },
      'hooks/user-prompt-submitt.ts: is not the name of a hook, so it never runs. Did you mean user-prompt-submit?',
      'hooks/user-prompt-submitt.ts',
    ],
    [
      'an unknown risk',
      { tools: { run: RUNS.replace(`'low'`, `'lwo'`) } },
      'tools/run.ts: defaultRiskLevel: must be "low", "medium" or "high"; it counts as "high"',
      'tools/run.ts',
    ],
    [
      'a promise for a tool',
      { tools: { run: `export default Promise.resolve({ execute() {} });` } },
      'tools/run.ts: its default export is a promise, which is not awaited. Await it: export default await …',
      'tools/run.ts',
    ],
  ])('of Vellum is a warning, whether the call fails or not: %s', async (_, files, what, file) => {
    const directory = makeVellum({ tools: { run: RUNS }, ...files });
    const { stderr } = await run(['call', directory, 'run', '--yes']);
    expect(stderr).toContain(`warning  ${what}\n`);
    const { stdout } = await run(['check', directory, '--json']);
    const { findings }: { readonly findings: readonly object[] } = JSON.parse(stdout);
    expect(findings).toContainEqual(expect.objectContaining({ file }));
  });

  it('that rejects after the answer is still reported', async () => {
    const directory = makePlugin({
      source: tool(`void Promise.reject(new Error('floating')); return 'done';`),
    });
    const { stdout, stderr } = await run(['call', directory, 'run']);
    expect(stdout).toBe('done\n');
    expect(stderr).toContain('error: Error: floating (not caught)');
  });

  it('in a loop that runs as a file is loaded is reported as such', async () => {
    const directory = makeVellum({ tools: { run: `for (;;);\n${RUNS}` } });
    await using engine = await createEngine({
      plugins: [directory],
      // Long enough that a busy machine leaves it time to compute.
      limits: { loadTimeoutMs: 4_000 },
    });
    expect(engine.plugins()[0]?.problems).toEqual([
      expect.objectContaining({
        code: 'DEADLINE_EXCEEDED',
        message: expect.stringMatching(
          /To fix this: It was computing: look for a loop in the code that runs while a file is loaded\.$/,
        ),
      }),
    ]);
  });

  it('in a key of the manifest or a tool is a warning, whether the call fails or not', async () => {
    const directory = makePlugin({
      source: tool(`return 'done';`).replace('parameters:', 'inputSchema:'),
      entry: { permisions: { network: ['a.test'] } },
    });
    const { code, stderr } = await run(['call', directory, 'run']);
    expect(code).toBe(0);
    expect(stderr).toMatch(
      /^warning {2}tool "run": "inputSchema" is not read\. Did you mean "param/m,
    );
    expect(stderr).toMatch(
      /^warning {2}pandora\.manifest\.json:1:\d+: provides\.tools\.permisions is not read\. Did you mean "permissions"\?$/m,
    );
  });

  it.each([
    ['a function', 'return { rows: [{ go() {} }] };', 'rows[0].go is a function (left out'],
    ['a Map', 'return new Map([[1, 2]]);', 'the value itself is a Map (becomes {}'],
    ['nothing', 'input;', 'The tool run returned nothing, so its result is null.'],
  ])('that loses data of a result is a warning: %s', async (_, body, warning) => {
    const { code, stderr } = await run(['call', makePlugin({ source: tool(body) }), 'run']);
    expect(code).toBe(0);
    expect(stderr).toContain(`[sample] warn: `);
    expect(stderr).toContain(warning);
    const json = await run(['call', makePlugin({ source: tool(body) }), 'run', '--json']);
    expect(JSON.parse(json.stdout)).toMatchObject({
      ok: true,
      warnings: [expect.stringContaining(warning)],
    });
  });

  it('in the name of a variable is told, if the call fails or not', async () => {
    const directory = makePlugin({
      source: tool(`return 'Bearer ' + process.env['API_KEY'] + process.env['GIVEN'];`),
      permissions: { env: ['GIVEN', 'OTHER'] },
      files: { 'unused.ts': `process.env['UNUSED'];` },
    });
    const { stdout, stderr } = await run(['call', directory, 'run'], { terminal: true });
    expect(stdout).toBe('Bearer undefinedundefined\n');
    expect(stderr).toMatch(
      /^note {2}API_KEY is undefined in index\.ts:5:\d+, because it is not granted \(--allow env:API_KEY --env API_KEY=VALUE; .* must name it in "env"\)$/m,
    );
    expect(stderr).toMatch(/GIVEN is undefined .* has no value \(--env GIVEN=VALUE\)$/m);
    expect(stderr).not.toMatch(/OTHER|UNUSED/);
    const given = await run(['call', directory, 'run', '--env', 'GIVEN=b'], { terminal: true });
    expect(given.stdout).toBe('Bearer undefinedb\n');
    expect(given.stderr).not.toContain('GIVEN');
  });
});
