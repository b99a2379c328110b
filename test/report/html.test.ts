import { describe, expect, it } from 'vitest';
import { renderHtml } from '../../src/report/html/page.js';
import { hostileReport } from './hostile.js';
import { sampleReport } from './sample.js';

describe('the report as HTML', () => {
  it('is one file without script, style attributes, or anything to fetch', async () => {
    const html = renderHtml(await hostileReport());
    // In text and in attributes every angle and quote is escaped, so that what looks like a tag is one.
    const tags = [
      ...html
        .replace(/<style>.*?<\/style>/s, '')
        .matchAll(/<(?<name>[a-z][\w-]*)(?<rest>[^>]*)>/gi),
    ];
    expect(tags.length).toBeGreaterThan(500);
    const names = new Set(tags.map(({ groups }) => groups?.['name']?.toLowerCase()));
    const fetching = [
      'script',
      'img',
      'image',
      'use',
      'iframe',
      'object',
      'embed',
      'form',
      'base',
      'audio',
      'video',
    ];
    expect(fetching.filter((name) => names.has(name))).toEqual([]);
    for (const { groups } of tags) {
      const attributes = [...(groups?.['rest'] ?? '').matchAll(/([\w:-]+)(?:="([^"]*)")?/g)];
      for (const [, attribute = '', value = ''] of attributes) {
        expect(attribute).not.toMatch(/^on|^style$|^src$|^xlink/i);
        if (attribute === 'href') expect(value).toMatch(/^#/);
      }
    }
    expect(html).not.toMatch(/url\((?!#stripes\))|@import/);
    expect(html).toMatch(/<!doctype html>/i);
  });

  it('has each picture in words, and each chart as a table', async () => {
    const html = renderHtml(await sampleReport());
    expect(html).toContain('Denied: fs /etc/passwd (denied 6×)');
    expect([...html.matchAll(/role="img"/g)].length).toBe(
      [...html.matchAll(/<title id="/g)].length,
    );
    expect([...html.matchAll(/The same as a table/g)]).toHaveLength(3);
  });

  it('has every anchor once, and links to those alone', async () => {
    const html = renderHtml(await hostileReport());
    const ids = [...html.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const [, target] of html.matchAll(/href="#([^"]+)"/g)) expect(ids).toContain(target);
  });
});
