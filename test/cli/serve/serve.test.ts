import { writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeIssuer } from '../../http/issuer.js';
import { run, writePlugin } from '../spawned.js';
import { serve } from './serving.js';

describe('bulkhead serve', () => {
  it('serves the tools of plugins to a caller with a token of a pinned issuer', async () => {
    const issuer = await makeIssuer();
    const plugin = writePlugin({ execute: 'return { got: input };' });
    const { url, viewToken, log, end } = await serve([
      '--plugins',
      plugin,
      '--vertesia',
      '/api/tools',
      '--jwks',
      `${issuer.url}=${issuer.jwks}`,
      '--audience',
      'tools',
    ]);
    const listed = await (await fetch(`${url}/api/tools`)).json();
    expect(listed).toMatchObject({ src: `${url}/api/tools`, tools: [{ name: 'sample__run' }] });
    const use = { id: 'u1', tool_name: 'sample__run', tool_input: { a: 1 } };
    const answer = await fetch(`${url}/api/tools`, {
      method: 'POST',
      headers: { authorization: `Bearer ${await issuer.token()}` },
      body: JSON.stringify({ tool_use: use }),
    });
    expect(await answer.json()).toEqual({
      tool_use_id: 'u1',
      is_error: false,
      content: '{"got":{"a":1}}',
    });
    expect(await end()).toBe(0);
    expect(log().find(({ msg }) => msg === 'invocation')).toMatchObject({
      toolUseId: 'u1',
      status: 200,
    });
    expect(JSON.stringify(log())).not.toContain(viewToken);
  });

  it('names its directories that have no plugin', async () => {
    const { logged } = await serve(['--plugins', writePlugin(), '/no/such/plugin']);
    expect(await logged('the directory contains no plugin')).toMatchObject({
      level: 'warn',
      directory: '/no/such/plugin',
    });
  });

  it('lists plugins with their alerts to the operator alone', async () => {
    const top = `export const resolveTools = () => ({ tools: [], alerts: [{ level: 'info', message: 'Using MyService' }] });`;
    const { url, viewToken: token } = await serve(['--plugins', writePlugin({ top })]);
    expect((await fetch(`${url}/api/plugins`)).status).toBe(401);
    const wrong = { authorization: `Bearer ${token}x` };
    expect((await fetch(`${url}/api/plugins`, { headers: wrong })).status).toBe(401);
    const headers = { authorization: `Bearer ${token}` };
    const plugins: unknown = await (await fetch(`${url}/api/plugins`, { headers })).json();
    expect(plugins).toMatchObject([
      {
        id: 'sample',
        enabled: true,
        provides: { tools: { alerts: [{ level: 'info', message: 'Using MyService' }] } },
      },
    ]);
  });

  it('says that it is well, and that it is ready', async () => {
    const { url } = await serve(['--plugins', writePlugin()]);
    expect(await (await fetch(`${url}/healthz`)).json()).toEqual({ status: 'ok' });
    expect(await (await fetch(`${url}/readyz`)).json()).toEqual({ status: 'ready' });
    const missing = await fetch(`${url}/nowhere`);
    expect(missing.status).toBe(404);
    expect(await missing.json()).toMatchObject({ status: 404 });
  });

  it('finishes the running calls when it is stopped, and accepts no more', async () => {
    const issuer = await makeIssuer();
    const plugin = writePlugin({
      execute:
        'console.info("begun"); await new Promise((r) => setTimeout(r, 2_000)); return "finished";',
    });
    const { url, child, logged, end } = await serve([
      '--plugins',
      plugin,
      '--jwks',
      `${issuer.url}=${issuer.jwks}`,
    ]);
    const body = JSON.stringify({ tool_use: { id: 'u', tool_name: 'sample__run' } });
    const headers = { authorization: `Bearer ${await issuer.token()}` };
    const underWay = fetch(`${url}/tools`, { method: 'POST', headers, body });
    await logged('begun');
    const ending = end();
    await logged('stopping; running calls may finish');
    const refused = await fetch(`${url}/readyz`);
    expect([refused.status, refused.headers.get('connection')]).toEqual([503, 'close']);
    expect(await (await underWay).json()).toMatchObject({ content: 'finished' });
    expect(await ending).toBe(0);
    expect(child.exitCode).toBe(0);
  });

  it('cuts off what does not finish in time, and says so by its exit code', async () => {
    const issuer = await makeIssuer();
    const plugin = writePlugin({ execute: 'console.info("begun"); await new Promise(() => {});' });
    const config = join(plugin, 'config.json');
    writeFileSync(config, JSON.stringify({ server: { limits: { drainMs: 100 } } }));
    const { url, logged, end } = await serve([
      '--plugins',
      plugin,
      '--config',
      config,
      '--jwks',
      `${issuer.url}=${issuer.jwks}`,
    ]);
    const body = JSON.stringify({ tool_use: { id: 'u', tool_name: 'sample__run' } });
    const headers = { authorization: `Bearer ${await issuer.token()}` };
    const underWay = fetch(`${url}/tools`, { method: 'POST', headers, body });
    const cutOff = underWay.catch((error: Error) => error.message);
    await logged('begun');
    expect(await end()).toBe(6);
    expect(await cutOff).toBe('fetch failed');
  });

  it('stops the call of a caller that has disconnected', async () => {
    const issuer = await makeIssuer();
    const plugin = writePlugin({ execute: 'console.info("begun"); await new Promise(() => {});' });
    const { url, logged } = await serve([
      '--plugins',
      plugin,
      '--jwks',
      `${issuer.url}=${issuer.jwks}`,
    ]);
    const leaving = new AbortController();
    const gone = fetch(`${url}/tools`, {
      method: 'POST',
      headers: { authorization: `Bearer ${await issuer.token()}` },
      body: JSON.stringify({ tool_use: { id: 'u', tool_name: 'sample__run' } }),
      signal: leaving.signal,
    }).catch((error: Error) => error.name);
    await logged('begun');
    setTimeout(() => leaving.abort(), 300);
    expect(await gone).toBe('AbortError');
    expect(await logged('call failed')).toMatchObject({ code: 'CANCELLED' });
  });

  it('reads the plugins again on SIGHUP', async () => {
    const plugin = writePlugin();
    const { url, child, logged } = await serve(['--plugins', join(plugin, '..', 'none'), plugin]);
    writeFileSync(
      join(plugin, 'index.ts'),
      `export const tools = [{ id: 'other', name: 'o', description: 'o', annotations: { readOnlyHint: true }, execute() {} }];`,
    );
    child.kill('SIGHUP');
    await logged('reloaded the plugins');
    const listed = await (await fetch(`${url}/tools`)).json();
    expect(listed).toMatchObject({ tools: [{ name: 'sample__other' }] });
  });

  it('does not answer to names that are not its own', async () => {
    const { url, viewToken: token } = await serve(['--plugins', writePlugin()]);
    const { port } = new URL(url);
    const ask = (headers: Record<string, string>): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        request({ port, host: '127.0.0.1', path: '/api/plugins', headers }, (response) => {
          response.resume();
          resolve(response.statusCode);
        })
          .on('error', reject)
          .end();
      });
    const authorization = `Bearer ${token}`;
    expect(await ask({ authorization })).toBe(200);
    expect(await ask({ authorization, host: `rebound.example:${port}` })).toBe(421);
    expect(await ask({ authorization, origin: 'https://evil.example' })).toBe(403);
  });
});

