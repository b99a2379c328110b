import assert from 'node:assert/strict';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { runCli } from '../../../src/cli/run.js';
import { systemCapabilities } from '../../../src/cli/system-capabilities.js';
import { makeDirectory } from '../../engine/plugin-on-disk.js';
import { type FakeSink, makeSink } from '../sinks.js';
import { run } from '../in-process.js';

const MANIFEST = {
  manifestVersion: 1,
  id: 'greeter',
  name: 'Greeter',
  version: '1.0.0',
  pandora: '>=1.0.0',
  provides: {
    tools: {
      entry: './index.ts',
      permissions: { network: ['api.example.com'], env: ['KEY', 'LATER'] },
    },
  },
};

const SOURCE = `export const tools = [{
  id: 'greet', name: 'Greet', description: 'Greets.', annotations: { readOnlyHint: true },
  parameters: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
  async execute({ name }, { env }) {
    const answer = await fetch('https://api.example.com/word');
    return (await answer.text()) + ' ' + name + ' ' + (env.KEY ?? 'without a key');
  },
}];
`;

const until = (isSo: () => boolean): Promise<void> =>
  vi.waitFor(() => assert(isSo()), { timeout: 30_000, interval: 10 });

/** Lines that a test types one by one. */
function makeTyping(): {
  readonly stdin: AsyncIterable<Uint8Array>;
  type(line: string): void;
  end(): void;
} {
  const stream = new TransformStream<Uint8Array, Uint8Array>();
  const writer = stream.writable.getWriter();
  return {
    stdin: stream.readable as AsyncIterable<Uint8Array>,
    type: (line) => void writer.write(new TextEncoder().encode(`${line}\n`)),
    end: () => void writer.close(),
  };
}

