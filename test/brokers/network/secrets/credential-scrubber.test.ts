import { expect, it } from 'vitest';
import { makeCredentialScrubber } from '../../../../src/brokers/network/secrets/credential-scrubber.js';

it('a server’s text loses our credentials, with and without their scheme, and encoded', () => {
  const scrub = makeCredentialScrubber(['Bearer sesame-12345', 'short']);
  for (const text of ['Bearer sesame-12345', 'sesame-12345', btoa('sesame-12345')])
    expect(scrub(`got ${text}.`)).not.toContain(text.slice(-8));
  expect(scrub('a short answer')).toBe('a short answer');
});
