import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Socket } from 'node:net';
import type { Engine } from '../../../src/index.js';
import { createApp } from '../../../src/http/app.js';
import { type HttpListener, listen } from '../../../src/http/listen.js';
import type { RequestRecord } from '../../../src/http/route.js';
import { makeVertesiaServer, type VertesiaServer } from '../../../src/http/vertesia/handler.js';
import { type Answer, sendRaw, type Sent } from '../raw-request.js';
import { type Issuer } from '../issuer.js';
import { serveTools, URL_SERVED } from './served.js';

const MAX_BODY_BYTES = 100_000;
const PATH = '/api/tools';
const CREDENTIALS = {
  call: 'may-call-tools-00',
  view: 'may-view-all-000',
  answer: 'may-answer-00000',
  administer: 'may-administer-0',
};

/** One server with the faster way and one without, before the same engine. */
interface Door {
  readonly listener: HttpListener;
  readonly records: RequestRecord[];
  /** How many requests had an answer in the faster way. */
  readonly invoked: { count: number };
  readonly drain: () => Promise<void>;
}

let engine: Engine;
let issuer: Issuer;
let vertesia: VertesiaServer;
let token: string;
let expired: string;
let fast: Door;
let ordinary: Door;

beforeAll(async () => {
  ({ engine, issuer } = await serveTools());
  const limits = { maxBodyBytes: MAX_BODY_BYTES };
  const jwks = [{ issuer: issuer.url, jwks: issuer.jwks }];
  vertesia = makeVertesiaServer(engine, { url: URL_SERVED, jwks, limits });
  token = await issuer.token();
  expired = await issuer.token({ claims: { exp: 1_000_000_000 } });
  fast = await open(true);
  ordinary = await open(false);
});
afterAll(async () => {
  await Promise.all([fast, ordinary].map(({ listener }) => listener.close(false)));
  await vertesia.close();
});

async function open(isFast: boolean, maxRequests = 8): Promise<Door> {
  const records: RequestRecord[] = [];
  const invoked = { count: 0 };
  const invoke: VertesiaServer['invoke'] = (request, acquireSlot) => {
    invoked.count += 1;
    return vertesia.invoke(request, acquireSlot);
  };
  const app = createApp({
    engine,
    routes: [
      {
        path: PATH,
        access: 'verified',
        fetch: vertesia.fetch,
        ...(isFast ? { invoke } : {}),
      },
    ],
    door: { credentials: CREDENTIALS, openLoopback: false, hosts: new Set(['same.example']) },
    limits: { maxRequests, maxBodyBytes: MAX_BODY_BYTES },
    onRequest: (record) => records.push(record),
  });
  const listener = await listen((request, markBusy) => app.fetch(request, markBusy), {
    host: '127.0.0.1',
    port: 0,
    maxConnections: 64,
    plain: (incoming, outgoing, markBusy) => app.plain(incoming, outgoing, markBusy),
  });
  return { listener, records, invoked, drain: () => app.drain() };
}

const send = (
  { listener }: Door,
  { path = PATH, headers = {}, ...sent }: Sent,
  onSocket?: (socket: Socket) => void,
): Promise<Answer> => {
  const usual = {
    host: 'same.example',
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
  };
  return sendRaw(listener.port, { path, headers: { ...usual, ...headers }, ...sent }, onSocket);
};

const use = (
  name: string,
  input: object | undefined = {},
  more: object = {},
  id: string | number | undefined = 'use-1',
): string =>
  JSON.stringify({
    tool_use: { id, tool_name: `sample__${name}`, tool_input: input },
    ...more,
  });
const echo = use('echo', { a: 1 });

const FAST: Readonly<Record<string, () => Sent>> = {
  'of a tool': () => ({ body: echo }),
  'with metadata': () => ({ body: use('echo', {}, { metadata: { run_id: 'r', endpoints: {} } }) }),
  'without an input': () => ({ body: use('object', undefined) }),
  'with a wrong input': () => ({ body: use('weather', { city: 5 }) }),
  'with a list as input': () => ({ body: use('echo', [1]) }),
  'of a tool that throws': () => ({ body: use('throws') }),
  'of a tool that hangs': () => ({ body: use('hangs') }),
  'of a tool whose host is denied': () => ({ body: use('looks') }),
  'of an unknown tool': () => ({ body: use('nope') }),
  'of a tool named after a prototype': () => ({ body: use('').replace('sample__', '__proto__') }),
  'with a prototype in its input': () => ({
    body: echo.replace('"a":1', '"__proto__":{"b":1},"a":1'),
  }),
  'without an id': () => ({ body: use('echo', {}, {}, undefined) }),
  'with an id that is no text': () => ({ body: use('echo', {}, {}, 5) }),
  'with an id that is too long': () => ({ body: use('echo', {}, {}, 'x'.repeat(600)) }),
  'without a tool': () => ({ body: '{}' }),
  'that is empty': () => ({ body: '' }),
  'that is no JSON': () => ({ body: '{"tool_use"' }),
  'that is null': () => ({ body: 'null' }),
  'that is nested deeply': () => ({ body: '['.repeat(500) + ']'.repeat(500) }),
  'with bytes that are no text': () => ({ body: echo.replace('use-1', '\u00ff\u00fe') }),
  'without a token': () => ({ headers: { authorization: undefined }, body: echo }),
  'with an empty token': () => ({ headers: { authorization: 'Bearer ' }, body: echo }),
  'with a changed token': () => ({ headers: { authorization: `Bearer ${token}x` }, body: echo }),
  'with a token that has expired': () => ({
    headers: { authorization: `Bearer ${expired}` },
    body: echo,
  }),
  'with the token of an operator': () => ({
    headers: { authorization: `Bearer ${CREDENTIALS.call}` },
    body: echo,
  }),
  'without a token, of an unknown tool': () => ({
    headers: { authorization: undefined },
    body: use('nope'),
  }),
  'without a token, that is longer than a stranger may send': () => ({
    headers: { authorization: undefined },
    body: use('echo', { text: 'x'.repeat(70_000) }),
  }),
  'that is long': () => ({ body: use('echo', { text: 'x'.repeat(70_000) }) }),
  'of another content type': () => ({ headers: { 'content-type': 'text/plain' }, body: echo }),
  'of a page of another origin': () => ({
    headers: { origin: 'https://evil.example' },
    body: echo,
  }),
};

