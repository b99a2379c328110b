import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { makeGrant, type Grant } from '../../src/permissions/grant.js';
import { network } from '../../src/permissions/network.js';
import { NO_PERMISSIONS } from '../../src/permissions/permissions.js';
import { networkText } from './arbitraries.js';
import { runs } from '../property-runs.js';

const granting = (...texts: string[]): Grant => {
  const permissions = { ...NO_PERMISSIONS, network: texts };
  return makeGrant(permissions, permissions);
};
const allows = (grant: Grant, href: string, method?: string): boolean =>
  grant.allowsUrl(new URL(href), method);

describe('a grant', () => {
  test('has exactly what was declared and allowed', () => {
    const grant = makeGrant(
      { ...NO_PERMISSIONS, time: true, env: ['A', 'B'] },
      { ...NO_PERMISSIONS, random: true, env: ['B', 'C'] },
    );
    expect(grant.permissions).toEqual({ ...NO_PERMISSIONS, env: ['B'] });
    expect(['A', 'B', 'C'].filter((name) => grant.allowsVariable(name))).toEqual(['B']);
  });

  test('cannot be written as a literal', () => {
    // @ts-expect-error -- only makeGrant makes one
    const forged: Grant = {
      permissions: NO_PERMISSIONS,
      allowsUrl: () => true,
      scopeFor: () => 'x',
      allowsVariable: () => true,
    };
    expect(forged).not.toBeInstanceOf(granting().constructor);
  });

  test('allows a name on the default ports of both schemes', () => {
    const grant = granting('api.example.com');
    expect(allows(grant, 'https://api.example.com/v1?q')).toBe(true);
    expect(allows(grant, 'http://API.example.com./v1')).toBe(true);
    expect(allows(grant, 'https://api.example.com:443/')).toBe(true);
    expect(allows(grant, 'https://api.example.com:8443/')).toBe(false);
    expect(allows(grant, 'https://example.com/')).toBe(false);
    expect(allows(grant, 'https://x.api.example.com/')).toBe(false);
    expect(allows(grant, 'ftp://api.example.com/')).toBe(false);
    expect(allows(grant, 'file://api.example.com/etc/passwd')).toBe(false);
  });

  test('allows a wildcard at every depth but the apex', () => {
    const grant = granting('*.example.com');
    expect(allows(grant, 'https://a.example.com/')).toBe(true);
    expect(allows(grant, 'https://a.b.c.example.com/')).toBe(true);
    expect(allows(grant, 'https://example.com/')).toBe(false);
    expect(allows(grant, 'https://notexample.com/')).toBe(false);
  });

  test('allows an address in every notation of it', () => {
    const grant = granting('127.0.0.1:8080', '[::1]');
    expect(allows(grant, 'http://0x7f.1:8080/')).toBe(true);
    expect(allows(grant, 'http://2130706433:8080/')).toBe(true);
    expect(allows(grant, 'http://[0:0::1]/')).toBe(true);
    expect(allows(grant, 'http://127.0.0.2:8080/')).toBe(false);
  });

  test('limits methods per scope', () => {
    const grant = granting('GET,HEAD api.example.com', 'POST api.example.com:8443');
    expect(allows(grant, 'https://api.example.com/', 'get')).toBe(true);
    expect(allows(grant, 'https://api.example.com/', 'POST')).toBe(false);
    expect(allows(grant, 'https://api.example.com:8443/', 'POST')).toBe(true);
    expect(allows(grant, 'https://api.example.com/')).toBe(true);
  });

  test('allows a request exactly if one of its scopes covers it', () => {
    const request = fc.record({
      scheme: fc.constantFrom('http', 'https'),
      host: fc.constantFrom('example.com', 'api.example.com', 'b.api.example.com', '[2001:db8::7]'),
      port: fc.constantFrom(80, 443, 8443),
      method: fc.constantFrom('GET', 'POST'),
    });
    fc.assert(
      fc.property(fc.array(networkText, { maxLength: 4 }), request, (texts, want) => {
        const wanted = network.parse(`${want.method} ${want.scheme}://${want.host}:${want.port}`);
        const covered = texts.some((text) => network.covers(network.parse(text), wanted));
        const url = `${want.scheme}://${want.host}:${want.port}/`;
        expect(allows(granting(...texts), url, want.method)).toBe(covered);
      }),
      { numRuns: runs(1000) },
    );
  });
});
