/** MCP servers as plugins, by deed. */
import { describe, expect, it } from 'vitest';
import type { CallResult, Engine } from '../../src/index.js';
import { makeServer, plainProgram, startServer } from './mcp-on-disk.js';
import { makeDirectory, startEngine } from './plugin-on-disk.js';

function textOf({ content }: CallResult): string {
  return content.map((block) => ('text' in block ? block.text : '')).join('');
}

async function run(engine: Engine, input: object = {}): Promise<string> {
  return textOf(await engine.call('run', { ...input }));
}

describe('the console of a server', () => {
  it.each(['together', 'separate'] as const)(
    'has methods that its code replaces, packages %s',
    async (packages) => {
      const lines: string[] = [];
      const engine = await startServer(
        {
          program: plainProgram(
            `console.log('one'); console.info('two'); console.warn('three'); other();
           const refuses = (attempt) => { try { attempt(); return 'changed'; } catch (error) { return error.name; } };
           return text([refuses(() => { globalThis.console.log = 1; }), refuses(() => { console.error.mark = 1; })]);`,
            `import { other } from 'other'; const { error } = console; console.log = (...args) => error('first', ...args); console.info = console.log.bind(console);`,
          ),
          files: {
            'node_modules/other/package.json': '{ "main": "index.mjs" }',
            'node_modules/other/index.mjs': `export const other = () => console.log('four');`,
          },
        },
        {
          packages: { sample: packages },
          onEvent: (event) => event.type === 'log' && lines.push(`${event.level} ${event.text}`),
        },
      );
      expect(await run(engine)).toBe('TypeError,TypeError');
      const others = packages === 'separate' ? 'debug four' : 'error first four';
      await expect
        .poll(() => lines)
        .toEqual(['error first one', 'error first two', 'warn three', others]);
    },
  );
});

describe('a server of the SDK', () => {
  const program = (imports: string, schema: string): string => `#!/usr/bin/env node
    ${imports}
    import { fileURLToPath } from 'node:url';
    const server = new McpServer({ name: 'greeter', version: '1.0.0' });
    server.registerTool('greet', {
      title: 'Greet', description: 'Greets a person.', annotations: { readOnlyHint: true },
      inputSchema: ${schema}, outputSchema: ${schema.replace('name', 'greeting')},
    }, async ({ name }) => ({
      content: [{ type: 'text', text: 'Hello, ' + name }], structuredContent: { greeting: 'Hello, ' + name },
    }));
    if (process.argv[1] === fileURLToPath(import.meta.url)) await server.connect(new StdioServerTransport());
  `;
  const v1 = `
    import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
    import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';`;
  const ajv = ['ajv', 'ajv-formats', 'fast-uri', 'fast-deep-equal', 'json-schema-traverse'];
  const v1Packages = ['@modelcontextprotocol/sdk', 'zod', 'zod-to-json-schema', ...ajv];

  it.each([
    {
      sdk: 'version 1 with zod 3',
      text: program(`${v1} import { z } from 'zod/v3';`, '{ name: z.string() }'),
      packages: v1Packages,
    },
    {
      sdk: 'version 1 with zod 4',
      text: program(`${v1} import { z } from 'zod';`, '{ name: z.string() }'),
      packages: v1Packages,
    },
    {
      sdk: 'version 2',
      text: program(
        `import { McpServer } from '@modelcontextprotocol/server';
         import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
         import { z } from 'zod';`,
        'z.object({ name: z.string() })',
      ),
      packages: ['@modelcontextprotocol/server', '@modelcontextprotocol/core', 'zod'],
    },
  ])('$sdk runs unmodified', async ({ text, packages }) => {
    const engine = await startServer({ name: '@scope/greeter', program: text, packages });
    const [tool] = engine.catalog.list();
    expect(engine.plugins()[0]).toMatchObject({ id: '@scope/greeter', format: 'mcp-server' });
    expect(tool).toMatchObject({
      id: '@scope/greeter:greet',
      title: 'Greet',
      description: 'Greets a person.',
      declaredRisk: 'low',
    });
    const result = await engine.call('@scope/greeter:greet', { name: 'Ada' });
    expect(result).toMatchObject({
      isError: false,
      content: [{ type: 'text', text: 'Hello, Ada' }],
      structured: { greeting: 'Hello, Ada' },
    });
    await engine.close();
  });
});

