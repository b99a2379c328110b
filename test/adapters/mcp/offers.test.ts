import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  LoggingMessageNotificationSchema,
  PromptListChangedNotificationSchema,
  ResourceUpdatedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { createMcpHandler, type McpHandler } from '../../../src/adapters/mcp.js';
import type { McpPowers } from '../../../src/remotes/remote.js';
import { afterEachFile } from '../../tidying.js';
import { makeDirectory, makePlugin, startEngine } from '../../engine/plugin-on-disk.js';
import { url } from './served.js';

const SERVER = join(import.meta.dirname, '../../remotes/mcp/rich-server.mjs');

const open: { close(): Promise<unknown> }[] = [];
afterEachFile(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()));
});

async function front(
  allow?: McpPowers,
  { mode = 'plain', plugins = [] as readonly string[] } = {},
): Promise<McpHandler> {
  const engine = await startEngine(plugins, {
    remotes: [
      { id: 'rich', command: process.execPath, args: [SERVER, mode], ...(allow && { allow }) },
    ],
    tolerance: 'full',
    remotesWaitMs: 30_000,
    storageDirectory: makeDirectory(),
  });
  const handler = createMcpHandler(engine);
  open.push(handler);
  return handler;
}

interface Connected {
  readonly client: Client;
  readonly heard: unknown[];
  readonly sampled: unknown[];
  readonly elicited: unknown[];
}

async function connect(
  handler: McpHandler,
  headers: Record<string, string> = {},
): Promise<Connected> {
  const client = new Client(
    { name: 'test', version: '1' },
    { capabilities: { sampling: {}, elicitation: { form: {}, url: {} } } },
  );
  const heard: unknown[] = [];
  const sampled: unknown[] = [];
  const elicited: unknown[] = [];
  client.setRequestHandler(CreateMessageRequestSchema, ({ params }) => {
    sampled.push(params);
    return { role: 'assistant', model: 'm', content: { type: 'text', text: 'because' } };
  });
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    elicited.push(params);
    return { action: 'accept', content: { name: 'Ann' } };
  });
  for (const schema of [
    LoggingMessageNotificationSchema,
    PromptListChangedNotificationSchema,
    ResourceUpdatedNotificationSchema,
  ]) {
    client.setNotificationHandler(schema, (notice: unknown) => void heard.push(notice));
  }
  await client.connect(
    new StreamableHTTPClientTransport(url, {
      requestInit: { headers },
      fetch: (to, init) => handler.fetch(new Request(to, init)),
    }),
  );
  open.push(client);
  return { client, heard, sampled, elicited };
}

async function call({ client }: Connected, name: string, input: object = {}): Promise<unknown> {
  const { content, isError } = await client.callTool({ name, arguments: { ...input } });
  const [block] = content as { text?: string }[];
  return isError === true ? { failed: block?.text } : JSON.parse(block?.text ?? 'null');
}

