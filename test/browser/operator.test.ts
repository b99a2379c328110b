import { createHmac } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run } from '../cli/spawned.js';
import { serve } from '../cli/serve/serving.js';
import { makeDirectory, makePlugin } from '../engine/plugin-on-disk.js';
import { HAS_CHROMIUM, launch, OUTSIDE } from './chromium.js';

const KEY = 'a key of the operator, 32 bytes.';
const ANSWER_TOKEN = 'answers-answers-answers';

const source = (sent: string): string => `
const path = { type: 'string' };
const host = 'http://api.notes.example';
export const tools = [
  { id: 'write', name: 'Write', description: 'Writes one note',
    parameters: { type: 'object', properties: { path, text: path }, required: ['path'] },
    annotations: { readOnlyHint: false, destructiveHint: false },
    execute: async ({ path, text }) => {
      await storage.write(path.replaceAll('/', '_'), text ?? '');
      const { status } = await fetch(host + '/notes', { method: 'POST', body: path });
      return '${sent} ' + path + ' ' + status;
    } },
  { id: 'wipe', name: 'Wipe', description: 'Deletes all notes',
    annotations: { destructiveHint: true },
    execute: async () => (await fetch(host + '/notes', { method: 'DELETE' })).status },
  { id: 'read', name: 'Read', description: 'Reads one note',
    parameters: { type: 'object', properties: { path } },
    annotations: { readOnlyHint: true },
    execute: async ({ path }) => {
      try { await fetch('https://stats.example/read'); } catch {}
      return await (await fetch(host + '/notes/' + path)).text();
    } },
];`;

