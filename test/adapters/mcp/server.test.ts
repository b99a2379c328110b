import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeVellum } from '../../engine/vellum-on-disk.js';
import { connect, connectOld, serveMcp, url } from './served.js';

describe.each([
  ['of today', connect],
  ['of 2025', connectOld],
])('an MCP client %s', (_era, open) => {
  it('lists the tools, sorted, with hints limited by their risk', async () => {
    const client = await open(await serveMcp());
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      'sample__asks',
      'sample__echo',
      'sample__slow',
      'sample__text',
      'sample__throws',
      'sample__wipes',
    ]);
    expect(tools[1]).toMatchObject({
      title: 'echo title',
      description: 'Does echo',
      inputSchema: { type: 'object', properties: { n: { type: 'number' } } },
      annotations: { readOnlyHint: true, destructiveHint: false, openWorldHint: false },
      _meta: { 'dev.bulkhead/plugin': 'sample', 'dev.bulkhead/risk': 'low' },
    });
    expect(tools[5]?.annotations).toMatchObject({ readOnlyHint: false, destructiveHint: true });
    expect(tools[0]?._meta?.['dev.bulkhead/bundle']).toMatch(/^sha512-/);
  });

  it('receives a tool’s result as text and as data', async () => {
    const client = await open(await serveMcp());
    expect(await client.callTool({ name: 'sample__echo', arguments: { n: 1 } })).toMatchObject({
      content: [{ type: 'text', text: '{"n":1}' }],
      structuredContent: { n: 1 },
      isError: false,
    });
    const text = await client.callTool({ name: 'sample__text', arguments: {} });
    expect(text.content).toEqual([{ type: 'text', text: 'hello' }]);
    expect(text.structuredContent).toBeUndefined();
  });

  it('receives an error as an answer that its model can read', async () => {
    const client = await open(await serveMcp());
    expect(await client.callTool({ name: 'sample__throws', arguments: {} })).toMatchObject({
      isError: true,
      content: [{ text: 'the pump is broken' }],
      _meta: { 'dev.bulkhead/code': 'TOOL_FAILED' },
    });
    const wrong = await client.callTool({ name: 'sample__echo', arguments: { n: 'x' } });
    expect(wrong).toMatchObject({ isError: true, _meta: { 'dev.bulkhead/code': 'INVALID_INPUT' } });
  });

  it.each(['nope', 'constructor', 'text', 'sample:text'])('finds no tool %s', async (name) => {
    const client = await open(await serveMcp());
    await expect(client.callTool({ name, arguments: {} })).rejects.toMatchObject({ code: -32602 });
  });

  it('receives APPROVAL_REQUIRED if it cannot elicit', async () => {
    const client = await open(await serveMcp());
    const answer = await client.callTool({ name: 'sample__asks', arguments: { n: 1 } });
    expect(answer).toMatchObject({
      isError: true,
      _meta: { 'dev.bulkhead/code': 'APPROVAL_REQUIRED' },
    });
  });

  it('repeats a call when the operator has answered its question', async () => {
    const served = await serveMcp();
    const client = await open(served);
    const call = () => client.callTool({ name: 'sample__wipes', arguments: { n: 1 } });
    const refused = await call();
    const id = String(refused._meta?.['dev.bulkhead/approval']);
    expect(JSON.stringify(refused.content)).toContain(`bulkhead approvals ${id} once`);
    expect((await call())._meta?.['dev.bulkhead/approval']).toBe(id);
    const { approvals } = served.engine;
    expect(approvals.list()).toMatchObject([
      { approvalId: id, asker: expect.stringMatching(/^mcp: /) as unknown, risk: 'high' },
    ]);
    await approvals.answer(id, { verdict: 'once', by: 'ann' });
    expect(await call()).toMatchObject({ isError: false, content: [{ text: 'wiped 1' }] });
    expect((await call())._meta?.['dev.bulkhead/approval']).not.toBe(id);
  });

  it('lists and runs only served tools', async () => {
    const client = await open(await serveMcp({ tools: ['*__text'] }));
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['sample__text']);
    await expect(client.callTool({ name: 'sample__echo', arguments: {} })).rejects.toMatchObject({
      code: -32602,
    });
  });
});

