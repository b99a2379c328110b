import { describe, expect, it } from 'vitest';
import { NETWORK_LIMITS } from '../../../src/brokers/limits.js';
import { makeRefusals } from '../../../src/brokers/network/refusals.js';

function refuse(url: string, granted: readonly string[], method = 'GET', from?: string) {
  const plugin = { id: 'weather', manifest: 'pandora.manifest.json' };
  return makeRefusals(plugin, granted, NETWORK_LIMITS).notGranted(new URL(url), method, from);
}

describe('a host that is not granted', () => {
  it('is refused with what is granted, and with the grant and the edit that allow it', () => {
    expect(refuse('https://evil.test/steal?key=1', ['api.test', '*.weather.test'])).toMatchObject({
      code: 'NETWORK_DENIED',
      message:
        'Network denied: evil.test is not in the allowed list of weather (it is granted "api.test",' +
        ' "*.weather.test"). To allow this, grant it (--allow network:evil.test, or "network":' +
        ' ["evil.test"] in the option "grant") if the manifest declares it. If not, first add' +
        ' "network": ["evil.test"] to "permissions" in pandora.manifest.json.',
      details: { plugin: 'weather', wanted: 'evil.test', granted: ['api.test', '*.weather.test'] },
    });
  });

  it.each([
    ['https://api.test:8443/', ['api.test'], 'GET', 'api.test:8443'],
    ['http://api.test/', ['https://api.test'], 'GET', 'http://api.test'],
    ['https://api.test/', ['GET api.test'], 'POST', 'POST api.test'],
    ['http://api.test/', ['other.test'], 'GET', 'api.test'],
  ])('is written for %s beside %j, by %s, as %s', (url, granted, method, wanted) => {
    expect(refuse(url, granted, method).details.wanted).toBe(wanted);
  });

  it('is distinguished from a misspelling of a granted one', () => {
    expect(refuse('https://api.wether.test/', ['api.weather.test']).message).toContain(
      'Did you mean "api.weather.test"?',
    );
    expect(refuse('https://api.evil.example/', ['api.weather.test']).message).not.toContain(
      'meant',
    );
  });

  it('names who redirected to it', () => {
    expect(refuse('https://evil.test/', ['api.test'], 'GET', 'api.test').message).toContain(
      'api.test redirected there.',
    );
  });

  it('is cut in the message and in the suggested grant', () => {
    const granted = Array.from({ length: 100 }, (_, index) => `h${index}.test`);
    const { message } = refuse(`https://${'a'.repeat(5_000)}.test/`, granted);
    expect(message).toContain('and 92 more');
    expect(message.length).toBeLessThan(1_200);
  });
});
