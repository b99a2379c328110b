import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HOSTILE } from '../report/hostile.js';
import { axe, HAS_CHROMIUM, launch, OUTSIDE } from './chromium.js';
import { type Desk, openDesk } from './desk.js';

const SCREENS = [
  { width: 1280, colorScheme: 'light', javaScriptEnabled: true },
  { width: 390, colorScheme: 'dark', javaScriptEnabled: true },
  { width: 1280, colorScheme: 'dark', javaScriptEnabled: true },
  { width: 390, colorScheme: 'light', javaScriptEnabled: true },
  { width: 1600, colorScheme: 'light', javaScriptEnabled: false },
] as const;

const PAGES = ['', 'plugins', 'calls', 'audit', 'machine', 'stop', 'logs?plugin=hostile'];

describe.skipIf(!HAS_CHROMIUM)('the console in Chromium', () => {
  let browser: Browser;
  let desk: Desk;
  let cookies: Awaited<ReturnType<BrowserContext['cookies']>>;
  /** A question of the hostile plugin, which waits during all tests. */
  let waiting: Promise<unknown>;
  let hostileCall = '';
  /** Calls whose result and whose error are a megabyte long. */
  const hugeCalls: string[] = [];
  const hugeLengths: number[] = [];
  let waitingId = '';
  const complaints: string[] = [];

  beforeAll(async () => {
    [browser, desk] = await Promise.all([launch(), openDesk()]);
    const { engine, server, url } = desk;
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(server.consoleLink ?? '');
    await page.click('button');
    await page.waitForURL(`${url}/console/`);
    cookies = await context.cookies();
    await context.close();
    // One call of the hostile plugin that runs, and fills the pages.
    const stop = engine.approvals.on('request', ({ approvalId }) => {
      void engine.approvals.answer(approvalId, { verdict: 'once', by: 'test' });
    });
    const { callId } = await engine.call('hostile__tool1', { note: HOSTILE[1] });
    hostileCall = callId;
    for (const huge of ['result', 'error']) {
      const more = { tenant: HOSTILE[0], context: { conversationId: HOSTILE[1] } };
      const ended = await engine.call('hostile__tool3', { huge }, more);
      hugeCalls.push(ended.callId);
      hugeLengths.push(JSON.stringify(ended).length);
    }
    stop();
    await engine.stops.stop({ tenant: HOSTILE[2] }, { by: HOSTILE[3], reason: HOSTILE[8] });
    const asked = nextQuestion(desk);
    waiting = engine.call('hostile__tool0', Object.fromEntries(HOSTILE.map((one) => [one, one])), {
      tenant: HOSTILE[0],
    });
    waitingId = (await asked).approvalId;
  });
  afterAll(async () => {
    await browser.close();
    await desk.engine.close();
    await waiting;
  });

  const enter = async (screen: (typeof SCREENS)[number] | NoScript): Promise<Page> => {
    const { width, colorScheme, javaScriptEnabled } = screen;
    const context = await browser.newContext({
      viewport: { width, height: 900 },
      colorScheme,
      javaScriptEnabled,
    });
    await context.addCookies(cookies);
    const page = await context.newPage();
    page.on('console', (message) => {
      // Some of the addresses below are those of no page.
      if (!/^Failed to load resource: .* 404 /.test(message.text()))
        complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('dialog', (dialog) => {
      complaints.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on('request', (request) => {
      if (!request.url().startsWith(desk.url)) complaints.push(`request: ${request.url()}`);
    });
    return page;
  };

  /** Pages with texts of a megabyte, and addresses that another page of the browser made. */
  const hostileAddresses = (): readonly string[] => [
    ...hugeCalls.flatMap((id) => [`calls/${id}`, `calls/${id}/why`]),
    `calls?tenant=${encodeURIComponent(HOSTILE[0])}`,
    `calls?plugin=${encodeURIComponent(HOSTILE[0])}`,
    `logs?plugin=${encodeURIComponent(HOSTILE[1])}`,
    `plugins?updated=${encodeURIComponent(HOSTILE[0])}`,
    `?done=${encodeURIComponent(HOSTILE[0])}`,
    `audit?type=${encodeURIComponent(HOSTILE[1])}&plugin=hostile&text=${encodeURIComponent(HOSTILE[2])}`,
    `audit?plugin=hostile`,
    `approvals/${encodeURIComponent(HOSTILE[0])}`,
    encodeURIComponent(HOSTILE[1]),
    `enter?code=${encodeURIComponent(HOSTILE[2])}`,
    `enter?to=${encodeURIComponent(HOSTILE[0])}`,
  ];

  /** Each page of the console, and those that a form opens. */
  const visits = (): readonly ((page: Page) => Promise<unknown>)[] => [
    ...[...PAGES, `calls/${hostileCall}`, `calls/${hostileCall}/why`, `approvals/${waitingId}`].map(
      (name) => (page: Page) => page.goto(`${desk.url}/console/${name}`),
    ),
    async (page) => {
      await page.goto(`${desk.url}/console/approvals/${waitingId}`);
      await page.getByRole('button', { name: /^Dry run/ }).click();
      await page.waitForURL('**/dry-run');
      expect(await page.locator('h2').first().innerText()).toContain('change');
    },
    async (page) => {
      await page.goto(`${desk.url}/console/calls/${hostileCall}`);
      await page.getByRole('button', { name: 'Replay', exact: true }).click();
      await page.waitForURL('**/replay');
      expect(await page.locator('h2').innerText()).toBe('The same');
    },
    async (page) => {
      await page.goto(`${desk.url}/console/plugins`);
      await page.getByRole('button', { name: 'Look for an update of hostile' }).click();
      await page.waitForURL('**/review');
      expect(await page.locator('main').innerText()).toContain('It asks for more than before.');
    },
  ];

  it.each(SCREENS)(
    'fits at $width pixels, $colorScheme, and shows hostile words as text',
    async (screen) => {
      const page = await enter(screen);
      const addresses = hostileAddresses().map(
        (name) => (visited: Page) => visited.goto(`${desk.url}/console/${name}`),
      );
      for (const visit of [...visits(), ...addresses]) {
        await visit(page);
        await page.evaluate(UNFOLD);
        const width = await page.evaluate('document.documentElement.scrollWidth');
        expect({ url: page.url(), width }).toEqual({ url: page.url(), width: screen.width });
        expect(await page.evaluate(OUTSIDE)).toEqual([]);
        expect(await page.evaluate(`'pwned' in window`)).toBe(false);
        // Nothing steers a terminal or turns text round, and the page says what belongs to the plugin.
        expect(await page.content()).not.toMatch(STEERING);
        expect(
          await page.locator('main :is(script, img, iframe, object, embed, base, link)').count(),
        ).toBe(0);
        const forms = await page
          .locator('form')
          .evaluateAll((all) => all.map((one) => one.getAttribute('action')));
        expect(forms.filter((action) => action?.startsWith('/console/') !== true)).toEqual([]);
      }
      expect(hugeLengths[0]).toBeGreaterThan(700_000);
      await page.goto(`${desk.url}/console/logs?plugin=hostile`);
      expect(await page.locator('main').innerText()).toContain(HOSTILE[0]);
      expect(complaints).toEqual([]);
      await page.context().close();
    },
  );

  it.each(SCREENS.slice(0, 4))(
    'has nothing that axe objects to at $width pixels, $colorScheme',
    async (screen) => {
      const page = await enter(screen);
      const found: string[] = [];
      for (const visit of visits()) {
        await visit(page);
        found.push(...(await axe(page, UNFOLD)).map((one) => `${page.url()}: ${one}`));
      }
      expect(found).toEqual([]);
      await page.context().close();
    },
  );

  it('answers without JavaScript, from the keyboard, with the exact input shown', async () => {
    const page = await enter({ width: 390, colorScheme: 'light', javaScriptEnabled: false });
    const asked = nextQuestion(desk);
    const call = desk.engine.call('notes__write', { path: 'a/1.md', text: 'one' });
    const { approvalId } = await asked;
    await page.goto(`${desk.url}/console/`);
    const row = page.locator(`[data-approval="${approvalId}"]`);
    expect(await row.locator('pre').first().innerText()).toContain('"path": "a/1.md"');
    const once = row.getByRole('button', { name: 'Allow once' });
    await once.focus();
    // The page accepts an answer after a second, so that a row is not clicked as it appears.
    const loadedAt = Date.now();
    await expect.poll(() => Date.now() - loadedAt).toBeGreaterThan(1_000);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/console/?done=**');
    expect(await page.locator('[role=alert]').innerText()).toBe('1 question allowed.');
    expect((await call).isError).toBe(false);
    await page.context().close();
  });

  it('shows a new question at the end, without a reload, and moves no row', async () => {
    const page = await enter(SCREENS[0]);
    await page.goto(`${desk.url}/console/`);
    const first = page.locator('[data-approval]').first();
    const before = await first.boundingBox();
    const asked = nextQuestion(desk);
    const call = desk.engine.call('notes__write', { path: 'b/1.md', text: 'one' });
    const { approvalId } = await asked;
    const row = page.locator(`[data-approval="${approvalId}"]`);
    await row.waitFor();
    expect(await page.locator('#live').innerText()).toContain('A new question waits');
    expect(await first.boundingBox()).toEqual(before);
    expect(await page.locator('[data-approval]').last().getAttribute('data-approval')).toBe(
      approvalId,
    );
    await desk.engine.approvals.answer(approvalId, { verdict: 'deny', by: 'another' });
    await row.getByText('This question does not wait any more.').waitFor();
    expect(await row.locator('button:enabled').count()).toBe(0);
    expect((await call).code).toBe('APPROVAL_DENIED');
    await page.context().close();
  });
});

interface NoScript {
  readonly width: number;
  readonly colorScheme: 'light' | 'dark';
  readonly javaScriptEnabled: boolean;
}

/** Controls other than line breaks and tabs, and direction marks other than the isolates of the page. */
// oxlint-disable-next-line no-control-regex -- it looks for them
const STEERING = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

const UNFOLD = `document.querySelectorAll('details').forEach((one) => { one.open = true; })`;

function nextQuestion({ engine }: Desk): Promise<{ readonly approvalId: string }> {
  return new Promise((resolve) => {
    const stop = engine.approvals.on('request', (question) => {
      stop();
      resolve(question);
    });
  });
}
