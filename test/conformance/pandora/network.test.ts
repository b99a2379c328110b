/**
 * What a Pandora plugin's author relies on, run end to end: manifest, bundle, guest, brokers, result.
 * Each title begins with its row in the acceptance table of Pandora's contract; rows about reading
 * manifests and configuration alone (S, D, V, N, T1–T3) are tested in `test/formats/pandora`.
 */
import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runTool } from '../../engine/plugin-on-disk.js';
import { caught } from './caught.js';

describe('network', () => {
  let server: Server;
  let url = '';
  beforeAll(async () => {
    server = createServer((request, response) => {
      if (request.url === '/away') {
        response.writeHead(302, { location: 'http://127.0.0.1:9/secret' });
        response.end();
      } else response.end(JSON.stringify({ path: request.url, host: request.headers.host }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  });
  afterAll(() => {
    server.close();
  });
  const attempt = async (target: string, hosts: readonly string[]): Promise<unknown> =>
    (
      await runTool(
        caught(`fetch(${JSON.stringify(target)}).then((response) => response.text())`),
        { permissions: { network: hosts } },
        { network: { overrides: [{ host: 'api.example.test', url }] } },
      )
    ).value;

  it('P-P6, P-P7: fetch reaches declared hosts, and no others', async () => {
    expect(await attempt('https://api.example.test/a', ['api.example.test'])).toBe(
      '{"path":"/a","host":"api.example.test"}',
    );
    expect(await attempt('https://api.example.test/a', ['one.test', 'api.example.test'])).toContain(
      '/a',
    );
    expect(await attempt('https://other.test/', ['api.example.test'])).toMatch(
      /^threw Network denied: /,
    );
    expect((await runTool('() => typeof fetch', { permissions: { network: [] } })).value).toBe(
      'undefined',
    );
  });

  it.each([
    'http://127.0.0.1/',
    'http://10.1.2.3/',
    'http://172.16.0.1/',
    'http://192.168.0.1/',
    'http://0.0.0.0/',
    'http://169.254.169.254/',
    'http://[::1]/',
    'http://[fc00::1]/',
    'http://[fe80::1]/',
    'http://localhost/',
    'http://100.64.0.1/',
    'http://[::ffff:127.0.0.1]/',
    'http://2130706433/',
    'http://0x7f.1/',
  ])('P-P6: %s is refused though it is declared', async (target) => {
    expect(await attempt(target, [new URL(target).hostname])).toMatch(/^threw SSRF blocked: /);
  });

  it('P-P6: a redirect is checked like a request', async () => {
    expect(await attempt('https://api.example.test/away', ['api.example.test'])).toMatch(/^threw /);
  });

  it('P-P6: file: is refused', async () => {
    expect(await attempt('file:///etc/passwd', ['api.example.test'])).toMatch(/^threw /);
  });
});