describe('the world of a server', () => {
  it('is its session, its arguments, the granted variables, its own files and its storage', async () => {
    const engine = await startServer(
      {
        program: `
          import { createRequire } from 'node:module';
          import { createReadStream, createWriteStream, existsSync, promises, readFileSync, writeFileSync } from 'node:fs';
          import { pipeline } from 'node:stream/promises';
          const require = createRequire(import.meta.url);
          ${plainProgram(`
            writeFileSync('/home/plugin/notes.txt', 'kept');
            await pipeline(createReadStream('/home/plugin/notes.txt', { start: 1 }), createWriteStream('/tmp/copy.txt'));
            return text(JSON.stringify({
              args: process.argv.slice(2), granted: process.env.GIVEN, hidden: process.env.HIDDEN ?? null,
              version: require('./package.json').version, path: require('path').basename('/a/b'),
              asset: readFileSync(new URL('./asset.txt', import.meta.url), 'utf8'),
              note: readFileSync('/home/plugin/notes.txt', 'utf8'), copy: await promises.readFile('/tmp/copy.txt', 'utf8'), outside: existsSync('/etc/passwd'),
              calls: (globalThis.calls = (globalThis.calls ?? 0) + 1),
            }));`)}`,
        files: { 'asset.txt': 'beside the code' },
      },
      {
        env: { GIVEN: 'yes', HIDDEN: 'no' },
        grant: { sample: { time: true, storage: true, env: ['GIVEN'], fs: ['.'] } },
        config: { sample: { args: ['--mode', 'x', '--key={{GIVEN}}', '{{HIDDEN}}'] } },
        storageDirectory: makeDirectory(),
      },
    );
    const seen = {
      // A variable that was not granted is not filled in.
      args: ['--mode', 'x', '--key=yes', '{{HIDDEN}}'],
      granted: 'yes',
      hidden: null,
      version: '1.0.0',
      path: 'b',
      asset: 'beside the code',
      note: 'kept',
      copy: 'ept',
      outside: false,
    };
    expect(JSON.parse(await run(engine))).toEqual({ ...seen, calls: 1 });
    // One session serves all calls.
    expect(JSON.parse(await run(engine))).toEqual({ ...seen, calls: 2 });
    await engine.close();
  });

  it.each([
    ['require.main === module', 'server.cjs', 'require.main === module'],
    ['require.main, in a unit of its own', 'server.cjs', 'require.main === module'],
    ['import.meta.url', 'server.js', 'import.meta.url === pathToFileURL(process.argv[1]).href'],
    ['import.meta.filename', 'server.js', 'import.meta.filename === process.argv[1]'],
    ['import.meta.main', 'server.js', 'import.meta.main'],
    [
      'the way of CommonJS in an ES module',
      'server.js',
      "(typeof require !== 'undefined' && require.main === module) || import.meta.main",
    ],
  ])('starts if it asks whether it is the program, by %s', async (how, file, isMain) => {
    const isCommonJs = file.endsWith('.cjs');
    const load = (name: string, from: string): string =>
      isCommonJs ? `const { ${name} } = require('${from}');` : `import { ${name} } from '${from}';`;
    const engine = await startServer(
      {
        program: '',
        manifest: { bin: file },
        files: {
          [file]: `${load('pathToFileURL', 'node:url')} ${load('asked', isCommonJs ? './other.cjs' : './other.js')}
            if (${isMain}) { ${plainProgram("return text('started, other: ' + asked);").replace(/import .*\n/, '')} }`,
          'other.cjs': `exports.asked = ${isCommonJs ? isMain : 'false'};`,
          'other.js': `import { pathToFileURL } from 'node:url'; export const asked = ${isCommonJs ? 'false' : isMain};`,
        },
      },
      { packages: { sample: how.includes('unit') ? 'separate' : 'together' } },
    );
    expect(await run(engine)).toBe('started, other: false');
  });

  it('has no processes, sockets and ungranted hosts', async () => {
    const engine = await startServer({
      program: `
        import { execFileSync } from 'node:child_process';
        import net from 'node:net';
        ${plainProgram(`
          const tried = [];
          for (const one of [() => execFileSync('id'), () => new Promise((resolve, reject) => net.connect(80, 'localhost').on('connect', resolve).on('error', reject)), () => fetch('http://127.0.0.1/')]) {
            try { await one(); tried.push('worked'); } catch (error) { tried.push(error.message); }
          }
          return text(tried.join('\\n'));`)}`,
    });
    expect((await run(engine)).split('\n')).toEqual([
      expect.stringMatching(/plugins may not run programs/),
      expect.stringMatching(/plugins have no sockets/),
      expect.stringMatching(/network/),
    ]);
    await engine.close();
  });

  it('gets a cancellation when its caller gives up', async () => {
    const engine = await startServer({
      program: plainProgram(
        `if (args.wait) { globalThis.waiting = message.id; return undefined; }
         return text(globalThis.cancelled === globalThis.waiting);`,
        `process.stdin.on('data', (chunk) => {
           const line = String(chunk).split('\\n').find((one) => one.includes('notifications/cancelled'));
           if (line !== undefined) globalThis.cancelled = JSON.parse(line).params.requestId;
         });`,
      ),
    });
    const caller = new AbortController();
    const waiting = engine.call('run', { wait: true }, { signal: caller.signal });
    await expect.poll(() => engine.plugins()[0]?.entries.length).toBe(1);
    expect(await run(engine)).toBe('false');
    caller.abort();
    expect((await waiting).code).toBe('CANCELLED');
    await expect.poll(() => run(engine)).toBe('true');
    await engine.close();
  });
});

