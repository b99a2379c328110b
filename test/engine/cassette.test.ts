import { createServer, type Server } from 'node:http';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadPlugin, type TestOptions } from '../../src/entry-points/testing.js';
import { makeRedact } from '../../src/testing/redact.js';
import { makeDirectory, makePlugin } from './plugin-on-disk.js';

const SOURCE = `export const tools = [{
  id: 'ask', name: 'Ask', description: 'd',
  async execute({ path, body }, { env }) {
    const response = await fetch('https://api.example.com/' + path + '?q=1&api_key=' + env.KEY, {
      ...(body === undefined ? {} : { method: 'POST', body }),
      headers: { authorization: 'Bearer ' + env.KEY },
    });
    return { status: response.status, text: await response.text() };
  },
}];`;

const KEY = 'the-secret-of-the-author';

describe('a cassette', () => {
  const plugin = makePlugin({ id: 'p' });
  const file = join(makeDirectory(), 'cassettes/ask.json');
  let server: Server;
  let requests = 0;
  let answer = (path: string): string => `{"path":"${path}","access_token":"abc","key":"${KEY}"}`;
  let port = 0;

  beforeAll(async () => {
    writeFileSync(
      join(plugin, 'pandora.manifest.json'),
      JSON.stringify({
        manifestVersion: 1,
        id: 'p',
        name: 'P',
        pandora: '>=1.0.0',
        provides: {
          tools: {
            entry: './index.ts',
            permissions: { network: ['api.example.com'], env: ['KEY'] },
          },
        },
      }),
    );
    writeFileSync(join(plugin, 'index.ts'), SOURCE);
    server = createServer((request, response) => {
      requests += 1;
      response.setHeader('set-cookie', 'session=abcdef');
      response.writeHead(201, { 'content-type': 'application/json' });
      response.end(answer(request.url ?? ''));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    port = typeof address === 'object' && address !== null ? address.port : 0;
  });

  afterAll(() => {
    delete process.env['BULKHEAD_CASSETTES'];
    server.close();
  });

  const load = (mode: 'record' | 'replay') => {
    process.env['BULKHEAD_CASSETTES'] = mode;
    const overrides = [{ host: 'api.example.com', url: `http://127.0.0.1:${port}` }];
    const options: TestOptions = {
      cassette: file,
      env: { KEY },
      engine: { network: { overrides } },
    };
    return loadPlugin(plugin, options);
  };

  it('must exist', async () => {
    await expect(load('replay')).rejects.toThrow('Record it: bulkhead test --record');
  });

  it('records what hosts answer, without secrets', async () => {
    const recorded = await load('record');
    const called = await recorded.call('ask', { path: 'one' });
    expect(called.value).toMatchObject({ status: 201, text: expect.stringContaining(KEY) });
    await recorded.call('ask', { path: 'two', body: `{"password":"x","text":"${KEY}"}` });
    await recorded.close();
    const text = readFileSync(file, 'utf8');
    expect(text).not.toContain(KEY);
    expect(text).not.toMatch(/abcdef|"abc"|"x"|authorization/i);
    expect(JSON.parse(text).exchanges).toMatchObject([
      { request: { method: 'GET', url: 'https://api.example.com/one?q=1&api_key=<redacted>' } },
      { request: { method: 'POST', body: '{"password":"<redacted>","text":"<KEY>"}' } },
    ]);
  });

  it('answers from the file, and sends nothing', async () => {
    const before = requests;
    await using replayed = await load('replay');
    const called = await replayed.call('ask', { path: 'one' });
    expect(called.value).toMatchObject({
      status: 201,
      text: expect.stringContaining('<redacted>'),
    });
    await expect(replayed.call('ask', { path: 'three' })).rejects.toThrow(
      /GET https:\/\/api\.example\.com\/three.*Record it: bulkhead test --record/,
    );
    expect(requests).toBe(before);
  });

  it('is not written if an answer seems to have a key', async () => {
    const before = readFileSync(file, 'utf8');
    answer = () => `ghp_${'a'.repeat(36)}`;
    const recorded = await load('record');
    await recorded.call('ask', { path: 'one' });
    await expect(recorded.close()).rejects.toThrow('was not written');
    expect(readFileSync(file, 'utf8')).toBe(before);
  });
});

describe('the redaction of texts', () => {
  it.each([
    ['https://a.example/?apiKey=1&q=2', 'https://a.example/?apiKey=<redacted>&q=2'],
    ['https://a.example/?monkey=1', 'https://a.example/?monkey=1'],
    [
      '{"refresh_token": "a\\"b", "tokens_used": "7"}',
      '{"refresh_token": "<redacted>", "tokens_used": "7"}',
    ],
    ['a%20key and a key', '<A> and <A>'],
  ])('%s', (text, redacted) => {
    expect(makeRedact({ A: 'a key', B: 'x' })(text)).toBe(redacted);
  });
});
