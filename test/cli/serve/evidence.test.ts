import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { makeIssuer } from '../../http/issuer.js';
import { run, writePlugin } from '../spawned.js';
import { serve } from './serving.js';

const directory = mkdtempSync(join(tmpdir(), 'bulkhead-serve-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe('bulkhead serve', { timeout: 60_000 }, () => {
  it('writes an audit log and serves metrics, if configured', async () => {
    const issuer = await makeIssuer();
    const file = join(directory, 'audit.jsonl');
    const { url, viewToken, logged, end } = await serve([
      '--plugins',
      writePlugin({ execute: 'return 1' }),
      '--jwks',
      `${issuer.url}=${issuer.jwks}`,
      '--audit',
      file,
      '--metrics',
      '127.0.0.1:0',
    ]);
    await fetch(`${url}/tools`, {
      method: 'POST',
      headers: { authorization: `Bearer ${await issuer.token()}` },
      body: JSON.stringify({ tool_use: { id: 'u1', tool_name: 'sample__run', tool_input: {} } }),
    });
    const metrics = String((await logged('serving metrics'))['url']);
    expect((await fetch(metrics)).status).toBe(401);
    const headers = { authorization: `Bearer ${viewToken}` };
    const scraped = await fetch(metrics, { headers });
    expect(scraped.headers.get('content-type')).toContain('version=0.0.4');
    expect(await scraped.text()).toContain(
      'bulkhead_calls_total{plugin="sample",tool="run",outcome="ok"} 1',
    );
    expect((await fetch(metrics.replace('/metrics', '/'), { headers })).status).toBe(404);
    expect((await fetch(metrics, { method: 'PUT', headers })).status).toBe(415);
    expect((await fetch(metrics, { method: 'DELETE', headers })).status).toBe(405);
    expect(await statusFor(metrics, 'rebound.example')).toBe(421);
    expect(await end()).toBe(0);
    expect(readFileSync(file, 'utf8')).toContain('"type":"call-ended"');
    expect(await run(['audit', 'verify', '--file', file])).toMatchObject({ code: 0 });
  });

  it('says what --metrics takes', async () => {
    const { code, stderr } = await run(['serve', '--plugins', writePlugin(), '--metrics', 'here']);
    expect(code).toBe(1);
    expect(stderr).toContain('HOST:PORT');
  });
});

/** The status for a request that names another host than the one it reaches. */
function statusFor(url: string, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(url, { headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end();
  });
}
