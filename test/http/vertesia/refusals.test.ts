import { describe, expect, it } from 'vitest';
import { serveTools } from './served.js';

const known = JSON.stringify({
  tool_use: { id: 'use-1', tool_name: 'sample__echo', tool_input: {} },
});
const unknown = JSON.stringify({ tool_use: { id: 'use-1', tool_name: 'nope', tool_input: {} } });

describe('POST without a valid token', () => {
  it.each([
    ['none', {}],
    ['a password', { authorization: 'Basic dTpw' }],
    ['an empty one', { authorization: 'Bearer ' }],
    ['no token', { authorization: 'Bearer x' }],
  ])('has the same answer whether or not the tool exists: %s', async (_what, headers) => {
    const { post } = await serveTools();
    const answers = await Promise.all(
      [known, unknown, '{"tool_use":{"id":"use-1"}}'].map((body) => post(body, headers)),
    );
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401]);
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect(answers[0]?.body).toMatchObject({ tool_use_id: 'use-1', status: 401 });
    expect(answers[0]?.headers.get('www-authenticate')).toBe('Bearer');
  });

  it('has the id unknown in its answer if the id is not valid', async () => {
    const { post } = await serveTools();
    for (const body of ['', 'nonsense', '{}', '{"tool_use":{"id":7}}', 'x'.repeat(100_000)]) {
      expect((await post(body, {})).body).toMatchObject({ tool_use_id: 'unknown', status: 401 });
    }
  });

  it('never fetches the keys of an issuer that is not pinned', async () => {
    const { post, bearer, issuer } = await serveTools();
    const iss = `${issuer.url}/#.vertesia.io`;
    const { status, body } = await post(known, await bearer({ claims: { iss } }));
    expect(status).toBe(401);
    expect(body['error']).toContain('Issuer is not allowed');
    expect(issuer.seen).toEqual([]);
  });

  it('is refused if no issuer is pinned', async () => {
    const { post } = await serveTools({ jwks: [] });
    expect(await post(known)).toMatchObject({
      status: 401,
      body: { error: 'This server trusts no issuer' },
    });
  });
});

describe('POST of a body that is not an invocation', () => {
  it.each([
    ['', 'The body is not JSON'],
    ['nonsense', 'The body is not JSON'],
    ['[]', 'tool_use must be an object'],
    ['{"tool_use":[]}', 'tool_use must be an object'],
    ['{"tool_use":{"id":7,"tool_name":"x"}}', 'tool_use.id'],
    ['{"tool_use":{"id":"","tool_name":"x"}}', 'tool_use.id'],
    ['{"tool_use":{"id":"1","tool_name":7}}', 'tool_use.tool_name'],
    ['{"tool_use":{"id":"1"}}', 'tool_use.tool_name'],
    ['{"tool_use":{"id":"1","tool_name":"x"},"metadata":7}', 'metadata'],
    [
      `{"tool_use":{"id":"1","tool_name":"x","tool_input":${'['.repeat(80)}${']'.repeat(80)}}}`,
      'nested deeper',
    ],
  ])('is answered with 400: %s', async (body, why) => {
    const { post } = await serveTools();
    const answer = await post(body);
    expect(answer.status).toBe(400);
    expect(answer.body['error']).toContain(why);
  });

  it('is answered with 413 if it is too long, with or without content-length', async () => {
    const { post, fetch, bearer } = await serveTools({ limits: { maxBodyBytes: 1_000 } });
    const long = JSON.stringify({ tool_use: { id: 'x'.repeat(2_000) } });
    expect(await post(long)).toMatchObject({
      status: 413,
      body: { tool_use_id: 'unknown', status: 413 },
    });
    const streamed = new Request('http://x/', {
      method: 'POST',
      headers: await bearer(),
      body: new Blob([long]).stream(),
      duplex: 'half',
    });
    expect((await fetch(streamed)).status).toBe(413);
  });

  it('is answered with 408 if it does not arrive in time', async () => {
    const { fetch, bearer } = await serveTools({ limits: { bodyMs: 50 } });
    const never = new Request('http://x/', {
      method: 'POST',
      headers: await bearer(),
      body: new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(3)) }),
      duplex: 'half',
    });
    expect((await fetch(never)).status).toBe(408);
  });

  it('is read with any content type', async () => {
    const { post, bearer } = await serveTools();
    const headers = { ...(await bearer()), 'content-type': 'text/plain' };
    expect(await post(known, headers)).toMatchObject({ status: 200 });
  });

  it('does not change prototypes', async () => {
    const { post } = await serveTools();
    const body =
      '{"tool_use":{"id":"1","tool_name":"sample__echo","tool_input":{"__proto__":{"polluted":1}}},"__proto__":{"x":1}}';
    expect((await post(body)).status).toBe(200);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });
});
