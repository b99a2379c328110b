import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, chromium, type Page } from 'playwright-core';

/** Debian's Chromium, or the one that BULKHEAD_CHROMIUM names. */
export const CHROMIUM: string = process.env['BULKHEAD_CHROMIUM'] ?? '/usr/bin/chromium';

/** `npm run test:browser` needs a browser. Other runs leave these tests out without one. */
export const HAS_CHROMIUM: boolean =
  existsSync(CHROMIUM) || process.env['BULKHEAD_BROWSER'] === 'required';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

export function launch(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
}

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string }[];
}

/** Runs axe in a context of the browser's own, which the page's policy does not bind. */
export async function axe(page: Page, before = ''): Promise<string[]> {
  const session = await page.context().newCDPSession(page);
  await session.send('Page.setBypassCSP', { enabled: true });
  await page.reload();
  await page.evaluate(before);
  await page.addScriptTag({ path: AXE });
  const found: unknown = await page.evaluate(`axe.run(document, {
    runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
  }).then(({ violations }) => violations)`);
  await session.send('Page.setBypassCSP', { enabled: false });
  await session.detach();
  return (found as readonly Violation[]).map(
    ({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 120)).join(' | ')}`,
  );
}

/** The texts that lie beyond the right edge, or that are cut off. */
export const OUTSIDE = `[...document.querySelectorAll('main *')]
  .filter((one) => one.checkVisibility({ visibilityProperty: true }) && !one.closest('.unseen, thead'))
  .filter((one) => one.getBoundingClientRect().right > innerWidth + 1)
  .map((one) => one.outerHTML.slice(0, 120))`;
