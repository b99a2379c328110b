import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { renderHtml } from '../../src/report/html/page.js';
import type { Report } from '../../src/report/report.js';
import { makeReport } from '../../src/report/make-report.js';
import { call, granted, NOW, recordsOf, statusOf, tool } from '../report/builders.js';
import { hostileReport, HOSTILE } from '../report/hostile.js';
import { sampleReport } from '../report/sample.js';
import { axe, HAS_CHROMIUM, launch, OUTSIDE } from './chromium.js';

const directory = mkdtempSync(join(tmpdir(), 'bulkhead-report-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const screens = [
  { width: 1200, colorScheme: 'light' },
  { width: 1200, colorScheme: 'dark' },
  { width: 375, colorScheme: 'light' },
  { width: 375, colorScheme: 'dark' },
] as const;

/** Opens every folded part. */
const UNFOLD = `document.querySelectorAll('details').forEach((one) => { one.open = true; })`;

/** Six plugins with 24 notes of one cause and one denied attempt. */
function sixPlugins(): Promise<Report> {
  const ids = ['alpha', 'beta', 'gamma', 'delta', 'epsilon', 'zeta'];
  const names = ['read', 'write', 'list', 'find'];
  return makeReport({
    plugins: ids.map((id) =>
      statusOf(id, {
        permissions: { network: [`api.${id}.example`] },
        tools: names.map((name) =>
          tool(id, name, { declaredRisk: 'low', risk: 'medium', riskWhy: 'it can send' }),
        ),
      }),
    ),
    records: recordsOf([
      ...ids.map((id) => granted(id, { network: [`api.${id}.example`] })),
      ...call('beta', 'read', NOW, ['!fs /etc/passwd src/index.ts:3:1']),
    ]),
    log: { file: 'audit.jsonl', sound: true, notes: [] },
    nowMs: NOW,
  });
}

describe.skipIf(!HAS_CHROMIUM)('the report in Chromium', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser.close());

  const open = async (
    report: Report,
    screen: (typeof screens)[number],
  ): Promise<{ page: Page; complaints: string[] }> => {
    const file = join(directory, `${screen.width}-${screen.colorScheme}.html`);
    writeFileSync(file, renderHtml(report));
    const { width, colorScheme } = screen;
    // Past the page's own policy, which would keep the checker itself out.
    const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
    const complaints: string[] = [];
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('dialog', (dialog) => {
      complaints.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on('request', (request) => {
      if (!request.url().startsWith('file:')) complaints.push(`request: ${request.url()}`);
    });
    await page.goto(pathToFileURL(file).href);
    return { page, complaints };
  };

  describe.each(screens)('at $width pixels, $colorScheme', (screen) => {
    it('fits, breaks no policy of its own, and fetches nothing', async () => {
      const { page, complaints } = await open(await sampleReport(), screen);
      await page.evaluate(UNFOLD);
      expect(complaints).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(
        screen.width,
      );
      expect(await page.evaluate(OUTSIDE)).toEqual([]);
      expect(await page.locator('svg[role=img]:visible').count()).toBe(6);
      await page.close();
    });

    it('has nothing that axe objects to, folded and unfolded', async () => {
      const { page } = await open(await sampleReport(), screen);
      const violations = [...(await axe(page)), ...(await axe(page, UNFOLD))];
      expect(violations).toEqual([]);
      await page.close();
    });

    it('shows hostile names as text, and does what none of them says', async () => {
      const { page, complaints } = await open(await hostileReport(), screen);
      expect(complaints).toEqual([]);
      expect(await page.evaluate(`'pwned' in window`)).toBe(false);
      expect(await page.locator('main').innerText()).toContain(HOSTILE[0]);
      expect(
        await page.locator('script, img, iframe, object, embed, form, input, base').count(),
      ).toBe(0);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(
        screen.width,
      );
      await page.close();
    });
  });

  it('shows what to look at first, and unfolds the plugin that a link leads to', async () => {
    const { page } = await open(await sampleReport(), screens[0]);
    expect(await page.locator('h2:visible').first().innerText()).toBe('What to look at');
    const [first] = await page.locator('.cause li a').all();
    expect(await first?.innerText()).toContain('/etc/passwd');
    await first?.click();
    const finding = page.locator('.finding:visible').first();
    expect(await finding.innerText()).toContain('/etc/passwd');
    await page.close();
  });

  it('shows six plugins on two screens while their details are folded', async () => {
    const { page } = await open(await sixPlugins(), { width: 1200, colorScheme: 'light' });
    expect(await page.locator('details.plugin').count()).toBe(6);
    expect(await page.evaluate('document.documentElement.scrollHeight')).toBeLessThan(2 * 900);
    await page.close();
  });

  it('shows on paper what is folded away on a screen', async () => {
    const { page } = await open(await sampleReport(), screens[0]);
    await page.emulateMedia({ media: 'print' });
    expect(await page.locator('.skip').isVisible()).toBe(false);
    const pdf = await page.pdf({ format: 'A4' });
    expect(pdf.subarray(0, 5).toString('latin1')).toBe('%PDF-');
    await page.close();
  });
});
