import { decodeJwt, decodeProtectedHeader } from 'jose';
import { describe, expect, it } from 'vitest';
import { callOf, idOf, makeRemote, type Reply, runRemote, serveTools, weather } from './server.js';

const list = { tools: [weather] };
const reading = { tools: [{ ...weather, annotations: { readOnlyHint: true } }] };

describe('a call of a tool server', () => {
  it('is sent in the form of the protocol, with a token for that server only', async () => {
    const server = await serveTools(list);
    const call = callOf(
      { city: 'Oslo' },
      { metadata: { run_id: 'r', endpoints: { studio: 'x' } } },
    );
    expect(await runRemote(makeRemote(server.url), call)).toEqual({
      isError: false,
      content: [{ type: 'text', text: 'Sunny' }],
    });
    const [post] = server.posts();
    expect(post?.body).toEqual({
      tool_use: { id: 'call_1', tool_name: 'weather', tool_input: { city: 'Oslo' } },
      metadata: { run_id: 'r' },
    });
    expect(post?.headers['content-type']).toBe('application/json');
    const token = (post?.headers.authorization ?? '').replace('Bearer ', '');
    expect(decodeProtectedHeader(token)).toMatchObject({ alg: 'ES256' });
    const { aud, iss, exp = 0, iat = 0 } = decodeJwt(token);
    expect({ aud, iss }).toEqual({ aud: server.origin, iss: 'https://bulkhead.example' });
    expect(exp - iat).toBe(600);
  });

  it('returns files and metadata, in the form of the documentation and of the SDK', async () => {
    const replies: Record<string, unknown>[] = [
      {
        content: 'a',
        files: ['https://a.example/x.png', 'file:///etc/passwd', 7],
        metadata: { n: 1 },
      },
      { content: 'b', is_error: true, meta: { m: 2 }, display_message: 'shown', content_ref: 'r' },
    ];
    const server = await serveTools(list, ({ body }) => ({
      body: { tool_use_id: idOf(body), ...replies.shift() },
    }));
    const remote = makeRemote(server.url);
    expect(await runRemote(remote)).toEqual({
      isError: false,
      content: [{ type: 'text', text: 'a' }],
      files: ['https://a.example/x.png'],
      meta: { n: 1 },
    });
    expect(await runRemote(remote)).toEqual({
      isError: true,
      content: [{ type: 'text', text: 'b' }],
      status: 'shown',
      meta: { m: 2 },
    });
  });

  it.each<[string, (id: unknown) => unknown, string]>([
    ['another call', () => ({ tool_use_id: 'other', content: 'x' }), 'its tool_use_id is not'],
    ['no call', () => ({ content: 'x' }), 'its tool_use_id is not'],
    ['data', (id) => ({ tool_use_id: id, content: { a: 1 } }), 'its content is not a string'],
    ['a list', () => [], 'it is not a JSON object'],
    ['a page', () => '<html><body>Hello</body></html>', 'it is not a JSON object'],
  ])('refuses the answer to %s', async (_what, body, why) => {
    const server = await serveTools(list, (seen) => ({ body: body(idOf(seen.body)) }));
    await expect(runRemote(makeRemote(server.url))).rejects.toMatchObject({
      code: 'REMOTE_FAILED',
      message: expect.stringContaining(why) as string,
    });
    expect(server.posts()).toHaveLength(1);
  });

  it.each<[number, Reply, string, string]>([
    [400, { body: { error: 'no city' } }, 'INVALID_INPUT', '400: no city'],
    [401, { body: { error: 'who?' } }, 'REMOTE_FAILED', '401: who?'],
    [403, { body: { content: 'not you', is_error: true } }, 'REMOTE_FAILED', '403: not you'],
    [404, { body: {} }, 'TOOL_NOT_FOUND', 'with 404'],
    [500, { body: { error: 'it broke' } }, 'TOOL_FAILED', '500: it broke'],
    [500, { body: '<html>stack trace</html>' }, 'TOOL_FAILED', 'with 500'],
    [504, { body: {} }, 'DEADLINE_EXCEEDED', 'with 504'],
  ])(
    'that is answered with %i fails with the server’s message',
    async (status, reply, code, why) => {
      const server = await serveTools(list, () => ({ ...reply, status }));
      const failure = await runRemote(makeRemote(server.url)).catch((error: unknown) => error);
      expect(failure).toMatchObject({ code, message: expect.stringContaining(why) as string });
      expect(String(failure)).not.toContain('<html>');
      expect(server.posts()).toHaveLength(1);
    },
  );

  it('does not pass on our token if the server echoes it', async () => {
    for (const status of [200, 500]) {
      const echo = ({ headers, body }: { headers: object; body: Record<string, unknown> }) => ({
        status,
        body: {
          error: JSON.stringify(headers),
          content: JSON.stringify(headers),
          tool_use_id: idOf(body),
        },
      });
      const server = await serveTools(list, echo);
      const answer = await runRemote(makeRemote(server.url)).catch((error: unknown) => error);
      const [post] = server.posts();
      const token = String(post?.headers['authorization']).replace('Bearer ', '');
      expect(token.length).toBeGreaterThan(20);
      const text = `${String(answer)} ${JSON.stringify(answer)}`;
      expect(text).toContain('[credential]');
      expect(text).not.toContain(token);
    }
  });

  it('cuts the server’s error message', async () => {
    const server = await serveTools(list, () => ({
      status: 500,
      body: { error: 'x'.repeat(9_000) },
    }));
    const failure = await runRemote(makeRemote(server.url)).catch((error: unknown) => error);
    expect(String(failure).length).toBeLessThan(700);
  });

  it('does not follow redirects, so its token reaches no other server', async () => {
    const thief = await serveTools(list);
    for (const status of [301, 302, 307, 308]) {
      const server = await serveTools(list, () => ({
        status,
        headers: { location: thief.url },
        body: '',
      }));
      await expect(runRemote(makeRemote(server.url))).rejects.toThrow('do not follow redirects');
    }
    expect(thief.seen).toEqual([]);
  });

  it('is limited in bytes and in time', async () => {
    const long = await serveTools(list, ({ body }) => ({
      body: { tool_use_id: idOf(body), content: 'x'.repeat(20_000) },
    }));
    await expect(runRemote(makeRemote(long.url))).rejects.toMatchObject({ code: 'NETWORK_LIMIT' });
    const slow = await serveTools(list, () => 'hang');
    const call = callOf({}, { signal: AbortSignal.timeout(200) });
    await expect(runRemote(makeRemote(slow.url), call)).rejects.toMatchObject({
      code: 'CANCELLED',
    });
  });
});

