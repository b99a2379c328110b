import { describe, expect, it } from 'vitest';
import { grantRemedy } from '../../../sandbox/wire/grant-remedy.js';

const declared = { manifest: 'pandora.manifest.json' };
const undeclared = { manifest: '"bulkhead" of package.json', undeclared: ['network'] };

describe('the remedy of a denial', () => {
  it('names the operator’s grant first, on condition that the manifest declares it', () => {
    expect(grantRemedy(declared, 'network', 'api.example.com')).toBe(
      'To allow this, grant it (--allow network:api.example.com, or "network": ["api.example.com"] in the option "grant") if the manifest declares it. If not, first add "network": ["api.example.com"] to "permissions" in pandora.manifest.json.',
    );
  });

  it('names the grant without a condition for what the system cannot declare', () => {
    expect(grantRemedy(undeclared, 'network', 'http://a.test:81')).toBe(
      'To allow this, grant it: --allow network:http://a.test:81, or "network": ["http://a.test:81"] in the option "grant". Or add "network": ["http://a.test:81"] to "permissions" in "bulkhead" of package.json and grant it.',
    );
    expect(grantRemedy({ ...undeclared, undeclared: true }, 'time')).toMatch(
      /^To allow this, grant it: --allow time, or "time": true in/,
    );
    expect(grantRemedy(undeclared, 'time')).toMatch(/if the manifest declares it\./);
  });

  it.each([
    ['GET api.example.com', `--allow 'network:GET api.example.com'`],
    ['*.example.com', `--allow 'network:*.example.com'`],
    [`a.test'; rm -rf ~; '`, `--allow 'network:<host name>'`],
    ['$(id)', `--allow 'network:<host name>'`],
    ['a\u001b[2J', `--allow 'network:<host name>'`],
    ['\u202Etset.a', `--allow 'network:<host name>'`],
    ['a\nb', `--allow 'network:<host name>'`],
    ['a'.repeat(301), `--allow 'network:<host name>'`],
    [undefined, `--allow 'network:<host name>'`],
  ])('is safe to paste into a shell: %j', (scope, flag) => {
    expect(grantRemedy(declared, 'network', scope)).toContain(`(${flag}, or `);
  });
});
