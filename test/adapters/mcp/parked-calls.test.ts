/** Servers that ask clients of the current version, by deed: a question is an answer, and the call waits. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import * as sdk from '@modelcontextprotocol/server';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { createMcpHandler, type McpHandler } from '../../../src/adapters/mcp.js';
import type { AnswerState } from '../../../src/adapters/mcp/elicitation.js';
import { type CallStep, makeParkedCalls } from '../../../src/adapters/mcp/parked-calls.js';
import type { Engine } from '../../../src/index.js';
import { askingProgram } from '../../engine/mcp-asking.js';
import { startServer } from '../../engine/mcp-on-disk.js';
import { makeDirectory } from '../../engine/plugin-on-disk.js';
import { afterEachFile } from '../../tidying.js';
import { url } from './served.js';

const answer = (expression: string): string => `return text(JSON.stringify(${expression}));`;
const program = askingProgram(`
  if (args.pages) ${answer("await ask('elicitation/create', { mode: 'url', message: 'Log in', elicitationId: 'e', url: args.pages })")}
  if (args.model) ${answer('await sample(args.model)')}
  if (args.both) ${answer("await Promise.all([form('One'), form('Two')])")}
  if (args.twice) ${answer("[await form('First'), await form('Second')]")}
  if (args.progress) {
    const { progressToken } = message.params._meta;
    await form('Go on?');
    send({ method: 'notifications/progress', params: { progressToken, progress: 1, message: 'later' } });
    return text('null');
  }
  ${answer("await form('Who?')")}`);

describe('a client of the current version', () => {
  let engine: Engine;
  let handler: McpHandler;
  const clients: Client[] = [];
  beforeAll(async () => {
    engine = await startServer(
      { program },
      {
        storageDirectory: makeDirectory(),
        grant: {
          sample: { powers: ['elicitation', 'sampling'], network: ['https://login.test'] },
        },
      },
    );
    handler = createMcpHandler(engine);
  });
  afterEachFile(async () => {
    await Promise.all(clients.map((client) => client.close()));
    await handler.close();
    await engine.close();
  });

  const connect = async (
    asked: unknown[],
    capabilities: object = { elicitation: { form: {}, url: {} }, sampling: {} },
    elicit: (params: unknown) => object = () => ({ action: 'accept', content: { name: 'Ann' } }),
  ): Promise<Client> => {
    const client = new Client(
      { name: 'test', version: '1' },
      { versionNegotiation: { mode: 'auto' }, capabilities },
    );
    if ('elicitation' in capabilities) {
      client.setRequestHandler('elicitation/create', ({ params }) => {
        asked.push(params);
        return elicit(params) as never;
      });
    }
    if ('sampling' in capabilities) {
      client.setRequestHandler('sampling/createMessage', ({ params }) => {
        asked.push(params);
        return { role: 'assistant', model: 'm', content: { type: 'text', text: 'because' } };
      });
    }
    await client.connect(
      new StreamableHTTPClientTransport(url, {
        fetch: (to, init) => handler.fetch(new Request(to, init)),
      }),
    );
    expect(client.getProtocolEra()).toBe('modern');
    clients.push(client);
    return client;
  };
  const run = async (client: Client, input: Record<string, unknown> = {}): Promise<unknown> => {
    const { content } = await client.callTool({ name: 'run', arguments: input });
    const [block] = content;
    return block?.type === 'text' ? JSON.parse(block.text) : block;
  };

  it('is shown the form of a call that runs, and the call goes on with its answer', async () => {
    const asked: unknown[] = [];
    const client = await connect(asked);
    expect(await run(client)).toEqual({ action: 'accept', content: { name: 'Ann' } });
    expect(asked).toMatchObject([{ message: 'The tool server sample asks: "Who?"' }]);
  });

  it('is asked one question after the other, and several at once', async () => {
    const asked: unknown[] = [];
    const client = await connect(asked);
    const accepted = { action: 'accept', content: { name: 'Ann' } };
    expect(await run(client, { twice: true })).toEqual([accepted, accepted]);
    expect(await run(client, { both: true })).toEqual([accepted, accepted]);
    expect(asked).toHaveLength(4);
  });

  it('is asked for model text, pages of granted hosts, and nothing that it did not announce', async () => {
    const asked: unknown[] = [];
    const client = await connect(asked);
    expect(await run(client, { model: 'why?' })).toMatchObject({ content: { text: 'because' } });
    expect(await run(client, { pages: 'https://login.test/a' })).toMatchObject({
      action: 'accept',
    });
    expect(asked).toMatchObject([{ maxTokens: 1_000 }, { url: 'https://login.test/a' }]);
    expect(await run(client, { pages: 'https://evil.test/a' })).toMatchObject({
      refused: expect.stringContaining('may not open'),
    });
    const forms = await connect(asked, { elicitation: { form: {} } });
    expect(await run(forms, { pages: 'https://login.test/a' })).toEqual({
      refused: 'elicitation failed: the client cannot open pages.',
    });
    const none = await connect(asked, {});
    expect(await run(none)).toEqual({
      refused: 'elicitation failed: the client cannot ask its user.',
    });
    expect(asked).toHaveLength(2);
  });

  it('gets the progress of the request that is open', async () => {
    const client = await connect([]);
    const heard: unknown[] = [];
    await client.callTool(
      { name: 'run', arguments: { progress: true } },
      { onprogress: (report) => void heard.push(report) },
    );
    // The SDK reports each question, too.
    expect(heard).toContainEqual({ progress: 1, message: 'later' });
  });

  const post = async (
    params: object,
    headers: Record<string, string> = {},
    signal?: AbortSignal,
  ): Promise<Record<string, Record<string, unknown>>> => {
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 't', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
    };
    const response = await handler.fetch(
      new Request(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': 'tools/call',
          'mcp-name': 'run',
          ...headers,
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name: 'run', _meta: meta, ...params },
        }),
        ...(signal === undefined ? {} : { signal }),
      }),
    );
    return (await response.json()) as Record<string, Record<string, unknown>>;
  };

  it('continues only its own call, once, with the same input', async () => {
    const mine = { authorization: 'Bearer mine' };
    const first = await post({ arguments: { n: 1 } }, mine);
    const { resultType, requestState, inputRequests } = first['result'] ?? {};
    expect(resultType).toBe('input_required');
    const [key = ''] = Object.keys(inputRequests as object);
    const inputResponses = { [key]: { action: 'decline' } };
    const refused = { code: -32602, message: expect.stringContaining('waits no more') };
    const other = await post(
      { arguments: { n: 1 }, requestState, inputResponses },
      { authorization: 'Bearer other' },
    );
    expect(other['error']).toMatchObject(refused);
    const changed = await post({ arguments: { n: 2 }, requestState, inputResponses }, mine);
    expect(changed['error']).toMatchObject(refused);
    const good = await post({ arguments: { n: 1 }, requestState, inputResponses }, mine);
    expect(good['result']).toMatchObject({ content: [{ text: '{"action":"decline"}' }] });
    const again = await post({ arguments: { n: 1 }, requestState, inputResponses }, mine);
    expect(again['error']).toMatchObject(refused);
  });

  it('that answers something else has not answered', async () => {
    const first = await post({ arguments: {} });
    const { requestState, inputRequests } = first['result'] ?? {};
    const [key = ''] = Object.keys(inputRequests as object);
    const inputResponses = { [key]: { roots: [] } };
    const good = await post({ arguments: {}, requestState, inputResponses });
    expect(good['result']).toMatchObject({
      content: [{ text: '{"refused":"elicitation failed: the client gave no answer."}' }],
    });
  });

  it('that never answers leaves no call behind when the handler closes', async () => {
    const alone = createMcpHandler(engine);
    const ended = new Promise((resolve) => {
      engine.on((event) => resolve(event), ['call-ended']);
    });
    const shared = handler;
    handler = alone;
    const first = await post({ arguments: {} });
    handler = shared;
    expect(first['result']).toMatchObject({ resultType: 'input_required' });
    await alone.close();
    expect(await ended).toMatchObject({ tool: 'run' });
  });
});

describe('the calls that wait for their clients', () => {
  afterEach(() => vi.useRealTimers());

  const codec = sdk.createRequestStateCodec<AnswerState>({ key: 'k'.repeat(32) });
  const context = {
    mcpReq: { signal: new AbortController().signal },
  } as unknown as sdk.ServerContext;
  const start = (
    parked: ReturnType<typeof makeParkedCalls>,
    ends: (why: string) => void = () => {},
  ): Promise<CallStep> =>
    parked.start({ tool: 't', input: {}, context }, async (live) => {
      live.signal.addEventListener('abort', () => ends('aborted'));
      const why = await live
        .ask('elicitation/create', { message: 'Hi' }, new AbortController().signal)
        .then(() => 'answered', String);
      ends(why);
      return { isError: false, content: [{ type: 'text', text: why }] } as never;
    });

  it('are at most 256: the next one gets no answer', async () => {
    const parked = makeParkedCalls(sdk, codec);
    const steps = await Promise.all(Array.from({ length: 256 }, () => start(parked)));
    expect(steps.every((step) => 'answer' in step)).toBe(true);
    expect(await start(parked)).toMatchObject({
      result: { content: [{ text: 'Error: too many clients are asked' }] },
    });
    parked.close();
  });

  it('end after ten minutes without an answer', async () => {
    vi.useFakeTimers();
    const parked = makeParkedCalls(sdk, codec);
    const ended: string[] = [];
    await start(parked, (why) => ended.push(why));
    await vi.advanceTimersByTimeAsync(599_000);
    expect(ended).toEqual([]);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(ended.toSorted()).toEqual(['Error: the client did not answer', 'aborted']);
  });
});