describe('a retry', () => {
  it('is made if the tool only reads', async () => {
    const replies = ['drop', { status: 500, body: {} }] as const;
    let at = 0;
    const server = await serveTools(reading, ({ body }) => {
      const reply = replies[at];
      at += 1;
      return reply ?? { body: { tool_use_id: idOf(body), content: 'third time' } };
    });
    expect(await runRemote(makeRemote(server.url))).toMatchObject({
      content: [{ text: 'third time' }],
    });
    expect(server.posts()).toHaveLength(3);
  });

  it('is not made if the tool may have changed something', async () => {
    for (const reply of ['drop', { status: 500, body: {} }] as const) {
      const server = await serveTools(list, () => reply);
      await expect(runRemote(makeRemote(server.url))).rejects.toThrow(/closed|500/);
      expect(server.posts()).toHaveLength(1);
    }
  });

  it('is made if the server reports that it did nothing', async () => {
    let refused = 0;
    const server = await serveTools(list, ({ body }) => {
      if (refused === 1) return { body: { tool_use_id: idOf(body), content: 'now' } };
      refused += 1;
      return { status: 429, headers: { 'retry-after': '0' }, body: { error: 'busy' } };
    });
    expect(await runRemote(makeRemote(server.url))).toMatchObject({ content: [{ text: 'now' }] });
  });

  it('is limited in number', async () => {
    const server = await serveTools(reading, () => 'drop');
    await expect(runRemote(makeRemote(server.url))).rejects.toMatchObject({
      code: 'NETWORK_FAILED',
    });
    expect(server.posts()).toHaveLength(3);
  });
});