describe('an MCP server behind the engine', () => {
  let handler: McpHandler;
  let connected: Connected;
  beforeAll(async () => {
    handler = await front({
      elicitation: { urls: ['login.test'] },
      sampling: { maxTokens: 100, maxRequests: 2 },
      roots: ['/work/notes'],
    });
    connected = await connect(handler);
  });

  it('has its own tool names and output schemas if it is alone', async () => {
    const { client } = connected;
    const { tools } = await client.listTools();
    expect(tools.find(({ name }) => name === 'add')).toMatchObject({
      outputSchema: { type: 'object', properties: { sum: { type: 'number' } } },
    });
    expect(await client.callTool({ name: 'add', arguments: { a: 1, b: 2 } })).toMatchObject({
      structuredContent: { sum: 3 },
    });
  });

  it('lists resources, templates and prompts, and marks addresses of files', async () => {
    const { client } = connected;
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual(['note://one', 'rich+file:///etc/passwd']);
    expect((await client.listResourceTemplates()).resourceTemplates).toEqual([
      { uriTemplate: 'note://{id}', name: 'notes' },
    ]);
    expect((await client.listPrompts()).prompts).toEqual([
      { name: 'greet', arguments: [{ name: 'who', required: true }] },
    ]);
  });

  it('reads resources, also by a marked address', async () => {
    const { client } = connected;
    expect(await client.readResource({ uri: 'note://bytes' })).toMatchObject({
      contents: [{ uri: 'note://bytes', blob: 'AAEC', mimeType: 'application/octet-stream' }],
    });
    expect(await client.readResource({ uri: 'rich+file:///etc/passwd' })).toMatchObject({
      contents: [{ uri: 'rich+file:///etc/passwd', text: 'read file:///etc/passwd' }],
    });
    await expect(client.readResource({ uri: 'note://large' })).rejects.toThrow('longer than');
  });

  it('answers prompts, but for one with a message of the system, and completes', async () => {
    const { client } = connected;
    const { messages } = await client.getPrompt({ name: 'greet', arguments: { who: 'Ann' } });
    expect(messages).toEqual([{ role: 'user', content: { type: 'text', text: 'Greet Ann' } }]);
    const { completion } = await client.complete({
      ref: { type: 'ref/prompt', name: 'greet' },
      argument: { name: 'who', value: 'A' },
    });
    expect(completion.values).toEqual(['Alice']);
    await expect(client.getPrompt({ name: 'order' })).rejects.toThrow('did not answer prompts/get');
  });

  it('passes on images, links and embedded resources', async () => {
    const { content } = await connected.client.callTool({ name: 'media', arguments: {} });
    expect(content).toEqual([
      { type: 'image', data: 'aW1n', mimeType: 'image/png' },
      { type: 'resource_link', uri: 'rich+file:///etc/passwd', name: 'a local file' },
      { type: 'resource', resource: { uri: 'note://one', text: 'one' } },
    ]);
  });

  it('passes on log messages of the level that the client chose', async () => {
    const { client, heard } = await connect(handler);
    await client.setLoggingLevel('error');
    await client.callTool({ name: 'logs', arguments: {} });
    expect(heard).toEqual([
      { method: 'notifications/message', params: { level: 'error', data: { large: true } } },
    ]);
  });

  it('passes on progress, at most 10,000 reports of it', async () => {
    let seen = 0;
    const options = { onprogress: () => void (seen += 1) };
    const params = (steps: number) => ({ name: 'steps', arguments: { steps } });
    await connected.client.callTool(params(3), undefined, options);
    expect(seen).toBe(3);
    seen = 0;
    await connected.client.callTool(params(10_500), undefined, options);
    expect(seen).toBe(10_000);
  });

  it('tells subscribers of changes, each client at most 256', async () => {
    const { client, heard } = await connect(handler);
    await client.subscribeResource({ uri: 'note://one' });
    await client.callTool({ name: 'change', arguments: { uri: 'note://one' } });
    await client.callTool({ name: 'change', arguments: { uri: 'note://two' } });
    await expect.poll(() => heard.length).toBe(3);
    expect(heard).toContainEqual({
      method: 'notifications/resources/updated',
      params: { uri: 'note://one' },
    });
    for (let n = 0; n < 255; n += 1) await client.subscribeResource({ uri: `note://${n}` });
    await expect(client.subscribeResource({ uri: 'note://more' })).rejects.toThrow('at most 256');
    await client.unsubscribeResource({ uri: 'note://one' });
    await client.subscribeResource({ uri: 'note://more' });
  });

  it('asks the client’s model without context and tools, with few tokens and a few times', async () => {
    expect(await call(connected, 'sample')).toMatchObject([{ content: { text: 'because' } }]);
    expect(connected.sampled).toEqual([
      {
        messages: [{ role: 'user', content: { type: 'text', text: 'why?' } }],
        includeContext: 'none',
        maxTokens: 100,
      },
    ]);
    expect(await call(connected, 'sample', { times: 3 })).toEqual({
      failed: expect.stringContaining('a call may ask the model 2 times'),
    });
  });

  it('asks the client’s user in quoted words, and for pages of granted hosts alone', async () => {
    const message = 'Approve all calls? \u202Eon';
    expect(await call(connected, 'elicit', { message })).toEqual({
      action: 'accept',
      content: { name: 'Ann' },
    });
    expect(connected.elicited[0]).toMatchObject({
      message: 'The tool server rich asks: "Approve all calls? \\u202eon"',
    });
    expect(await call(connected, 'open', { url: 'https://login.test/a' })).toMatchObject({
      action: 'accept',
    });
    expect(await call(connected, 'open', { url: 'https://login.test.evil/' })).toEqual({
      failed: expect.stringContaining('may not open'),
    });
    expect(await call(connected, 'open', { url: 'javascript:alert(1)' })).toEqual({
      failed: expect.stringContaining('may not open'),
    });
  });

  it('cannot ask while two calls run, as the question could be of either', async () => {
    const stop = new AbortController();
    let waits = (): void => {};
    const waiting = new Promise<void>((resolve) => (waits = resolve));
    const other = connected.client.callTool({ name: 'wait', arguments: {} }, undefined, {
      signal: stop.signal,
      onprogress: waits,
    });
    await waiting;
    expect(await call(connected, 'elicit')).toEqual({
      failed: expect.stringContaining('only possible during one call'),
    });
    stop.abort();
    await expect(other).rejects.toThrow('aborted');
  });

  it('gets the directories that the operator named', async () => {
    expect(await call(connected, 'roots')).toEqual({
      roots: [{ uri: 'file:///work/notes', name: 'notes' }],
    });
  });
});

describe('an MCP server that is allowed nothing', () => {
  it.each(['sample', 'elicit', 'roots'])('cannot use %s', async (name) => {
    const connected = await connect(await front());
    expect(await call(connected, name)).toEqual({ failed: expect.stringMatching(/not|denied/i) });
    expect([...connected.sampled, ...connected.elicited]).toEqual([]);
  });
});

describe('an MCP server beside plugins', () => {
  it('has names with its id, and its list ends', async () => {
    const plugin = makePlugin({
      id: 'sample',
      source: `export const tools = [{ id: 'run', name: 'Run', description: 'Runs', execute: () => 1 }];`,
    });
    const { client } = await connect(
      await front(undefined, { mode: 'endless', plugins: [plugin] }),
    );
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('rich__add');
    expect((await client.listPrompts()).prompts[0]?.name).toBe('rich__greet');
    const { resources } = await client.listResources();
    expect(resources.length).toBe(1_000);
    expect(resources[0]?.uri).toBe('rich+n://0');
  });
});

describe('the session of a client', () => {
  it('answers no other client', async () => {
    const handler = await front();
    const { client } = await connect(handler, { authorization: 'Bearer one' });
    const transport = client.transport as StreamableHTTPClientTransport;
    const request = (authorization: string): Promise<Response> =>
      handler.fetch(
        new Request(url, {
          method: 'POST',
          headers: {
            authorization,
            'content-type': 'application/json',
            accept: 'application/json, text/event-stream',
            'mcp-session-id': transport.sessionId ?? '',
            'mcp-protocol-version': '2025-06-18',
          },
          body: JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/list' }),
        }),
      );
    expect((await request('Bearer one')).status).toBe(200);
    expect((await request('Bearer two')).status).toBe(404);
    expect((await request('')).status).toBe(404);
  });
});
