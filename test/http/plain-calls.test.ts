import { Socket } from 'node:net';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makePlainCalls, type PlainCalls } from '../../src/adapters/mcp/plain-calls.js';
import { createApp } from '../../src/http/app.js';
import type { RequestRecord } from '../../src/http/route.js';
import { type HttpListener, listen } from '../../src/http/listen.js';
import { type ServedMcp, serveMcp } from '../adapters/mcp/served.js';
import { type Answer, sendRaw, type Sent } from './raw-request.js';

const TOKEN = 'may-call-tools-00';
const CREDENTIALS = {
  call: TOKEN,
  view: 'may-view-all-000',
  answer: 'may-answer-00000',
  administer: 'may-administer-0',
};
const MAX_BODY_BYTES = 2_000;
const CURRENT = '2026-07-28';

/** One server with the faster way and one without, before the same engine. */
interface Door {
  readonly listener: HttpListener;
  readonly records: RequestRecord[];
  /** Calls that were started in the faster way. */
  readonly plain: unknown[];
}

const OPTIONS = { tools: ['sample__*'], maxBodyBytes: MAX_BODY_BYTES };

let served: ServedMcp;
let fast: Door;
let ordinary: Door;

beforeAll(async () => {
  served = await serveMcp(OPTIONS);
  fast = await open(true);
  ordinary = await open(false);
});
afterAll(async () => {
  await Promise.all([fast, ordinary].map(({ listener }) => listener.close(false)));
});

async function open(hasPlain: boolean, maxRequests = 8): Promise<Door> {
  const records: RequestRecord[] = [];
  const plain: unknown[] = [];
  const { fetch, isSubscription } = served.handler;
  const plainCalls = makePlainCalls(served.engine, OPTIONS);
  const counted: PlainCalls = {
    start: (header, body, signal) => {
      if (header('x-fault') !== undefined) throw new Error('a fault');
      const started = plainCalls.start(header, body, signal);
      if (started !== undefined) plain.push(body);
      return started;
    },
  };
  const hosts = new Set<string>();
  const app = createApp({
    engine: served.engine,
    routes: [
      {
        path: '/mcp',
        access: ['call'],
        fetch,
        isSubscription,
        ...(hasPlain ? { plainCalls: counted } : {}),
      },
    ],
    door: { credentials: CREDENTIALS, openLoopback: false, hosts },
    limits: { maxRequests, maxBodyBytes: MAX_BODY_BYTES },
    onRequest: (record) => records.push(record),
  });
  const listener = await listen((request, markBusy) => app.fetch(request, markBusy), {
    host: '127.0.0.1',
    port: 0,
    maxConnections: 64,
    plain: (incoming, outgoing, markBusy) => app.plain(incoming, outgoing, markBusy),
  });
  hosts.add(`127.0.0.1:${listener.port}`).add('same.example');
  return { listener, records, plain };
}

const HEADERS = {
  host: 'same.example',
  authorization: `Bearer ${TOKEN}`,
  accept: 'application/json, text/event-stream',
  'content-type': 'application/json',
};

const send = (
  { listener }: Door,
  { path = '/mcp', headers = {}, ...sent }: Sent,
  onSocket?: (socket: Socket) => void,
): Promise<Answer> =>
  sendRaw(listener.port, { path, headers: { ...HEADERS, ...headers }, ...sent }, onSocket);

const call = (params: object, more: object = {}): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params, ...more });

const echo = { name: 'sample__echo', arguments: { n: 1 } };
const usual = call(echo);

