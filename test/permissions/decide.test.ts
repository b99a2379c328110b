import { expect, test } from 'vitest';
import { decideNetwork, type NetworkDecision } from '../../src/permissions/decide.js';
import { makeGrant } from '../../src/permissions/grant.js';
import { NO_PERMISSIONS } from '../../src/permissions/permissions.js';

const decide = (granted: string[], href: string, method = 'GET'): NetworkDecision => {
  const permissions = { ...NO_PERMISSIONS, network: granted };
  return decideNetwork(makeGrant(permissions, permissions), { url: new URL(href), method });
};

test('an allowed request names the scope that allows it', () => {
  expect(decide(['a.test', '*.example.com'], 'https://api.example.com/')).toEqual({
    allowed: true,
    by: '*.example.com',
  });
});

test('a refused request names what would allow it and what is granted', () => {
  expect(decide(['api.weather.test'], 'https://api.evil.example:8443/x')).toEqual({
    allowed: false,
    wanted: 'api.evil.example:8443',
    granted: ['api.weather.test'],
  });
});

test.each([
  ['https://x.test/', 'x.test'],
  ['http://x.test/', 'http://x.test'],
  ['http://x.test:8080/', 'x.test:8080'],
  ['https://[::1]/', '[::1]'],
  ['ftp://x.test/', 'ftp:'],
])('what %s wants is %s', (href, wanted) => {
  expect(decide([], href)).toMatchObject({ allowed: false, wanted });
});

test('a typing error is recognised', () => {
  expect(decide(['api.openweathermap.org'], 'https://api.openweather.org/')).toMatchObject({
    closeMatch: 'api.openweathermap.org',
  });
});

test('a host that is granted in another way is a close match', () => {
  expect(decide(['GET api.test'], 'https://api.test/', 'POST')).toMatchObject({
    wanted: 'POST api.test',
    closeMatch: 'GET api.test',
  });
  expect(decide(['*.example.com'], 'https://example.com/')).toMatchObject({
    closeMatch: '*.example.com',
  });
});

test('an unrelated host is no close match', () => {
  expect(decide(['api.weather.test'], 'https://evil.example/')).not.toHaveProperty('closeMatch');
});