const ORDINARY: Readonly<Record<string, () => Sent>> = {
  'for another host name': () => ({ headers: { host: 'evil.example' }, body: echo }),
  'for a host name that is not valid': () => ({ headers: { host: 'a b' }, body: echo }),
  'with two tokens': () => ({
    headers: { authorization: [`Bearer ${token}`, 'Bearer x'] },
    body: echo,
  }),
  'in chunks': () => ({ body: echo, chunked: true }),
  'that is too large': () => ({ body: use('echo', { text: 'x'.repeat(MAX_BODY_BYTES) }) }),
  'to a path with a query': () => ({ path: `${PATH}?x=1`, body: echo }),
  'to a path with a slash': () => ({ path: `${PATH}/`, body: echo }),
  'by PUT': () => ({ method: 'PUT', body: echo }),
  'by GET': () => ({ method: 'GET' }),
};

/** What a tool took, and what it was seen doing, differs from call to call. */
const comparable = ({ status, headers, body }: Answer): unknown => ({
  status,
  headers,
  body: body.replaceAll(/\d+(\.\d+)? ms/g, 'some ms').replace(/ It [^"]*/, ''),
});

describe("a call by Vertesia's protocol", () => {
  it.each(Object.entries(FAST))('%s has the same answer in the faster way', async (_, make) => {
    const before = fast.invoked.count;
    const [one, other] = [await send(fast, make()), await send(ordinary, make())];
    expect(fast.invoked.count).toBe(before + 1);
    expect(comparable(one)).toEqual(comparable(other));
    const [record, expected] = [fast.records.at(-1), ordinary.records.at(-1)];
    expect(record).toEqual({ ...expected, durationMs: expect.any(Number) });
  });

  it.each(Object.entries(ORDINARY))('%s is left to the ordinary way', async (_, make) => {
    const before = fast.invoked.count;
    const [one, other] = [await send(fast, make()), await send(ordinary, make())];
    expect(fast.invoked.count).toBe(before);
    expect(comparable(one)).toEqual(comparable(other));
  });

  it('runs the tool in the faster way', async () => {
    const { status, body } = await send(fast, { body: echo });
    expect([status, JSON.parse(body)]).toEqual([
      200,
      { tool_use_id: 'use-1', is_error: false, content: '{"a":1}' },
    ]);
  });

  it('is aborted when its client goes away, and takes a place until then', async () => {
    const narrow = await open(true, 1);
    const states: string[] = [];
    const off = engine.on(({ type }) => states.push(type));
    try {
      let client: Socket | undefined;
      const first = send(narrow, { body: use('waits') }, (socket) => {
        client = socket;
      });
      await expect.poll(() => states).toContain('call-started');
      expect((await send(narrow, { body: echo })).status).toBe(429);
      client?.destroy();
      await expect(first).rejects.toThrow('Premature close');
      await expect.poll(() => states).toContain('call-ended');
      await expect.poll(async () => (await send(narrow, { body: echo })).status).toBe(200);
    } finally {
      off();
      await narrow.listener.close(false);
    }
  });

  it('is refused while the server stops', async () => {
    const stopping = await open(true);
    try {
      await stopping.drain();
      const { status, headers } = await send(stopping, { body: echo });
      expect([status, headers['connection']]).toEqual([503, 'close']);
    } finally {
      await stopping.listener.close(false);
    }
  });

  it('of a stranger takes no place', async () => {
    const narrow = await open(true, 1);
    try {
      const first = send(narrow, { body: use('hangs') });
      await expect.poll(() => narrow.invoked.count).toBe(1);
      const { status } = await send(narrow, { headers: { authorization: 'x' }, body: echo });
      expect(status).toBe(401);
      await first;
    } finally {
      await narrow.listener.close(false);
    }
  });
});