const envelope = (more: object = {}): object => ({
  'io.modelcontextprotocol/protocolVersion': CURRENT,
  'io.modelcontextprotocol/clientInfo': { name: 'a test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
  ...more,
});
const currentHeaders = (name = 'sample__echo'): Record<string, string> => ({
  'mcp-protocol-version': CURRENT,
  'mcp-method': 'tools/call',
  'mcp-name': name,
});
const current = (params: object = echo, meta: object = envelope()): string =>
  call({ ...params, _meta: meta });

/** Answered in the faster way. */
const PLAIN: Readonly<Record<string, Sent>> = {
  'of an older version': { body: usual },
  'of 2025-06-18': { headers: { 'mcp-protocol-version': '2025-06-18' }, body: usual },
  'of the current version': { headers: currentHeaders(), body: current() },
  'with an id that is text': { body: call(echo, { id: 'a' }) },
  'with an id of zero': { body: call(echo, { id: 0 }) },
  'without arguments': { body: call({ name: 'sample__text' }) },
  'of the current version, to a tool that throws': {
    headers: currentHeaders('sample__throws'),
    body: current({ name: 'sample__throws' }),
  },
  'to a tool that throws': { body: call({ name: 'sample__throws', arguments: {} }) },
  'with a wrong input': { body: call({ name: 'sample__echo', arguments: { n: 'x' } }) },
  'of the current version, with a wrong input': {
    headers: currentHeaders(),
    body: current({ name: 'sample__echo', arguments: { n: 'x' } }),
  },
  'with letters outside ASCII': {
    body: Buffer.from(call({ name: 'sample__echo', arguments: { s: 'Zoë ✓ \u2028' } })).toString(
      'latin1',
    ),
  },
  'with an input that is nested deeply': {
    body: call({
      name: 'sample__echo',
      arguments: { s: JSON.parse('['.repeat(90) + ']'.repeat(90)) },
    }),
  },
  'with a parameter of the content type': {
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: usual,
  },
};

/** Left to the SDK, or refused. */
const OTHER: Readonly<Record<string, Sent>> = {
  'with a client that can be asked': {
    headers: currentHeaders(),
    body: current(
      echo,
      envelope({ 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } }),
    ),
  },
  'to an unknown tool': { body: call({ name: 'nope' }) },
  'of the current version, to an unknown tool': {
    headers: currentHeaders('nope'),
    body: current({ name: 'nope' }),
  },
  'without a token': { headers: { authorization: undefined }, body: usual },
  'with an empty token': { headers: { authorization: 'Bearer ' }, body: usual },
  'with a wrong token': { headers: { authorization: 'Bearer may-call-tools-01' }, body: usual },
  'with the token of another role': {
    headers: { authorization: `Bearer ${CREDENTIALS.answer}` },
    body: usual,
  },
  'with two tokens': { headers: { authorization: [`Bearer ${TOKEN}`, 'Bearer x'] }, body: usual },
  'for another host name': { headers: { host: 'evil.example' }, body: usual },
  'of a page of another origin': { headers: { origin: 'https://evil.example' }, body: usual },
  'of a page of another site': { headers: { 'sec-fetch-site': 'cross-site' }, body: usual },
  'of a form': { headers: { 'content-type': 'text/plain' }, body: usual },
  'without a content type': { headers: { 'content-type': undefined }, body: usual },
  'without accept': { headers: { accept: undefined }, body: usual },
  'that accepts JSON alone': { headers: { accept: 'application/json' }, body: usual },
  'that accepts anything': { headers: { accept: '*/*' }, body: usual },
  'in chunks': { body: usual, chunked: true },
  'that is too large': { body: call({ ...echo, arguments: { s: 'x'.repeat(MAX_BODY_BYTES) } }) },
  'that is too large, in chunks': {
    body: call({ ...echo, arguments: { s: 'x'.repeat(MAX_BODY_BYTES) } }),
    chunked: true,
  },
  'that is empty': { body: '' },
  'that is no JSON': { body: '{"jsonrpc"' },
  'that is no object': { body: '5' },
  'that is null': { body: 'null' },
  'in a batch': { body: `[${usual}]` },
  'with a member of no protocol': { body: call(echo, { extra: 1 }) },
  'without an id': { body: call(echo, { id: undefined }) },
  'with an id of null': { body: call(echo, { id: null }) },
  'with a broken id': { body: call(echo, { id: 1.5 }) },
  'with an id that is an object': { body: call(echo, { id: {} }) },
  'with another version of JSON-RPC': { body: call(echo, { jsonrpc: '1.0' }) },
  'of another method': { body: call(echo, { method: 'tools/list' }) },
  'of no method': { body: call(echo, { method: 5 }) },
  'without params': { body: call(echo, { params: undefined }) },
  'with params in a list': { body: call([echo]) },
  'with a name that is no text': { body: call({ name: 5 }) },
  'without a name': { body: call({ arguments: {} }) },
  'with arguments in a list': { body: call({ ...echo, arguments: [1] }) },
  'with arguments of null': { body: call({ ...echo, arguments: null }) },
  'with arguments that are text': { body: call({ ...echo, arguments: 'x' }) },
  'with arguments that name a prototype': {
    body: usual.replace('"n":1', '"__proto__":{"n":2},"n":1'),
  },
  'with params that name a prototype': {
    body: usual.replace('"name":', '"__proto__":{},"name":'),
  },
  'with a member of params of no protocol': { body: call({ ...echo, task: { ttl: 5 } }) },
  'with progress': { body: call({ ...echo, _meta: { progressToken: 1 } }) },
  'with an empty envelope': { body: call({ ...echo, _meta: {} }) },
  'of a version that no one knows': {
    headers: { 'mcp-protocol-version': '1999-01-01' },
    body: usual,
  },
  'of a later version': { headers: { 'mcp-protocol-version': '2030-01-01' }, body: usual },
  'of the current version, without its envelope': { headers: currentHeaders(), body: usual },
  'of the current version, without its method': {
    headers: { ...currentHeaders(), 'mcp-method': undefined },
    body: current(),
  },
  'of the current version, with another method': {
    headers: { ...currentHeaders(), 'mcp-method': 'tools/list' },
    body: current(),
  },
  'of the current version, with another name': {
    headers: currentHeaders('sample__text'),
    body: current(),
  },
  'of the current version, with an encoded name': {
    headers: currentHeaders(`=?base64?${Buffer.from('sample__echo').toString('base64')}?=`),
    body: current(),
  },
  'of the current version, without a client': {
    headers: currentHeaders(),
    body: current(echo, envelope({ 'io.modelcontextprotocol/clientInfo': undefined })),
  },
  'of the current version, with a strange client': {
    headers: currentHeaders(),
    body: current(echo, envelope({ 'io.modelcontextprotocol/clientInfo': 5 })),
  },
  'of the current version, with strange capabilities': {
    headers: currentHeaders(),
    body: current(echo, envelope({ 'io.modelcontextprotocol/clientCapabilities': [] })),
  },
  'of the current version, with a log level': {
    headers: currentHeaders(),
    body: current(echo, envelope({ 'io.modelcontextprotocol/logLevel': 'info' })),
  },
  'of two versions': {
    headers: { ...currentHeaders(), 'mcp-protocol-version': '2025-06-18' },
    body: current(),
  },
  'of a session that no one opened': { headers: { 'mcp-session-id': 'x' }, body: usual },
  'with an encoded body': { headers: { 'content-encoding': 'gzip' }, body: usual },
  'to a path with a query': { path: '/mcp?x=1', body: usual },
  'to a path with a slash': { path: '/mcp/', body: usual },
  'to another path': { path: '/other', body: usual },
  'by PUT': { method: 'PUT', body: usual },
  'by GET': { method: 'GET' },
};

