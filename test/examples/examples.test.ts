import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe, expect, test } from 'vitest';
import { ROOT } from '../architecture/sources.js';
import { afterEachFile } from '../tidying.js';

const data = mkdtempSync(join(tmpdir(), 'bulkhead-examples-'));
const running = new Set<ChildProcess>();
afterEachFile(() => {
  for (const app of running) app.kill('SIGKILL');
  rmSync(data, { recursive: true, force: true });
});

function start(name: string) {
  const app = spawn(process.execPath, [join(ROOT, 'examples', name, 'main.mjs')], {
    env: { ...process.env, DATA: data },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  running.add(app);
  app.once('exit', () => running.delete(app));
  return app;
}

async function output(name: string, input = ''): Promise<string> {
  const app = start(name);
  app.stdin.end(input);
  const [all, [code]] = await Promise.all([text(app.stdout), once(app, 'exit')]);
  expect(code).toBe(0);
  return all;
}

describe('examples', () => {
  test('chat-cli pays only what the person at the terminal allowed', async () => {
    const all = await output('chat-cli', 'pay e1\nn\npay e2\ny\nlist\n\n');
    expect(all).toContain('expenses:pay was not approved');
    expect(all).toContain('Paid 25 EUR to Ben.');
    expect(all).toContain('"paid":["25 EUR to Ben"]');
  });

  test('audit-pipeline passes on a denied payment and a denied file', async () => {
    const all = await output('audit-pipeline');
    const records = all
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(records).toContainEqual(
      expect.objectContaining({ type: 'approval-refused', plugin: 'expenses', tool: 'pay' }),
    );
    expect(records).toContainEqual(
      expect.objectContaining({ type: 'capability-denied', plugin: 'escape-artist' }),
    );
    expect(records.at(-1)).toMatchObject({ chainIntact: true });
  });

  test('mcp-gateway serves each member for themselves, and runs what the operator approved', async () => {
    const app = start('mcp-gateway');
    const lines = createInterface({ input: app.stdout })[Symbol.asyncIterator]();
    const members = new Map<string, { url: string; token: string }>();
    for (let count = 0; count < 2; count += 1) {
      const { value = '' } = await lines.next();
      const [, name = '', url = '', token = ''] = /^(\w+): (\S+), token (\S+)$/.exec(value) ?? [];
      members.set(name, { url, token });
    }
    const [, directory = ''] =
      /--storage-directory (.+)$/.exec((await lines.next()).value ?? '') ?? [];
    const { url = '' } = members.get('ann') ?? {};
    const ask = (token: string, headers = {}) =>
      fetch(url, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...headers,
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
      }).then(({ status }) => status);
    expect(await ask('')).toBe(401);
    expect(await ask('nonsense')).toBe(401);
    expect(await ask(members.get('ann')?.token ?? '', { origin: 'https://evil.example' })).toBe(
      403,
    );

    const connect = async (name: string): Promise<Client> => {
      const client = new Client({ name: 'test', version: '1' });
      const { token = '' } = members.get(name) ?? {};
      const requestInit = { headers: { authorization: `Bearer ${token}` } };
      await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
      return client;
    };
    const [ann, bob] = await Promise.all([connect('ann'), connect('bob')]);
    const call = async (client: Client, name: string, input = {}): Promise<string> =>
      JSON.stringify(await client.callTool({ name: `expenses__${name}`, arguments: input }));
    const asked = await call(bob, 'pay', { id: 'e2' });
    const [approval = ''] = /apr_[0-9a-f-]{36}/.exec(asked) ?? [];
    const main = join(ROOT, 'dist/lib/cli/main.cjs');
    const args = [main, 'approvals', approval, 'once', '--storage-directory', directory];
    const [code] = await once(spawn(process.execPath, args, { stdio: 'ignore' }), 'exit');
    expect(code).toBe(0);
    // Ann asks for the same, and the approval is Bob's.
    expect(await call(ann, 'pay', { id: 'e2' })).toContain('needs approval');
    expect(await call(bob, 'pay', { id: 'e2' })).toContain('Paid 25 EUR to Ben.');
    expect(await call(bob, 'list')).toContain('25 EUR to Ben');
    expect(await call(ann, 'list')).not.toContain('25 EUR to Ben');
    await Promise.all([ann.close(), bob.close()]);
    app.kill('SIGTERM');
    expect(await once(app, 'exit')).toEqual([0, null]);
  });

  test('chat-bot pays what an approver allowed, and believes no unsigned event', async () => {
    const app = start('chat-bot');
    const lines = createInterface({ input: app.stdout })[Symbol.asyncIterator]();
    const until = async (wanted: string): Promise<void> => {
      for (;;) {
        const { value, done } = await lines.next();
        if (done === true) throw new Error(`it ended before: ${wanted}`);
        if (value.includes(wanted)) return;
      }
    };
    const { value: first = '' } = await lines.next();
    const forged = await fetch(first.replace('bot: ', ''), {
      method: 'POST',
      headers: { 'x-chat-time': String(Date.now()), 'x-chat-signature': 'a'.repeat(64) },
      body: JSON.stringify({ user: 'ann', text: 'pay e1' }),
    });
    expect(forged.status).toBe(401);
    app.stdin.write('bob: pay e2\n');
    await until('[approve] [deny]');
    app.stdin.write('bob: approve\n');
    await until('bob may not approve');
    app.stdin.write('ann: approve\n');
    await until('@bob The tool says: Paid 25 EUR to Ben.');
    app.stdin.write('ann: approve\n');
    await until('does not wait any more');
    app.stdin.write('bob: list\n');
    await until('"paid":["25 EUR to Ben"]');
    app.stdin.end();
    expect(await once(app, 'exit')).toEqual([0, null]);
  });

  test('web-app pays once, after the approval, also after it was killed and started again', async () => {
    const first = await startWebApp();
    const asked = await post(first.bob, { pay: 'e1' });
    const approval = /name="approval" value="([^"]+)"/.exec(asked)?.[1] ?? '';
    expect(await post(first.bob, { pay: 'e1', approval })).toContain('"paid":[]');
    const digest = /name="digest" value="([^"]+)"/.exec(await page(first.ann))?.[1] ?? '';
    // A member’s own page answers nothing, and a digest of another question does not count.
    await post(first.bob, { approval, digest, verdict: 'once' });
    expect(await post(first.bob, { pay: 'e1', approval })).toContain('"paid":[]');
    await post(first.ann, { approval, digest: digest.replaceAll(/./g, '0'), verdict: 'once' });
    expect(await post(first.bob, { pay: 'e1', approval })).toContain('"paid":[]');
    expect((await fetch(new URL('/nobody', first.ann))).status).toBe(404);
    await post(first.ann, { approval, digest, verdict: 'once' });
    const ended = once(first.app, 'exit');
    first.app.kill('SIGKILL');
    await ended;

    const second = await startWebApp();
    expect(await post(second.bob, { pay: 'e2', approval })).toContain('"paid":[]');
    expect(await post(second.bob, { pay: 'e1', approval })).toContain('Paid 40 EUR to Ann.');
    expect(await post(second.bob, { pay: 'e1', approval })).toContain('"paid":["40 EUR to Ann"]');
    second.app.kill('SIGTERM');
    expect(await once(second.app, 'exit')).toEqual([0, null]);
  });
});

async function startWebApp() {
  const app = start('web-app');
  const lines = createInterface({ input: app.stdout })[Symbol.asyncIterator]();
  const link = async (): Promise<string> => {
    const line = await lines.next();
    if (line.done === true) throw new Error('the app ended');
    return line.value.slice(line.value.indexOf('http'));
  };
  return { app, bob: await link(), ann: await link() };
}

/** The page’s text, with the quotes that it escapes. */
async function page(url: string, options: RequestInit = {}): Promise<string> {
  return (await (await fetch(url, options)).text()).replaceAll('&#34;', '"');
}

const post = (url: string, fields: Record<string, string>): Promise<string> =>
  page(url, { method: 'POST', body: new URLSearchParams(fields) });