describe.skipIf(!HAS_CHROMIUM)('a first-time operator in Chromium', () => {
  let browser: Browser;
  /** What the plugin's server got. */
  const reached: string[] = [];
  const notices: { readonly headers: IncomingMessage['headers']; readonly body: string }[] = [];
  const upstream = createServer((request, response) => {
    void text(request).then((body) => {
      if (request.url === '/hook') notices.push({ headers: request.headers, body });
      else reached.push(`${request.method} ${request.url} ${body}`);
      response.end('one note');
    });
  });
  let origin = '';

  beforeAll(async () => {
    browser = await launch();
    await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    await browser.close();
    upstream.close();
  });

  /** `bulkhead add`, and `bulkhead serve --console` with a session in the browser. */
  const open = async (
    screen: { width: number; colorScheme: 'light' | 'dark'; javaScriptEnabled: boolean },
    more: object = {},
  ) => {
    reached.length = 0;
    notices.length = 0;
    const home = makeDirectory();
    const plugin = makePlugin({
      id: 'notes',
      source: source('wrote'),
      permissions: { network: ['api.notes.example'], storage: true },
      manifest: { version: '1.0.0' },
    });
    const lock = join(home, 'bulkhead.lock.json');
    expect(await run(['add', plugin, '--yes', '--lock', lock])).toMatchObject({ code: 0 });
    const config = join(home, 'bulkhead.config.json');
    const overrides = [{ host: 'api.notes.example', url: origin }];
    writeFileSync(
      config,
      JSON.stringify({ lockFile: lock, storageDirectory: './data', overrides, ...more }),
    );
    const { url, printed, token } = await serve(
      ['--console', '--config', config, '--mcp', '/mcp', '--tolerance', 'default'].concat(
        '--audit',
        join(home, 'audit.jsonl'),
        '--rules',
        join(home, 'rules.json'),
        '--answer-token',
        ANSWER_TOKEN,
      ),
      { NOTICE_KEY: KEY },
    );
    const context = await browser.newContext({
      ...screen,
      viewport: { width: screen.width, height: 900 },
    });
    const page = await context.newPage();
    await page.goto(printed['console'] ?? '');
    await page.getByRole('button', { name: 'Open the console' }).click();
    await page.waitForURL(`${url}/console/`);
    const call = (name: string, input: object = {}): Promise<string> =>
      callTool(`${url}/mcp`, token, name, input).catch((error: unknown) => String(error));
    const waiting = async (count: number): Promise<void> => {
      await expect
        .poll(async () => {
          await page.goto(`${url}/console/`);
          return page.locator('[data-approval]').count();
        })
        .toBe(count);
    };
    return { url, page, call, waiting, plugin, lock };
  };

  it.each([
    { width: 1280, colorScheme: 'light', javaScriptEnabled: true },
    { width: 390, colorScheme: 'dark', javaScriptEnabled: false },
  ] as const)(
    'answers several calls at once, tries a dry run and stores a rule, at $width pixels',
    async (screen) => {
      const { url, page, call, waiting } = await open(screen);
      const calls = ['a/1.md', 'a/2.md', 'a/3.md', 'a/4.md'].map((path) =>
        call('notes__write', { path, text: `words of ${path}` }),
      );
      const wipe = call('notes__wipe');
      await waiting(5);
      // High risk cannot be selected.
      const boxes = page.getByRole('checkbox');
      expect(await boxes.count()).toBe(4);
      await page.waitForTimeout(READ_MS);
      await boxes.nth(0).check();
      await boxes.nth(1).check();
      await page.getByRole('button', { name: 'Allow the selected once' }).click();
      await page.waitForURL('**/?done=allowed-2');
      expect(await page.getByRole('alert').innerText()).toBe('2 questions allowed.');
      expect(await Promise.all(calls.slice(0, 2))).toEqual([
        'wrote a/1.md 200',
        'wrote a/2.md 200',
      ]);

      await page.getByRole('button', { name: 'Dry run of notes:wipe' }).click();
      expect(await page.locator('main').innerText()).toContain(
        'Send DELETE http://api.notes.example/notes',
      );
      expect(reached).not.toContain('DELETE /notes ');
      await page.getByRole('link', { name: 'Back to the question' }).click();
      expect(await page.locator('h2').first().innerText()).toBe('notes:wipe');
      expect(await page.locator('main').innerText()).not.toContain('0 questions');

      await page.goto(`${url}/console/`);
      await page.getByText('Answer with a rule…').first().click();
      const rule = page.locator('[data-approval]').first().locator('form.rule').last();
      expect(await rule.innerText()).toContain('allow notes:write if input.path is in "a/"');
      expect(await rule.innerText()).toContain('Tried on this call: allows it.');
      await page.waitForTimeout(READ_MS);
      await rule.getByRole('button', { name: 'Allow, and store this rule' }).click();
      await page.waitForURL('**/?done=ruled-1');
      expect(await page.getByRole('alert').innerText()).toContain('the rule is stored');
      // The other call that waited is covered, and so is a new one.
      expect(await Promise.all(calls.slice(2))).toEqual(['wrote a/3.md 200', 'wrote a/4.md 200']);
      expect(await call('notes__write', { path: 'a/5.md', text: 'more words' })).toBe(
        'wrote a/5.md 200',
      );

      await page.goto(`${url}/console/calls`);
      const rows = await page.locator('p.call').allInnerTexts();
      const ofWipe = rows.filter((row) => row.startsWith('notes:wipe'));
      expect(ofWipe.map((row) => row.includes('dry run'))).toEqual([true]);
      expect(rows.join()).not.toContain('denied');
      await page.getByRole('link', { name: 'notes:write' }).first().click();
      const happened = await page.locator('.steps').innerText();
      expect(happened).toContain('approved (always) by rule');
      expect(happened).toContain('POST http://api.notes.example/notes');

      await waiting(1);
      await page.waitForTimeout(READ_MS);
      await page.getByLabel(/Reason for a denial/).fill('keep them');
      await page.getByRole('button', { name: 'Deny', exact: true }).click();
      expect(await wipe).toContain('keep them');
      expect(reached.filter((one) => one.startsWith('DELETE'))).toEqual([]);
      await page.context().close();
    },
  );

  it('brings new calls with their boxes to an open page, and answers them together', async () => {
    const screen = { width: 390, colorScheme: 'light', javaScriptEnabled: true } as const;
    const { page, call } = await open(screen);
    await page.getByText('No call waits for an answer.').waitFor();
    const first = call('notes__write', { path: 'a/1.md' });
    await page.locator('[data-approval]').waitFor();
    expect(await page.getByText('No call waits for an answer.').isVisible()).toBe(false);
    const before = await page.locator('[data-approval]').first().boundingBox();
    const second = call('notes__write', { path: 'a/2.md' });
    const together = page.getByRole('button', { name: 'Allow the selected once' });
    await together.waitFor();
    expect(await page.locator('[data-approval]').first().boundingBox()).toEqual(before);
    expect(await page.locator('main').innerText()).toContain('2 questions in the last hour.');
    await page.waitForTimeout(READ_MS);
    for (const box of await page.getByRole('checkbox').all()) await box.check();
    await together.click();
    await page.waitForURL('**/?done=allowed-2');
    expect(await Promise.all([first, second])).toEqual(['wrote a/1.md 200', 'wrote a/2.md 200']);
    await page.context().close();
  });

  it('accepts an update as it is shown, replays a call, and sees what to grant', async () => {
    const screen = { width: 390, colorScheme: 'dark', javaScriptEnabled: false } as const;
    const { url, page, call, waiting, plugin, lock } = await open(screen, {
      record: ['notes:read'],
      audit: { file: './audit.jsonl', inputs: 'full' },
    });
    const read = call('notes__read', { path: 'a/1.md' });
    await waiting(1);
    await page.waitForTimeout(READ_MS);
    await page.getByRole('button', { name: 'Allow once' }).click();
    expect(await read).toBe('one note');
    await page.goto(`${url}/console/calls`);
    await page.getByRole('link', { name: 'notes:read' }).click();
    expect(await page.locator('main').innerText()).toContain('--allow network:stats.example');
    reached.length = 0;
    await page.getByRole('button', { name: 'Replay', exact: true }).click();
    await page.waitForURL('**/replay');
    expect(await page.locator('h2').innerText()).toBe('The same');
    expect(reached).toEqual([]);

    writeFileSync(join(plugin, 'index.ts'), source('stored'));
    const manifest = join(plugin, 'pandora.manifest.json');
    writeFileSync(
      manifest,
      readFileSync(manifest, 'utf8').replace(
        '["api.notes.example"]',
        '["api.notes.example","stats.example"]',
      ),
    );
    const accepted = readFileSync(lock, 'utf8');
    await page.goto(`${url}/console/plugins`);
    await page.getByRole('button', { name: 'Look for an update of notes' }).click();
    await page.waitForURL('**/review');
    expect(await page.locator('main').innerText()).toContain('It asks for more than before.');
    await page.getByText('index.ts', { exact: true }).click();
    expect(await page.locator('main').innerText()).toContain("return 'stored '");
    expect(await page.evaluate(OUTSIDE)).toEqual([]);
    expect(readFileSync(lock, 'utf8')).toBe(accepted);
    await page.waitForTimeout(READ_MS);
    await page.getByRole('button', { name: 'Accept this version' }).click();
    await page.waitForURL('**/plugins?updated=notes');
    const card = page.getByRole('article', { name: 'Plugin notes' });
    expect(await card.innerText()).toMatch(/Connect to stats\.example[^]*?granted, not used yet/);
    expect(await card.innerText()).toMatch(/Connect to api\.notes\.example[^]*?used 1×/);
    const written = call('notes__write', { path: 'b.md', text: 'words' });
    await waiting(1);
    await page.waitForTimeout(READ_MS);
    await page.getByRole('button', { name: 'Allow once' }).click();
    expect(await written).toBe('stored b.md 200');
    await page.context().close();
  });

  it('switches a plugin, stops it, and stops everything', async () => {
    const screen = { width: 1280, colorScheme: 'dark', javaScriptEnabled: true } as const;
    const { url, page, call, waiting } = await open(screen);
    await page.goto(`${url}/console/plugins`);
    await page.waitForTimeout(READ_MS);
    await page.getByRole('button', { name: 'Switch off notes' }).click();
    expect(await page.getByRole('alert').innerText()).toBe('notes is switched off.');
    await page.waitForTimeout(READ_MS);
    await page.getByRole('button', { name: 'Switch on notes' }).click();
    expect(await page.getByRole('alert').innerText()).toBe('notes is switched on.');

    const held = call('notes__write', { path: 'a.md', text: 'words' });
    await waiting(1);
    await page.goto(`${url}/console/stop`);
    await page.getByLabel('Plugin').selectOption('notes');
    await page
      .getByLabel(/Reason/)
      .nth(1)
      .fill('it sends too much');
    await page.getByRole('button', { name: 'Stop this plugin' }).click();
    await page.getByRole('button', { name: 'Resume the plugin notes' }).waitFor();
    expect(await held).toContain('The operator stopped the plugin notes');
    await waiting(0);
    await page.goto(`${url}/console/plugins`);
    expect(await page.locator('main').innerText()).toContain('0 of 1 plugin runs');
    expect(await page.getByRole('article').innerText()).toContain('■ stopped');
    await page.goto(`${url}/console/stop`);
    expect(await page.locator('main').innerText()).toContain('it sends too much');
    await page.waitForTimeout(READ_MS);
    await page.getByRole('button', { name: 'Resume the plugin notes' }).click();
    await page.getByText('Nothing is stopped.').waitFor();

    await page.getByRole('button', { name: 'Stop everything' }).click();
    await page.getByRole('button', { name: 'Resume everything' }).waitFor();
    expect(await call('notes__read', { path: 'a.md' })).toContain('stopped');
    await page.waitForTimeout(READ_MS);
    await page.getByRole('button', { name: 'Resume everything' }).click();
    await page.getByText('Nothing is stopped.').waitFor();
    await page.getByLabel('Tenant', { exact: true }).fill('acme');
    await page.getByRole('button', { name: 'Stop this tenant' }).click();
    await page.getByRole('button', { name: 'Resume the tenant acme' }).waitFor();
    await page.context().close();
  });

  it('follows the link of a signed notice, and answers with the token alone', async () => {
    const screen = { width: 390, colorScheme: 'light', javaScriptEnabled: false } as const;
    const { page, call } = await open(screen, {
      notices: [{ url: `${origin}/hook`, secret: 'env:NOTICE_KEY' }],
    });
    await page.context().clearCookies();
    const asked = call('notes__write', { path: 'a.md', text: 'private words' });
    await expect.poll(() => notices.length).toBe(1);
    const [{ headers, body } = { headers: {}, body: '' }] = notices;
    const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`;
    expect(headers['webhook-signature']).toBe(
      `v1,${createHmac('sha256', KEY).update(signed).digest('base64')}`,
    );
    expect(body).not.toContain('private words');
    const { data } = JSON.parse(body) as { readonly data: { readonly url: string } };
    await page.goto(data.url);
    expect(page.url()).toContain('/console/enter?to=');
    await page.getByLabel(/Token/).fill(ANSWER_TOKEN);
    await page.getByRole('button', { name: 'Enter' }).click();
    await page.waitForURL(data.url);
    expect(await page.locator('pre').first().innerText()).toContain('private words');
    await page.waitForTimeout(READ_MS);
    await page.getByRole('button', { name: 'Allow once' }).click();
    expect(await asked).toBe('wrote a.md 200');
    // It cannot be answered twice, and this token does not administer.
    await page.goto(data.url);
    expect(await page.locator('main').innerText()).toMatch(
      /This question is spent[^]*Allowed once by the token to answer/,
    );
    await page.goto(data.url.replace(/approvals.*/, 'plugins'));
    expect(await page.getByRole('button').allInnerTexts()).toEqual(['End this session']);
    await page.context().close();
  });
});

/** A new row accepts an answer after a second. */
const READ_MS = 1_100;

/** Calls a tool over MCP; returns the text of its result, or of its error. */
async function callTool(url: string, token: string, name: string, input: object): Promise<string> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name, arguments: input },
    }),
  });
  const answer = await response.text();
  const [, line = answer] = /^data: (.*)$/m.exec(answer) ?? [];
  const message = JSON.parse(line) as {
    readonly result?: { readonly content: readonly { readonly text?: string }[] };
    readonly error?: { readonly message: string };
  };
  return message.error?.message ?? message.result?.content.map((one) => one.text).join() ?? '';
}