describe('resources, prompts and completion', () => {
  it('pass through, field by field, and lists have an end', async () => {
    const engine = await startServer({
      program: plainProgram(
        'return text(name);',
        `const offers = {
           'resources/list': ({ cursor = '0' }) => ({
             resources: Array.from({ length: 300 }, (_, index) => ({ uri: 'x:' + cursor + '/' + index, name: 'r', evil: 1 })),
             nextCursor: String(Number(cursor) + 1),
           }),
           'resources/read': ({ uri }) => ({ contents: [{ uri, text: 'read', evil: 1 }, 5] }),
           'prompts/list': () => ({ prompts: [{ name: 'p', description: 'd' }, null] }),
           'prompts/get': ({ name }) => ({ messages: [{ role: 'user', content: { type: 'text', text: name } }, { role: 'system' }] }),
         };
         process.stdin.on('data', (chunk) => {
           for (const line of String(chunk).split('\\n').filter(Boolean)) {
             const { id, method, params } = JSON.parse(line);
             if (offers[method]) send({ id, result: offers[method](params) });
           }
         });`,
      ),
    });
    const [source] = engine.mcpSources();
    const { signal } = new AbortController();
    expect(source?.offers).toMatchObject({ resources: true, prompts: true, completions: false });
    expect(await source?.list('resources', signal)).toHaveLength(1_000);
    expect((await source?.list('resources', signal))?.[0]).toEqual({ uri: 'x:0/0', name: 'r' });
    expect(await source?.ask('resources/read', { uri: 'x:1' }, signal)).toEqual({
      contents: [{ uri: 'x:1', text: 'read' }],
    });
    expect(await source?.list('prompts', signal)).toEqual([{ name: 'p', description: 'd' }]);
    expect(await source?.ask('prompts/get', { name: 'p' }, signal)).toEqual({
      messages: [{ role: 'user', content: { type: 'text', text: 'p' } }],
    });
    await engine.close();
  });
});

describe('a server that ends', () => {
  it('says why in the error, and the next call starts another', async () => {
    const engine = await startServer({
      program: plainProgram(
        `if (args.end) { console.error('the key is wrong'); process.exit(3); } return text('alive');`,
      ),
    });
    expect(await run(engine)).toBe('alive');
    const ended = await engine.call('run', { end: true });
    expect(ended.isError).toBe(true);
    expect(textOf(ended)).toMatch(/exit code 3\. Its last lines: the key is wrong/);
    await expect.poll(() => run(engine)).toBe('alive');
    await engine.close();
  });

  it('leaves the other plugins of its guest running', async () => {
    const program = plainProgram(
      `if (args.end) process.exit(0);
       if (args.wait) await new Promise((resolve) => { setTimeout(resolve, 400); });
       return text((globalThis.calls = (globalThis.calls ?? 0) + 1));`,
    );
    const engine = await startEngine(
      ['first', 'second'].map((name) => makeServer({ name, program })),
      { tolerance: 'full', trustGroups: { both: ['first', 'second'] } },
    );
    expect(textOf(await engine.call('second:run', {}))).toBe('1');
    expect((await engine.call('first:run', { end: true })).isError).toBe(true);
    // A call that lasts longer than the time in which a guest would end.
    expect(textOf(await engine.call('second:run', { wait: true }))).toBe('2');
    await engine.close();
  });

  it('before it has started is a plugin without tools, with the reason', async () => {
    const engine = await startServer({
      program: `console.error('API_KEY is required'); process.exit(1);`,
    });
    expect(
      engine
        .plugins()[0]
        ?.problems.map(({ message }) => message)
        .join(),
    ).toMatch(/exit code 1\. Its last lines: API_KEY is required/);
    await engine.close();
  });
});

