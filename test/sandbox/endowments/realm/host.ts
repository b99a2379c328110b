import { makeFailure, WireError } from '../../../../sandbox/wire/failure.js';
import type { FetchReply } from '../../../../sandbox/wire/methods.js';
import { isRecord } from '../../../../sandbox/wire/json.js';
import type { Peer } from '../../../../sandbox/wire/peer.js';
import type { IncomingRequest, Service } from '../../../../sandbox/wire/service.js';
import type { ByteSource } from '../../../../sandbox/wire/streams.js';
import { lend, store } from './lender.js';

/** A host with a small web behind it. What it is asked and told it notes down in `notes`. */
export function makeHost(peer: () => Peer, notes: string[], logs: string[]): Service {
  return {
    notice: (_, params) => {
      if (isRecord(params)) logs.push(`${String(params['level'])}: ${String(params['text'])}`);
    },
    request: (method, params, request) => {
      if (!isRecord(params)) throw new Error('params are no object');
      if (method === 'storage') return store(params, peer(), notes);
      if (method === 'power') return lend(params);
      if (method === 'flush') return null;
      return method === 'readFile'
        ? readFile(String(params['path']), peer())
        : answer(params, request, peer(), notes);
    },
  };
}

function readFile(path: string, peer: Peer): unknown {
  if (path === 'missing') throw refusal('FILESYSTEM_FAILED', 'missing: no such file');
  if (path === 'secret') throw refusal('FILESYSTEM_DENIED', 'secret is not granted');
  const bytes = path === 'big' ? Buffer.alloc(3000) : Buffer.from(`\ufeffcontent of ${path} ✓`);
  return { body: peer.openStream(chunked(bytes, 1000)) };
}

function refusal(
  code: 'NETWORK_DENIED' | 'NETWORK_FAILED' | 'FILESYSTEM_FAILED' | 'FILESYSTEM_DENIED',
  message: string,
): WireError {
  return new WireError(makeFailure('BulkheadError', message, { code, stack: '/host/path.js:1:1' }));
}

async function answer(
  params: Record<string, unknown>,
  request: IncomingRequest,
  peer: Peer,
  notes: string[],
): Promise<FetchReply> {
  const url = new URL(String(params['url']));
  const body = typeof params['body'] === 'number' ? peer.acceptStream(params['body']) : undefined;
  notes.push(`${String(params['method'])} ${url.pathname}`);
  request.onCancel((why) => notes.push(`cancel ${url.pathname}: ${why}`));
  const reply = (
    text: string | ByteSource | undefined,
    more: Partial<FetchReply> = {},
  ): FetchReply => ({
    url: url.href,
    status: 200,
    statusText: 'OK',
    redirected: false,
    headers: [],
    ...more,
    ...(text === undefined
      ? {}
      : { body: peer.openStream(typeof text === 'string' ? chunked(Buffer.from(text), 7) : text) }),
  });

  switch (url.pathname) {
    case '/text':
      return reply('hello, wörld', { headers: [['Content-Type', 'text/plain']] });
    case '/json':
      return reply('{"answer":42,"__proto__":{"polluted":true}}');
    case '/headers':
      return reply('', {
        headers: [
          ['Set-Cookie', 'a=1'],
          ['X-One', '1'],
          ['set-cookie', 'b=2'],
          ['x-one', '2'],
        ],
      });
    case '/form':
      return reply(
        '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--x\r\nContent-Disposition: form-data; name="f"; filename="f.txt"\r\nContent-Type: text/plain\r\n\r\n\r\n--x--\r\n',
        { headers: [['content-type', 'multipart/form-data; boundary=x']] },
      );
    case '/none':
      return reply(undefined, { status: 204, statusText: 'No Content' });
    case '/missing':
      return reply('nothing here', { status: 404, statusText: 'Not Found' });
    case '/echo': {
      const { method, headers, redirect, bodyBytes } = params;
      const text = body === undefined ? null : await readAll(body);
      return reply(
        JSON.stringify({
          method,
          headers,
          redirect,
          bodyBytes,
          body: text,
          params: Object.keys(params),
        }),
      );
    }
    case '/upload-first-chunk': {
      const first = await body?.pull();
      body?.cancel('enough');
      return reply(String(first?.length));
    }
    case '/big':
      return reply(counted(Number(url.searchParams.get('chunks')), notes));
    case '/breaks':
      return reply(breaking());
    case '/stalls':
      return reply(stalling(notes));
    case '/hangs':
      return new Promise(() => {});
    case '/slow':
      await new Promise((resolve) => {
        setTimeout(resolve, 50);
      });
      notes.push('answered /slow');
      return reply('late');
    case '/late':
      // Answers, but only once the asker has given up.
      await new Promise<string>((resolve) => {
        request.onCancel(resolve);
      });
      return reply(stalling(notes));
    case '/denied':
      throw refusal('NETWORK_DENIED', 'demo may not connect to evil.test:443');
    default:
      throw refusal('NETWORK_FAILED', `nothing at ${url.pathname}`);
  }
}

function chunked(bytes: Uint8Array, size: number): ByteSource {
  let at = 0;
  return {
    pull: async () => {
      const chunk = bytes.subarray(at, at + size);
      at += size;
      return chunk.length === 0 ? undefined : chunk;
    },
    cancel: () => {},
  };
}

function counted(chunks: number, notes: string[]): ByteSource {
  let sent = 0;
  return {
    pull: async () => {
      if (sent === chunks) return undefined;
      sent += 1;
      return new Uint8Array(64 * 1024).fill(sent);
    },
    cancel: (reason) => notes.push(`body cancelled after ${sent} chunks: ${reason}`),
  };
}

function breaking(): ByteSource {
  let sent = false;
  return {
    pull: async () => {
      if (sent) throw refusal('NETWORK_FAILED', 'the server hung up');
      sent = true;
      return Buffer.from('half');
    },
    cancel: () => {},
  };
}

function stalling(notes: string[]): ByteSource {
  let sent = false;
  return {
    pull: () => {
      if (sent) return new Promise(() => {});
      sent = true;
      return Promise.resolve(Buffer.from('first'));
    },
    cancel: (reason) => notes.push(`body cancelled: ${reason}`),
  };
}

async function readAll(source: ByteSource): Promise<string> {
  const parts: Uint8Array[] = [];
  for (;;) {
    const part = await source.pull();
    if (part === undefined) return Buffer.concat(parts).toString('latin1');
    parts.push(part);
  }
}
