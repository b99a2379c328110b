import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exportJWK, generateKeyPair } from 'jose';
import { afterAll, describe, expect, it } from 'vitest';
import { makeIssuer } from '../../http/issuer.js';
import { entryOf } from '../../remotes/mcp/servers.js';
import { run, writePlugin } from '../spawned.js';
import { serve } from './serving.js';
import { outputErrors } from '../output-schema.js';

const directory = mkdtempSync(join(tmpdir(), 'bulkhead-serve-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

let count = 0;
function writeConfig(config: object): string {
  count += 1;
  const file = join(directory, `c${count}.json`);
  writeFileSync(file, JSON.stringify({ storageDirectory: `s${count}/storage`, ...config }));
  return file;
}

describe('a server of ours that calls another of ours', () => {
  it('is believed by the keys that it serves, and hands on what comes back', async () => {
    const key = await exportJWK((await generateKeyPair('ES256', { extractable: true })).privateKey);
    writeFileSync(join(directory, 'key.json'), JSON.stringify({ ...key, kid: 'house' }));
    const port = await freePort();
    const broker = `http://127.0.0.1:${port}`;
    const plugin = writePlugin({ execute: 'return { got: input };' });
    const tools = await serve([
      '--plugins',
      plugin,
      '--jwks',
      `${broker}=${broker}/.well-known/jwks`,
    ]);
    const person = await makeIssuer();
    const config = writeConfig({
      server: { port },
      identity: { keyFile: 'key.json', account: { id: 'o', name: 'House' } },
      remotes: [{ vertesia: `${tools.url}/tools`, id: 'house', allowPrivate: true }],
      tokens: { issuers: [{ issuer: person.url, jwks: person.jwks }] },
    });
    const { url } = await serve(['--config', config, '--port', String(port)]);
    expect(url).toBe(broker);
    expect(await (await fetch(`${url}/api/v1/.well-known/jwks`)).json()).toMatchObject({
      keys: [{ kid: 'house', kty: 'EC' }],
    });
    const answer = await fetch(`${url}/tools`, {
      method: 'POST',
      headers: { authorization: `Bearer ${await person.token()}` },
      body: JSON.stringify({
        tool_use: { id: 'u', tool_name: 'house__sample__run', tool_input: { a: 1 } },
      }),
    });
    expect(await answer.json()).toMatchObject({
      tool_use_id: 'u',
      is_error: false,
      content: '{"got":{"a":1}}',
    });
  });
});

describe('bulkhead remotes', () => {
  it('shows what servers offer, and what waits for a review', async () => {
    const config = writeConfig({
      remotes: [
        { command: process.execPath, args: [entryOf('server-everything'), 'stdio'], id: 'every' },
        { vertesia: 'http://127.0.0.1:9/tools', id: 'down', allowPrivate: true },
      ],
    });
    const { code, stdout } = await run(['remotes', '--config', config]);
    expect(stdout).toMatch(/every +mcp +\d+ +active/);
    expect(stdout).toMatch(/down +vertesia +0 +failed/);
    expect(stdout).toContain('did not list its tools');
    expect(code).toBe(2);
  });

  it('prints them as JSON', async () => {
    const config = writeConfig({
      remotes: [{ vertesia: 'http://127.0.0.1:9/tools', id: 'down', allowPrivate: true }],
    });
    const { code, stdout } = await run(['remotes', '--config', config, '--json']);
    expect(outputErrors('remotes', JSON.parse(stdout))).toEqual([]);
    expect(code).toBe(2);
  });

  it('reports wrong options', async () => {
    const none = await run(['remotes', '--config', writeConfig({})]);
    expect(none.code).toBe(1);
    expect(none.stderr).toContain('has no servers');
    const config = writeConfig({
      remotes: [
        { mcp: 'https://a.example/mcp', headers: { authorization: 'Bearer ${NOT_THERE}' } },
      ],
    });
    const missing = await run(['remotes', '--config', config]);
    expect(missing.code).toBe(1);
    expect(missing.stderr).toContain('NOT_THERE, which is not set');
  });
});

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
