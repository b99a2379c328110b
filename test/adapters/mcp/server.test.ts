import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeVellum } from '../../engine/vellum-on-disk.js';
import { connect, connectOld, serveMcp, url } from './served.js';

describe.each([
  ['as it is', connect],
  ['as it was', connectOld],
])('a client of the protocol %s', (_era, open) => {
  it('lists the tools, sorted, with hints that we stand by', async () => {
    const client = await open(await serveMcp());
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      'sample__asks',
      'sample__echo',
      'sample__slow',
      'sample__text',
      'sample__throws',
    ]);
    expect(tools[1]).toMatchObject({
      title: 'echo title',
      description: 'Does echo',
      inputSchema: { type: 'object', properties: { n: { type: 'number' } } },
      annotations: { readOnlyHint: true, destructiveHint: false, openWorldHint: false },
      _meta: { 'dev.bulkhead/plugin': 'sample', 'dev.bulkhead/risk': 'low' },
    });
    expect(tools[0]?.annotations).toMatchObject({ readOnlyHint: false, destructiveHint: true });
    expect(tools[0]?._meta?.['dev.bulkhead/bundle']).toMatch(/^sha512-/);
  });

  it('gets what a tool returns, as text and as data', async () => {
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

  it('gets what went wrong as an answer that its model can read', async () => {
    const client = await open(await serveMcp());
    expect(await client.callTool({ name: 'sample__throws', arguments: {} })).toMatchObject({
      isError: true,
      content: [{ text: 'the pump is broken' }],
      _meta: { 'dev.bulkhead/code': 'TOOL_FAILED' },
    });
    const wrong = await client.callTool({ name: 'sample__echo', arguments: { n: 'x' } });
    expect(wrong).toMatchObject({ isError: true, _meta: { 'dev.bulkhead/code': 'INVALID_INPUT' } });
  });

  it.each(['nope', 'constructor', 'text', 'sample:text'])('has no tool %s', async (name) => {
    const client = await open(await serveMcp());
    await expect(client.callTool({ name, arguments: {} })).rejects.toMatchObject({ code: -32602 });
  });

  it('is told whom to ask where it cannot ask anybody', async () => {
    const client = await open(await serveMcp());
    const answer = await client.callTool({ name: 'sample__asks', arguments: { n: 1 } });
    expect(answer).toMatchObject({
      isError: true,
      _meta: { 'dev.bulkhead/code': 'APPROVAL_REQUIRED' },
    });
  });

  it('sees and runs only what is served', async () => {
    const client = await open(await serveMcp({ tools: ['*__text'] }));
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['sample__text']);
    await expect(client.callTool({ name: 'sample__echo', arguments: {} })).rejects.toMatchObject({
      code: -32602,
    });
  });
});

describe('a call', () => {
  it('that is given up is stopped in its guest', async () => {
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

  it('tells what the tool writes while it runs, to a client that asks for it', async () => {
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

  it('of what asks is approved at the client, with the input that it is about', async () => {
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
    expect(asked[0]).toContain('{"n":7}');
  });

  it.each([
    [{ action: 'accept', content: { decision: 'deny' } }],
    [{ action: 'decline' }],
    [{ action: 'cancel' }],
    [{ action: 'accept', content: { decision: 'always' } }],
  ])('of what asks does not run for the answer %j', async (given) => {
    const served = await serveMcp();
    const ran: string[] = [];
    served.engine.on(({ type }) => ran.push(type));
    const client = await connect(served, () => given);
    const answer = await client.callTool({ name: 'sample__asks', arguments: { n: 7 } });
    expect(answer).toMatchObject({ isError: true });
    expect(ran).not.toContain('call-started');
  });

  it('is not asked about at the client where the host decides', async () => {
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

  it('is for the input that was shown, as we signed it, and for once', async () => {
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
  });
});

describe('the list of tools', () => {
  it('is told to have changed when the plugins were read again', async () => {
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
    await changed;
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['sample__new']);
  });
});
