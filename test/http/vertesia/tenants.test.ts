import { describe, expect, it } from 'vitest';
import { createVertesiaHandler } from '../../../src/http/vertesia.js';
import type { TokenSpec } from '../issuer.js';
import { serveTools, URL_SERVED } from './served.js';

/** For whom calls are made that tokens of these kinds bring, as a tool and as an activity. */
async function tenantsOf(...specs: readonly TokenSpec[]) {
  const tenants: (string | undefined)[] = [];
  const admitted: (string | undefined)[] = [];
  const admit = (caller?: string): void => void admitted.push(caller);
  const { engine, issuer, bearer } = await serveTools(
    {},
    { approve: ({ tenant }) => (tenants.push(tenant), 'once') },
  );
  const handler = createVertesiaHandler(engine, {
    url: URL_SERVED,
    jwks: [{ issuer: issuer.url, jwks: issuer.jwks }],
  });
  for (const spec of specs) {
    const init = { method: 'POST', headers: await bearer(spec) };
    const tool = { tool_use: { id: '1', tool_name: 'sample__asks' } };
    await handler.fetch(new Request(URL_SERVED, { ...init, body: JSON.stringify(tool) }), admit);
    const body = JSON.stringify({ activity_name: 'sample__asks' });
    const path = 'https://tools.example/api/activities';
    await handler.application(new Request(path, { ...init, body }), '/api', admit);
  }
  await handler.close();
  // It takes its place as whom its call is made for.
  expect(admitted).toEqual(tenants);
  return tenants.map((tenant) => tenant?.replace(issuer.url, 'ISSUER'));
}

describe('the tenant of a call', () => {
  it('is the account, for any of its subjects', async () => {
    const one = { claims: { account: { id: 'a' }, sub: 'x' } };
    const other = { claims: { account: { id: 'a' }, sub: 'y' } };
    const second = { claims: { account: { id: 'b' }, sub: 'x' } };
    const [a, b] = ['account:a@ISSUER', 'account:b@ISSUER'];
    expect(await tenantsOf(one, other, second)).toEqual([a, a, a, a, b, b]);
  });

  it('is the subject for a token without an account, and differs from an account of that name', async () => {
    const spec = { claims: { sub: 'a' }, without: ['account'] };
    expect(await tenantsOf(spec)).toEqual(['subject:a@ISSUER', 'subject:a@ISSUER']);
  });
});
