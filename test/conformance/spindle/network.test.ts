/** `spindle.cors`: requests through the host's broker (Spindle CORS proxy). */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EngineOptions } from '../../../src/index.js';
import { makeExtension, registering } from '../../engine/extension-on-disk.js';
import { startEngine } from '../../engine/plugin-on-disk.js';

let server: Server;
let port = 0;
beforeAll(async () => {
  server = createServer((request, response) => {
    if (request.url === '/redirect') {
      response.writeHead(302, { location: 'http://169.254.169.254/latest' }).end();
    } else if (request.url === '/bytes') response.end(Buffer.from([0, 255, 1]));
    else if (request.url === '/large') response.end(Buffer.alloc(26 * 1024 * 1024));
    else {
      let body = '';
      request.on('data', (chunk: Buffer) => {
        body += chunk.toString();
      });
      request.on('end', () => {
        response.writeHead(201, { 'content-type': 'application/json', 'x-two': 'b' });
        response.end(JSON.stringify([request.method, request.headers['x-mine'], body]));
      });
    }
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  port = (server.address() as AddressInfo).port;
});
afterAll(() => server.close());

const source = `${registering('run')}
  spindle.on('TOOL_INVOCATION', async ({ args }) => {
    try { return JSON.stringify(await spindle.cors(args.url, args.options)); }
    catch (error) { return error.name + ': ' + error.message; }
  });`;

async function ask(
  url: string,
  options: object | undefined,
  spec: {
    readonly permissions?: readonly string[];
    readonly network?: readonly string[];
    readonly engine?: Partial<EngineOptions>;
  } = {},
): Promise<string> {
  const { permissions = ['tools', 'cors_proxy'], network } = spec;
  const manifest = network === undefined ? {} : { bulkhead: { permissions: { network } } };
  const engine = await startEngine([makeExtension({ source, permissions, manifest })], {
    network: { overrides: [{ host: 'api.test', url: `http://127.0.0.1:${port}` }] },
    ...spec.engine,
  });
  const { value } = await engine.call('sample:run', {
    url,
    ...(options === undefined ? {} : { options }),
  });
  await engine.close();
  return typeof value === 'string' ? value : 'no text';
}

describe('S83: spindle.cors', () => {
  it('answers status, headers and body of a granted host', async () => {
    const answer = await ask(
      `https://api.test/x`,
      { method: 'POST', headers: { 'x-mine': 'yes' }, body: 'hello' },
      { network: ['api.test'] },
    );
    expect(JSON.parse(answer)).toEqual({
      status: 201,
      statusText: 'Created',
      headers: expect.objectContaining({ 'content-type': 'application/json', 'x-two': 'b' }),
      body: '["POST","yes","hello"]',
    });
  });

  it('answers bytes as base64 where they are asked for', async () => {
    const answer = await ask(
      `https://api.test/bytes`,
      { responseType: 'arraybuffer' },
      { network: ['api.test'] },
    );
    expect(JSON.parse(answer)).toMatchObject({ body: 'AP8B', encoding: 'base64' });
  });

  it('needs the permission, whatever hosts are named', async () => {
    const answer = await ask(`https://api.test/`, undefined, {
      permissions: ['tools'],
      network: ['api.test'],
    });
    expect(answer).toBe('Error: PERMISSION_DENIED: cors_proxy — Cors proxy permission not granted');
  });

  it('reaches no host that was not named', async () => {
    const other = await ask('https://other.test/', undefined, { network: ['api.test'] });
    expect(other).toMatch(/other\.test/);
    expect(other).toMatch(/^Error|^TypeError/);
    expect(await ask('https://api.test/', undefined)).toMatch(
      /may not use the network .*"permissions" in "bulkhead" of spindle\.json and grant it/,
    );
  });

  it('takes the hosts that the operator grants where the extension names none', async () => {
    const granted = {
      grant: {
        sample: { time: true, powers: ['tools', 'cors_proxy'], network: ['api.test'] },
      },
    };
    const answer = await ask(`https://api.test/`, undefined, { engine: granted });
    expect(JSON.parse(answer)).toMatchObject({ status: 201 });
    const named = await ask(`https://api.test/`, undefined, {
      engine: granted,
      network: ['else.test'],
    });
    expect(named).toMatch(/may not use the network/);
  });

  it.each(['file:///etc/passwd', 'ftp://api.test/', 'javascript:1', 'data:text/plain,x', '', 'x'])(
    'takes no address like %j',
    async (url) => {
      expect(await ask(url, undefined, { network: ['api.test'] })).toBe(
        'Error: spindle.cors takes an address that begins with https:// or http://',
      );
    },
  );

  it('follows no redirect to where it may not go, and no private address by itself', async () => {
    const network = ['api.test', `127.0.0.1:${port}`, '10.0.0.1'];
    const options = { network };
    expect(await ask(`https://api.test/redirect`, undefined, options)).toMatch(
      /169\.254\.169\.254/,
    );
    for (const url of [`http://127.0.0.1:${port}/`, 'http://10.0.0.1/']) {
      expect(await ask(url, undefined, options)).toMatch(/^(?:Type)?Error/);
    }
  });

  it('takes at most 25 MiB', async () => {
    const answer = await ask(`https://api.test/large`, undefined, {
      network: ['api.test'],
    });
    expect(answer).toMatch(/longer than 26214400 bytes/);
  });
});