describe('a call', () => {
  it('that the client cancels is stopped in its guest', async () => {
    const served = await serveMcp();
    const client = await connect(served);
    const ended = new Promise((resolve) => {
      served.engine.on((event) => {
        if (event.type === 'call-ended') resolve(event.code);
      });
    });
    const given = new AbortController();
    served.engine.on((event) => {
      if (event.type === 'call-started') setTimeout(() => given.abort(), 20);
    });
    const call = client.callTool({ name: 'sample__slow', arguments: {} }, { signal: given.signal });
    await expect(call).rejects.toThrow(/abort/i);
    expect(await ended).toBe('CANCELLED');
  });

  it('reports the tool’s output as progress to a client that requests it', async () => {
    const plugin = makeVellum({
      tools: {
        build: `export default { description: 'd', defaultRiskLevel: 'low', input_schema: { type: 'object', properties: {} },
          execute: async (input, { onOutput }) => {
            onOutput('one'); onOutput('two');
            await new Promise((resolve) => setTimeout(resolve, 200));
            return { content: 'built', isError: false };
          } };`,
      },
    });
    const client = await connect(await serveMcp({}, { plugins: [plugin] }));
    const told: string[] = [];
    const onprogress = ({ message = '' }): void => void told.push(message);
    const answer = await client.callTool({ name: 'build', arguments: {} }, { onprogress });
    expect(answer.content).toEqual([{ type: 'text', text: 'built' }]);
    expect(told.join('')).toBe('onetwo');
  });

  it('of a tool that needs approval is approved at the client, which shows the input', async () => {
    const asked: string[] = [];
    const served = await serveMcp();
    const client = await connect(served, ({ message }) => {
      asked.push(message ?? '');
      return { action: 'accept', content: { decision: 'once' } };
    });
    const answer = await client.callTool({ name: 'sample__asks', arguments: { n: 7 } });
    expect(answer).toMatchObject({ isError: false, content: [{ text: 'ran with 7' }] });
    expect(asked).toHaveLength(1);
    expect(asked[0]).toContain('sample wants to run its tool asks');
    expect(asked[0]).toContain('The plugin calls it "asks title"');
    expect(asked[0]).toContain('[medium risk] sample wants');
    expect(asked[0]).toContain('Input: {\n  "n": 7\n}');
  });

  it.each([
    [{ action: 'accept', content: { decision: 'deny' } }],
    [{ action: 'decline' }],
    [{ action: 'cancel' }],
    [{ action: 'accept', content: { decision: 'always' } }],
  ])('of a tool that needs approval does not run for the answer %j', async (given) => {
    const served = await serveMcp();
    const ran: string[] = [];
    served.engine.on(({ type }) => ran.push(type));
    const client = await connect(served, () => given);
    const answer = await client.callTool({ name: 'sample__asks', arguments: { n: 7 } });
    expect(answer).toMatchObject({ isError: true });
    expect(ran).not.toContain('call-started');
  });

  it('is not shown to the client if the host approves it', async () => {
    const served = await serveMcp({}, { approve: () => 'once' });
    const client = await connect(served, () => {
      throw new Error('asked');
    });
    const answer = await client.callTool({ name: 'sample__asks', arguments: { n: 7 } });
    expect(answer).toMatchObject({ isError: false });
  });
});

describe('an approval', () => {
  const post = async (
    served: Awaited<ReturnType<typeof serveMcp>>,
    params: object,
  ): Promise<Record<string, unknown>> => {
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 't', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
    };
    const body = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'sample__asks', _meta: meta, ...params },
    };
    const response = await served.handler.fetch(
      new Request(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': 'tools/call',
          'mcp-name': 'sample__asks',
        },
        body: JSON.stringify(body),
      }),
    );
    return (await response.json()) as Record<string, unknown>;
  };
  const yes = { approve: { action: 'accept', content: { decision: 'once' } } };

  it('counts once, and only for the signed input that was shown', async () => {
    const served = await serveMcp();
    const first = await post(served, { arguments: { n: 1 } });
    const { resultType, requestState } = first['result'] as Record<string, string>;
    expect(resultType).toBe('input_required');
    const other = await post(served, { arguments: { n: 2 }, requestState, inputResponses: yes });
    expect(other['result']).toMatchObject({ resultType: 'input_required' });
    const forged = `${requestState?.slice(0, -3)}AAA`;
    const bad = await post(served, {
      arguments: { n: 1 },
      requestState: forged,
      inputResponses: yes,
    });
    expect(bad['error']).toMatchObject({ code: -32602 });
    const none = await post(served, { arguments: { n: 1 }, inputResponses: yes });
    expect(none['result']).toMatchObject({ resultType: 'input_required' });
    const good = await post(served, { arguments: { n: 1 }, requestState, inputResponses: yes });
    expect(good['result']).toMatchObject({ content: [{ text: 'ran with 1' }] });
    const again = await post(served, { arguments: { n: 1 }, requestState, inputResponses: yes });
    expect(again['result']).toMatchObject({ resultType: 'input_required' });
    expect(served.engine.approvals.list()).toHaveLength(2);
  });

  it('of high risk is never given by the client', async () => {
    const served = await serveMcp();
    const client = await connect(served, () => {
      throw new Error('asked');
    });
    const answer = await client.callTool({ name: 'sample__wipes', arguments: { n: 7 } });
    expect(answer).toMatchObject({
      isError: true,
      _meta: { 'dev.bulkhead/code': 'APPROVAL_REQUIRED' },
    });
  });
});

describe('the list of tools', () => {
  it('reports a change after the plugins are read again', async () => {
    const served = await serveMcp();
    const client = await connect(served);
    const changed = new Promise<void>((resolve) => {
      client.setNotificationHandler('notifications/tools/list_changed', () => resolve());
    });
    await client.listen({ toolsListChanged: true });
    writeFileSync(
      join(served.directory, 'index.ts'),
      `export const tools = [{ id: 'new', name: 'n', description: 'd', annotations: { readOnlyHint: true }, execute() {} }];`,
    );
    await served.engine.reload();
    // If the new version cannot be built, the old one continues without a change to report.
    expect(served.engine.plugins().flatMap(({ problems }) => problems)).toEqual([]);
    await changed;
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['sample__new']);
  });
});
