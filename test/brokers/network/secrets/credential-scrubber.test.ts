import { describe, expect, it } from 'vitest';
import {
  makeCredentialScrubber,
  scrubJson,
} from '../../../../src/brokers/network/secrets/credential-scrubber.js';

it('a server’s text loses our credentials, with and without their scheme, and encoded', () => {
  const scrub = makeCredentialScrubber(['Bearer sesame-12345', 'short']);
  for (const text of ['Bearer sesame-12345', 'sesame-12345', btoa('sesame-12345')])
    expect(scrub(`got ${text}.`)).not.toContain(text.slice(-8));
  expect(scrub('a short answer')).toBe('a short answer');
});

describe('a JSON value with our credentials', () => {
  const SECRET = 'se"same\\12345';
  const scrub = makeCredentialScrubber([SECRET, '12345678']);
  const clean = (value: unknown): unknown => scrubJson(value, JSON.stringify(value), scrub);

  it('loses them in texts and in names of fields, whatever their characters', () => {
    const nested = JSON.stringify({ [SECRET]: SECRET });
    const cleaned = clean({ a: [`x ${SECRET}`, { [SECRET]: true }], nested });
    expect(cleaned).toMatchObject({ a: ['x [credential]', { '[credential]': true }] });
    expect(JSON.stringify(cleaned)).not.toContain('same');
  });

  it('stays itself without one', () => {
    const value = { a: [1, 'x', null] };
    expect(clean(value)).toBe(value);
  });

  it('is refused if one is a number', () => {
    expect(() => clean({ pin: 12_345_678 })).toThrow('cannot be taken out');
  });

  it('takes no longer for very many texts', () => {
    const many = [SECRET, ...Array.from({ length: 100_000 }, (_, n) => `text ${n}`)];
    const before = process.cpuUsage();
    expect(clean(many)).toHaveLength(many.length);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(2_000);
  });
});