describe('the tokens of bulkhead serve', () => {
  const args = ['--plugins', writePlugin(), '--mcp', '/mcp'];

  it('are printed only if they were generated', async () => {
    const { printed } = await serve([...args, '--approvals']);
    expect(Object.keys(printed)).toEqual(['url', 'token', 'viewToken', 'answerToken']);
    const chosen = await serve(args, { BULKHEAD_TOKEN: 'chosen-by-the-operator' });
    expect(Object.keys(chosen.printed)).toEqual(['url', 'viewToken']);
  });

  it('are generated if the variable is empty', async () => {
    const { url, printed } = await serve(args, { BULKHEAD_TOKEN: '' });
    expect(printed['token']).toMatch(/^[\w-]{32}$/);
    const headers = { authorization: 'Bearer ', 'content-type': 'application/json' };
    const open = await fetch(`${url}/mcp`, { method: 'POST', headers, body: '{}' });
    expect(open.status).toBe(401);
  });

  it('are not needed with --open-loopback, which the log names', async () => {
    const { url, logged } = await serve([...args, '--open-loopback']);
    expect((await fetch(`${url}/api/plugins`)).status).toBe(200);
    const named =
      'every process of this machine can call and view without a token (--open-loopback)';
    expect(await logged(named)).toMatchObject({ level: 'warn' });
  });
});

describe('what cannot be served', () => {
  it.each([
    [[], 'there is nothing to serve'],
    [['--plugins', '.', '--port', '70000'], '--port takes a number from 0 to 65535'],
    [['--plugins', '.', '--vertesia', 'tools'], '--vertesia takes a path'],
    [['--plugins', '.', '--jwks', 'a='], '--jwks takes ISSUER=URL'],
    [
      ['--plugins', '.', '--port', '0', '--jwks', 'http://a.example=http://a.example/k'],
      'plain http',
    ],
    [['--plugins', '.', '--host', '0.0.0.0', '--port', '0'], 'so it needs a token'],
    [['--plugins', '.', '--host', '0.0.0.0', '--token', ''], 'so it needs a token'],
    [['--plugins', '.', '--token', 'short'], 'a token needs 16 or more'],
    [
      ['--plugins', '.', '--host', '0.0.0.0', '--token', '0123456789abcdef', '--open-loopback'],
      '0.0.0.0 is not one',
    ],
    [['--plugins', '.', '--mcp', '/tools'], '--mcp /tools is the path of another endpoint'],
    [['--plugins', '.', '--mcp', '/activities/x'], 'is the path of another endpoint'],
    [
      ['--plugins', '.', '--mcp', '/tools', '--vertesia', '/tools/x'],
      '--mcp /tools is the path of another endpoint',
    ],
    [['--plugins', '.', '--mcp', '/api/plugins/x'], 'is the path of another endpoint'],
    [['--plugins', '.', '--mcp', '/a/../tools'], '--mcp takes a path such as /tools'],
    [['--plugins', '.', '--mcp', '/a//b'], '--mcp takes a path such as /tools'],
    [['--plugins', '.', '--vertesia', '/tools/.'], '--vertesia takes a path such as /tools'],
    [['--plugins', '.', '--vertesia', '/healthz'], 'is the path of another endpoint'],
    [['--plugins', '.', '--config', '/nowhere.json'], '--config cannot read /nowhere.json'],
  ])('is wrong usage: %j', async (args, why) => {
    const { code, stderr } = await run(['serve', ...args]);
    expect(stderr).toContain(why);
    expect(code).toBe(1);
  });

  it('is a port that is taken', async () => {
    const plugin = writePlugin();
    const { url } = await serve(['--plugins', plugin]);
    const { port } = new URL(url);
    const { code, stderr } = await run(['serve', '--plugins', plugin, '--port', port]);
    expect(stderr).toContain(`Port ${port} of 127.0.0.1 is in use`);
    expect(code).toBe(1);
  });
});
