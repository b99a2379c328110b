import { describe, expect, it } from 'vitest';
import { serve } from '../../cli/serve/serving.js';
import { writePlugin } from '../../cli/spawned.js';
import { makeIssuer } from '../../http/issuer.js';
import { makeClient } from './client.js';

const execute = `
  if (input.act === 'throw') throw new Error('it broke');
  if (input.act === 'hang') await new Promise(() => {});
  if (input.act === 'file') return readFile('/etc/passwd');
  return { said: input.city };`;
const top = `const parameters = { type: 'object', properties: { city: { type: 'string' }, act: { type: 'string' } } };`;
const files = {
  'index.ts': `${top}
export const tools = [{ id: 'run', name: 'Run', description: 'Runs', parameters, timeout: 3_000,
  annotations: { readOnlyHint: true }, async execute(input) { ${execute} } }];`,
};

describe('bulkhead serve, to a client made from the documentation', () => {
  it('is a custom tool server', async () => {
    const issuer = await makeIssuer();
    const { url } = await serve([
      '--plugins',
      writePlugin({ files }),
      '--vertesia',
      '/api/tools',
      '--jwks',
      `${issuer.url}=${issuer.jwks}`,
      '--audience',
      'tools',
    ]);
    const client = makeClient(`${url}/api/tools`);
    const token = await issuer.token();

    const { tools } = await client.discover();
    expect(tools.map(({ name }) => name)).toEqual(['sample__run']);
    const run = (input: unknown, with_ = token) =>
      client.execute('id-1', 'sample__run', input, with_);

    expect(await run({ city: 'Oslo' })).toMatchObject({
      ok: true,
      body: { tool_use_id: 'id-1', content: '{"said":"Oslo"}' },
    });
    const failures: readonly [Promise<unknown>, number][] = [
      [run({ act: 'throw' }), 500],
      [run({ act: 'hang' }), 504],
      [run({ city: 7 }), 400],
      [run([]), 400],
      [client.execute('id-1', 'nope', {}, token), 404],
      [client.execute('id-1', '__proto__', {}, token), 404],
      [run({}, await issuer.token({ claims: { exp: 1 } })), 401],
      [run({}, await issuer.token({ claims: { aud: 'others' } })), 401],
      [run({}, await issuer.token({ kid: 'unknown' })), 401],
      [run({}, await issuer.token({ claims: { iss: `${issuer.url}/#x` } })), 401],
      [client.send('{"tool_use":{"id":"id-1","tool_name":"sample__run"}}'), 401],
    ];
    for (const [answer, status] of failures) {
      expect(await answer).toMatchObject({ ok: false, body: { tool_use_id: 'id-1', status } });
    }
    for (const body of ['', '{', '[]', '{"tool_use":7}', `"${'x'.repeat(2_000_000)}"`]) {
      expect(await client.send(body, token)).toMatchObject({
        ok: false,
        body: { tool_use_id: 'unknown' },
      });
    }
  });

  it('takes tokens of keys that came later, and none of those that went', async () => {
    const issuer = await makeIssuer();
    const plugin = writePlugin({ files });
    const { url } = await serve(['--plugins', plugin, '--jwks', `${issuer.url}=${issuer.jwks}`]);
    const client = makeClient(`${url}/tools`);
    const old = await issuer.token();
    expect(await client.execute('1', 'sample__run', {}, old)).toMatchObject({ ok: true });
    const rotated = await issuer.token({ kid: 'next', alg: 'RS256' });
    issuer.publish('next');
    expect(await client.execute('2', 'sample__run', {}, rotated)).toMatchObject({ ok: true });
    expect(await client.execute('3', 'sample__run', {}, old)).toMatchObject({
      ok: false,
      body: { status: 401 },
    });
    expect(issuer.seen).toHaveLength(2);
  });
});
