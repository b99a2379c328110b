import { describe, expect, it } from 'vitest';
import type { ApprovalRequest } from '../../../src/index.js';
import type { InvocationRecord } from '../../../src/http/vertesia/options.js';
import { makeVellum } from '../../engine/vellum-on-disk.js';
import { serveTools } from './served.js';

describe('POST with a valid token', () => {
  it('runs a tool, and answers with the id and the result as text', async () => {
    const { use } = await serveTools();
    const { status, body, headers } = await use('sample__weather', { city: 'Oslo' });
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/json');
    expect(body).toEqual({ tool_use_id: 'use-1', is_error: false, content: 'Sunny in Oslo' });
  });

  it('returns an object as JSON, and undefined as null', async () => {
    const { use } = await serveTools();
    expect((await use('sample__object')).body['content']).toBe('{"degrees":20,"list":[1]}');
    expect((await use('sample__nothing')).body['content']).toBe('null');
  });

  it('treats a missing input as an empty one', async () => {
    const { post } = await serveTools();
    const { body } = await post('{"tool_use":{"id":"1","tool_name":"sample__echo"}}');
    expect(body).toMatchObject({ tool_use_id: '1', content: '{}' });
  });

  it.each(['null', '[]', '"x"', '7', 'true'])('refuses %s as an input', async (input) => {
    const { post } = await serveTools();
    const text = `{"tool_use":{"id":"1","tool_name":"sample__echo","tool_input":${input}}}`;
    const { status, body } = await post(text);
    expect(status).toBe(400);
    expect(body).toMatchObject({ tool_use_id: '1', status: 400 });
  });

  it('reports the problems of an input that does not match the schema', async () => {
    const { use } = await serveTools();
    const { status, body } = await use('sample__weather', { city: 7 });
    expect(status).toBe(400);
    expect(body).toMatchObject({ tool_use_id: 'use-1', data: { code: 'INVALID_INPUT' } });
    expect((body['data'] as { issues: string[] }).issues[0]).toContain('city');
  });

  it('answers an error of a tool with 500, without a stack', async () => {
    const { use } = await serveTools();
    const { status, body } = await use('sample__throws');
    expect(status).toBe(500);
    expect(body).toEqual({
      tool_use_id: 'use-1',
      status: 500,
      error: 'the pump is broken',
      data: { code: 'TOOL_FAILED' },
    });
  });

  it.each(['hangs', 'spins'])('stops a tool that %s at its deadline, with 504', async (tool) => {
    const { use } = await serveTools();
    const [late, other] = await Promise.all([
      use(`sample__${tool}`),
      use('sample__weather', { city: 'Oslo' }),
    ]);
    expect(late.status).toBe(504);
    expect(late.body).toMatchObject({ status: 504, data: { code: 'DEADLINE_EXCEEDED' } });
    // Beside one that spins there is nothing to be had: it is answered all the same.
    expect(other.body['tool_use_id']).toBe('use-1');
    expect(await use('sample__weather', { city: 'Rome' })).toMatchObject({ status: 200 });
  });

  it('reports a denial to the model, as an answer', async () => {
    const { use } = await serveTools();
    const { status, body } = await use('sample__looks');
    expect(status).toBe(200);
    expect(body).toMatchObject({ is_error: true });
    expect(body['content']).toContain('elsewhere.example');
  });

  it.each(['constructor', '__proto__', 'toString', '', 'weather', 'sample:weather', 'nope'])(
    'finds no tool %j',
    async (name) => {
      const { use } = await serveTools();
      expect(await use(name)).toMatchObject({
        status: 404,
        body: { tool_use_id: 'use-1', status: 404, data: { tool_name: name } },
      });
    },
  );

  it('does not run a tool that is not served', async () => {
    const { use, get } = await serveTools({ tools: ['*__weather', 'sample__echo'] });
    const names = ((await get()).body['tools'] as { name: string }[]).map(({ name }) => name);
    expect(names).toEqual(['sample__echo', 'sample__weather']);
    expect(await use('sample__object')).toMatchObject({ status: 404 });
    expect(await use('sample__echo')).toMatchObject({ status: 200 });
  });

  it('does not run a tool without approval, and reports missing and denied approval differently', async () => {
    const unattended = await serveTools();
    expect(await unattended.use('sample__asks')).toMatchObject({
      status: 403,
      body: { error: 'approval_required', data: { code: 'APPROVAL_REQUIRED' } },
    });
    const denied = await serveTools(
      {},
      { approve: () => ({ verdict: 'deny', reason: 'not now' }) as never },
    );
    const answer = await denied.use('sample__asks');
    expect(answer).toMatchObject({ status: 200, body: { is_error: true } });
    expect(answer.body['content']).toContain('not now');
    const asked: ApprovalRequest[] = [];
    const approved = await serveTools({}, { approve: (request) => (asked.push(request), 'once') });
    expect(await approved.use('sample__asks')).toMatchObject({ status: 200 });
    expect(asked).toHaveLength(1);
  });

  it('passes the run to the plugin, without endpoints of the caller', async () => {
    const directory = makeVellum({
      tools: {
        told: `export default { description: 'd', defaultRiskLevel: 'low', input_schema: { type: 'object', properties: {} },
          execute: async (input, context) => ({ content: JSON.stringify(context), isError: false }) };`,
      },
    });
    const { use } = await serveTools({}, { plugins: [directory] });
    const metadata = { run_id: 'run-7', endpoints: { studio: 'https://evil.example' } };
    const { body } = await use('told', {}, { metadata });
    expect(JSON.parse(String(body['content']))).toMatchObject({
      conversationId: 'run-7',
      requestId: 'use-1',
    });
    expect(body['content']).not.toContain('evil.example');
    expect(body['content']).not.toContain('eyJ');
  });

  it('runs two calls with one id concurrently, with different call ids in the log', async () => {
    const records: InvocationRecord[] = [];
    const { use } = await serveTools({ onInvocation: (record) => records.push(record) });
    const [first, second] = await Promise.all([
      use('sample__echo', { n: 1 }),
      use('sample__echo', { n: 2 }),
    ]);
    expect([first.body['content'], second.body['content']]).toEqual(['{"n":1}', '{"n":2}']);
    expect(records).toHaveLength(2);
    expect(records[0]).toMatchObject({
      toolUseId: 'use-1',
      tool: 'sample__echo',
      subject: 'user-1',
      organization: 'org-1',
      status: 200,
    });
    expect(records[0]?.callId).not.toBe(records[1]?.callId);
  });
});