/** The message of an answer, which may be an event. The order of members is free. */
function messageOf(body: string): unknown {
  const text = body.startsWith('event: message\ndata: ') ? body.slice(21).trimEnd() : body;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const comparable = ({ status, headers, body }: Answer): unknown => ({
  status,
  headers,
  message: messageOf(body),
  isEvent: body.startsWith('event: message\ndata: ') && body.endsWith('\n\n'),
});

describe('an MCP call over HTTP', () => {
  it.each(Object.entries(PLAIN))(
    '%s is answered faster, as the SDK answers it',
    async (_, sent) => {
      const before = fast.plain.length;
      const [one, other] = [await send(fast, sent), await send(ordinary, sent)];
      expect(fast.plain).toHaveLength(before + 1);
      expect(comparable(one)).toEqual(comparable(other));
      const [record, expected] = [fast.records.at(-1), ordinary.records.at(-1)];
      expect(record).toEqual({ ...expected, durationMs: expect.any(Number) });
    },
  );

  it.each(Object.entries(OTHER))('%s is left to the ordinary way', async (_, sent) => {
    const before = fast.plain.length;
    const [one, other] = [await send(fast, sent), await send(ordinary, sent)];
    expect(fast.plain).toHaveLength(before);
    expect(comparable(one)).toEqual(comparable(other));
  });

  it('has the same bytes where the result has no metadata', async () => {
    for (const sent of [PLAIN['of an older version'], PLAIN['of the current version']]) {
      const [one, other] = [await send(fast, sent ?? {}), await send(ordinary, sent ?? {})];
      expect(one.body).toBe(other.body);
    }
  });

  it('to a tool that asks becomes a question, and runs when it is approved', async () => {
    const sent = { body: call({ name: 'sample__asks', arguments: { n: 1 } }) };
    const before = fast.plain.length;
    const { body } = await send(fast, sent);
    expect(body).toContain('APPROVAL_REQUIRED');
    expect(fast.plain).toHaveLength(before);
    const [question] = served.engine.approvals.list();
    await served.engine.approvals.answer(question?.approvalId ?? '', {
      verdict: 'once',
      by: 'an operator',
    });
    expect((await send(fast, sent)).body).toContain('ran with 1');
  });

  it('is aborted when its client goes away', async () => {
    const states: string[] = [];
    const off = served.engine.on(({ type }) => states.push(type));
    let client: Socket | undefined;
    const sent = send(fast, { body: call({ name: 'sample__slow' }) }, (socket) => {
      client = socket;
    });
    await expect.poll(() => states).toContain('call-started');
    expect(states).not.toContain('call-ended');
    client?.destroy();
    await expect(sent).rejects.toThrow('Premature close');
    await expect.poll(() => states).toContain('call-ended');
    off();
  });

  it('whose tool is slow gets the head of its answer before', async () => {
    const socket = new Socket().connect(fast.listener.port, '127.0.0.1');
    const body = call({ name: 'sample__slow' });
    const lines = Object.entries({ ...HEADERS, 'content-length': String(body.length) });
    socket.write(
      `POST /mcp HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`,
    );
    const [head]: unknown[] = await once(socket, 'data');
    expect(String(head)).toContain('content-type: text/event-stream');
    socket.destroy();
  });

  it('that meets a fault ends its connection, and no other', async () => {
    const faulty = send(fast, { headers: { 'x-fault': 'yes' }, body: usual });
    await expect(faulty).rejects.toThrow('closed');
    expect((await send(fast, { body: usual })).status).toBe(200);
  });

  it('takes a place among the requests', async () => {
    const narrow = await open(true, 1);
    try {
      let client: Socket | undefined;
      const first = send(narrow, { body: call({ name: 'sample__slow' }) }, (socket) => {
        client = socket;
      });
      await expect.poll(() => narrow.plain.length).toBe(1);
      expect((await send(narrow, { body: usual })).status).toBe(429);
      client?.destroy();
      await expect(first).rejects.toThrow('Premature close');
      await expect.poll(async () => (await send(narrow, { body: usual })).status).toBe(200);
    } finally {
      await narrow.listener.close(false);
    }
  });
});