describe('a hostile server', () => {
  it('answers no request but an open one, once', async () => {
    const engine = await startServer({
      program: plainProgram(`
        for (const id of [99, 1, -1, '5', null, {}, [message.id], String(message.id)]) send({ id, result: text('forged') });
        send({ id: message.id, result: text('first') });
        send({ id: message.id, result: text('second') });
        // The answer to a request that the host has not made yet.
        send({ id: message.id + 1, result: text('early') });
        return undefined;`),
    });
    expect(await run(engine)).toBe('first');
    expect(await run(engine)).toBe('first');
    await engine.close();
  });

  it('floods, and writes what is not a message, without an effect on its calls', async () => {
    const lines: string[] = [];
    const take = (_fields: object, line: string): void => void lines.push(line);
    const spec = {
      program: plainProgram(`
        for (let index = 0; index < 20000; index += 1) process.stdout.write('noise\\n[1,2]\\nnull\\n{"id":7}\\n');
        send({ method: 'notifications/progress', params: { progressToken: 'x', progress: 1 } });
        return text('after');`),
    };
    const logger = { debug: take, info: take, warn: take, error: take };
    const engine = await startServer(spec, { logger });
    expect(await run(engine)).toBe('after');
    expect(lines.filter((line) => line.includes('standard output:')).length).toBeGreaterThan(5);
    expect(lines.filter((line) => line.includes('standard output:')).length).toBeLessThan(30);
    await engine.close();
  });

  it('writes a message without end: the call fails, and the session goes on', async () => {
    const engine = await startServer({
      program: plainProgram(`
        if (!args.large) return text('fine');
        for (let index = 0; index < 10; index += 1) process.stdout.write('x'.repeat(1024 * 1024));
        process.stdout.write('\\n');
        return undefined;`),
    });
    const large = await engine.call('run', { large: true });
    expect(textOf(large)).toMatch(/a message of more than 8388608 characters/);
    expect(await run(engine)).toBe('fine');
    await engine.close();
  });

  it('gets no sampling, elicitation and roots', async () => {
    const engine = await startServer({
      program: plainProgram(
        `const asked = ['sampling/createMessage', 'elicitation/create', 'roots/list', 'ping'];
         asked.forEach((method, index) => send({ id: 'mine' + index, method, params: {} }));
         await new Promise((resolve) => { globalThis.done = resolve; });
         return text(JSON.stringify(globalThis.answers));`,
        `globalThis.answers = [];
         process.stdin.on('data', (chunk) => {
           for (const line of String(chunk).split('\\n')) {
             if (!line.includes('"mine')) continue;
             globalThis.answers.push(JSON.parse(line).error?.message ?? 'answered');
             if (globalThis.answers.length === 4) globalThis.done();
           }
         });`,
      ),
    });
    expect(JSON.parse(await run(engine))).toEqual([
      'sampling/createMessage is not granted to this server',
      'elicitation/create is not granted to this server',
      'roots/list is not granted to this server',
      'answered',
    ]);
    await engine.close();
  });

  it('lists tools without end, twice, or with broken schemas: only the valid ones are used', async () => {
    const engine = await startServer({
      program: plainProgram(
        `return text(name);`,
        `const tool = (name, more) => ({ name, inputSchema: { type: 'object' }, ...more });
         listed = [tool('run'), tool('run', { description: 'another' }), tool('a:b'), null, tool('__proto__'),
           JSON.parse('{"name":"polluted","__proto__":{"admin":true},"inputSchema":{"type":"object"}}'),
           tool('broken', { inputSchema: { $ref: 'http://127.0.0.1/x' } }),
           ...Array.from({ length: 3000 }, (_, index) => tool('t' + index))];`,
      ),
    });
    const names = engine.catalog.list().map(({ tool }) => tool);
    expect(names.length).toBeLessThanOrEqual(1_000);
    expect(names.filter((name) => name === 'run')).toHaveLength(1);
    expect(names).not.toContain('a:b');
    expect(names).not.toContain('broken');
    expect(names).toContain('polluted');
    expect(Object.hasOwn(Object.prototype, 'admin')).toBe(false);
    expect(await run(engine)).toBe('run');
    await engine.close();
  });
});
