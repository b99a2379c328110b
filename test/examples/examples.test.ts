import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
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