describe('bulkhead dev', () => {
  const directory = makeDirectory();
  const home = makeDirectory();
  const typing = makeTyping();
  const interruption = new AbortController();
  const stdout = makeSink(false);
  const stderr = makeSink(false);
  let ended: Promise<number>;

  const file = (name: string): string => join(directory, name);
  /** Waits for a text that was not there before. */
  const next = async (sink: FakeSink, text: string | RegExp, act: () => void): Promise<string> => {
    const from = sink.text.length;
    act();
    await until(() => new RegExp(text).test(sink.text.slice(from)));
    return sink.text.slice(from);
  };

  beforeAll(async () => {
    writeFileSync(file('pandora.manifest.json'), JSON.stringify(MANIFEST));
    writeFileSync(file('index.ts'), SOURCE);
    writeFileSync(
      file('hosts.json'),
      JSON.stringify({ 'GET https://api.example.com/word': { $response: { body: 'hello' } } }),
    );
    const {
      ask: _,
      openPrompt: __,
      ...capabilities
    } = systemCapabilities(interruption.signal, '0.0.0');
    ended = runCli(
      ['dev', directory, '--mock', file('hosts.json'), '--port', '0', '--env', 'KEY=k'],
      '0.0.0',
      {
        ...capabilities,
        environment: { HOME: home, KEY: 'the real key' },
        stdin: typing.stdin,
        stdout,
        stderr,
      },
    );
    await until(() => stdout.text.includes('saves are watched'));
  });

  afterAll(async () => {
    interruption.abort();
    await ended;
  });

  it('shows the plugin, and a call to try', () => {
    expect(stdout.text).toContain('greeter 1.0.0 (pandora, active)\n  tool        greet(name)\n');
    expect(stdout.text).toContain('  permission  network api.example.com\n');
    expect(stdout.text).toMatch(/^ {2}permission {2}env KEY$/m);
    expect(stdout.text).toContain(
      'env LATER (no value: --env LATER=VALUE, or --secret LATER=HOST)',
    );
    expect(stdout.text).toContain('greet {"name":"text"}');
  });

  it('calls tools with fields or JSON, against the mocked host, without the variables of the author', async () => {
    expect(await next(stdout, /k\n/, () => typing.type('greet name=Ada'))).toBe('hello Ada k\n');
    expect(await next(stdout, /k\n/, () => typing.type('greet {"name":"Bo"}'))).toBe(
      'hello Bo k\n',
    );
    expect(await next(stderr, 'INVALID_INPUT', () => typing.type('greet'))).toContain("'name'");
    expect(await next(stderr, 'INVALID_OPTIONS', () => typing.type('greet Ada'))).toContain(
      'greet field=value',
    );
  });

  it('reloads at each save, and says what changed', async () => {
    const text = await next(stdout, /reloaded in [\d.]+ ms\n.*\n/, () =>
      writeFileSync(
        file('index.ts'),
        SOURCE.replace('Greets.', 'Greets politely.').replace("' ' + name", "', ' + name"),
      ),
    );
    expect(text).toMatch(/^reloaded in [\d.]+ ms\n  ~ tool greet: description\n$/);
    expect(await next(stdout, /k\n/, () => typing.type('greet name=Ada'))).toBe('hello, Ada k\n');
    const tools = {
      ...MANIFEST.provides.tools,
      permissions: { ...MANIFEST.provides.tools.permissions, time: true },
    };
    const grown = await next(stdout, 'permission time', () =>
      writeFileSync(
        file('pandora.manifest.json'),
        JSON.stringify({ ...MANIFEST, provides: { tools } }),
      ),
    );
    expect(grown).toMatch(/^reloaded in [\d.]+ ms\n  \+ permission time\n$/);
  });

  it('keeps the last good version, and shows the line of the mistake', async () => {
    const broken = await next(stdout, 'docs ', () =>
      writeFileSync(file('index.ts'), `${SOURCE}const x = ;\n`),
    );
    expect(broken).toContain(
      'the last good version still serves\nBUNDLE_FAILED  the build failed    index.ts:9:11\n',
    );
    expect(broken).toContain(' > 9 | const x = ;\n     |           ^\n  cause   Unexpected ";"\n');
    // The check of the former save may see this one, and then reports it first.
    const unread = await next(stdout, /(?=[^]*still serves[^]*docs )(?=[^]*error +manifest)/, () =>
      writeFileSync(file('pandora.manifest.json'), '{'),
    );
    expect(unread).toContain('the last good version still serves\n');
    expect(unread).toContain('error    manifest  pandora.manifest.json:1:2\n');
    await next(stdout, 'hello, Ada k\n', () => typing.type('greet name=Ada'));
    writeFileSync(file('pandora.manifest.json'), JSON.stringify(MANIFEST));
    await next(stdout, /reloaded in [\d.]+ ms\n/, () => writeFileSync(file('index.ts'), SOURCE));
  });

  it('shows what a check finds', async () => {
    const misspelt = JSON.stringify(MANIFEST).replace('"permissions"', '"permisions"');
    const found = await next(stdout, 'Did you mean', () =>
      writeFileSync(file('pandora.manifest.json'), misspelt),
    );
    expect(found).toMatch(/error {4}manifest-key {2}pandora\.manifest\.json:1:\d+\n/);
    await next(stdout, /reloaded in [\d.]+ ms\n/, () =>
      writeFileSync(file('pandora.manifest.json'), JSON.stringify(MANIFEST)),
    );
  });

  it('reads the mocked answers again', async () => {
    await next(stdout, '~ answers of', () =>
      writeFileSync(file('hosts.json'), '{"https://api.example.com/word": "moin"}'),
    );
    await next(stdout, '"moin" Ada k\n', () => typing.type('greet name=Ada'));
    await next(stdout, '~ answers of', () => writeFileSync(file('hosts.json'), '{}'));
    const refused = await next(stderr, 'docs ', () => typing.type('greet name=Ada'));
    expect(refused).toContain(
      `${file('hosts.json')} has no answer. Add "GET https://api.example.com/word": {}\n`,
    );
    await next(stdout, 'mock takes JSON', () => writeFileSync(file('hosts.json'), '{'));
    await next(stdout, '~ answers of', () =>
      writeFileSync(file('hosts.json'), '{"https://api.example.com/word": 1}'),
    );
  });

  it('serves JSON on loopback, for callers with the token alone', async () => {
    const [, tokenFile = '', url = ''] =
      /^endpoint  curl -H '@(.+)' --json .+ (http:\/\/127\.0\.0\.1:\d+)\/tools\/greet$/m.exec(
        stdout.text,
      ) ?? [];
    expect(tokenFile.startsWith(home)).toBe(true);
    expect(statSync(tokenFile).mode & 0o777).toBe(0o600);
    const authorization = readFileSync(tokenFile, 'utf8').trim().replace('Authorization: ', '');
    const post = (headers: Record<string, string>, path = 'greet') =>
      fetch(`${url}/tools/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: '{"name":"Ada"}',
      });
    const answered = await post({ authorization });
    expect(await answered.json()).toMatchObject({ ok: true, result: '1 Ada k' });
    expect((await post({})).status).toBe(401);
    expect((await post({ authorization, origin: 'https://evil.example' })).status).toBe(403);
    expect((await post({ authorization }, 'nope')).status).toBe(404);
    const described = await fetch(`${url}/openapi.json`, { headers: { authorization } });
    expect(await described.json()).toMatchObject({
      openapi: '3.1.0',
      paths: { '/tools/greeter__greet': {} },
    });
  });

  it('ends with its input', async () => {
    typing.end();
    expect(await ended).toBe(0);
  });
});

describe('bulkhead dev refuses', () => {
  it.each([
    [['dev', 'nowhere'], 'There is no directory nowhere.'],
    [['dev', '.', '--lock', 'x.json'], '--lock runs accepted code'],
    [['dev', '.', '--mock', 'none.json'], '--mock cannot read none.json'],
    [['dev', '.', '--mock', 'routes.json'], '"nowhere" names no URL'],
    [['dev', '.', '--mock', 'status.json'], '"status" in "$response" takes a number'],
  ])('%j', async (args, message) => {
    const cwd = makeDirectory();
    writeFileSync(join(cwd, 'routes.json'), '{"nowhere": 1}');
    writeFileSync(
      join(cwd, 'status.json'),
      '{"https://a.example/": {"$response": {"status": "no"}}}',
    );
    const { code, stderr } = await run(args, { cwd });
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(message) });
  });
});
