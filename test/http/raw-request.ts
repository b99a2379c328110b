import { once } from 'node:events';
import { Socket } from 'node:net';

/** A call, with what differs from a usual one. */
export interface Sent {
  readonly method?: string;
  readonly path?: string;
  /** `undefined` leaves a header away, and a list repeats it. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body?: string;
  /** Sends the body in chunks. */
  readonly chunked?: boolean;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Sends a request as bytes, and reads its answer. */
export async function sendRaw(
  port: number,
  sent: Sent,
  onSocket?: (socket: Socket) => void,
): Promise<Answer> {
  const { method = 'POST', path = '/', headers = {}, body = '', chunked = false } = sent;
  const bytes = Buffer.from(body, 'latin1');
  const framing: Record<string, string> = chunked
    ? { 'transfer-encoding': 'chunked' }
    : { 'content-length': String(bytes.length) };
  const lines = Object.entries({ ...framing, connection: 'close', ...headers }).flatMap(
    ([name, value]) => [value ?? []].flat().map((one) => `${name}: ${one}\r\n`),
  );
  const socket = new Socket().connect(port, '127.0.0.1');
  onSocket?.(socket);
  await once(socket, 'connect');
  socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
  if (chunked) socket.write(`${bytes.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`);
  else socket.write(bytes);
  return parseAnswer(await readAnswer(socket));
}

/** An answer, up to its end as its framing tells it. Rejects if the connection closes before. */
async function readAnswer(socket: Socket): Promise<string> {
  let all = Buffer.alloc(0);
  for await (const chunk of socket) {
    all = Buffer.concat([all, chunk]);
    const text = all.toString();
    const head = text.indexOf('\r\n\r\n');
    const length = /\r\ncontent-length: (\d+)/i.exec(text.slice(0, head))?.[1];
    const isWhole =
      length === undefined
        ? text.endsWith('\r\n0\r\n\r\n')
        : all.length >= head + 4 + Number(length);
    if (head !== -1 && isWhole) return text;
  }
  throw new Error('the connection was closed');
}

function parseAnswer(text: string): Answer {
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const [start = '', ...lines] = head.split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [
      line.slice(0, line.indexOf(':')).toLowerCase(),
      line.slice(line.indexOf(':') + 2),
    ]),
  );
  const body = rest.join('\r\n\r\n');
  // The framing is free: a chunk, or a length.
  const plain = headers['transfer-encoding'] === 'chunked' ? unchunk(body) : body;
  for (const name of ['transfer-encoding', 'content-length', 'date', 'keep-alive']) {
    delete headers[name];
  }
  return { status: Number(start.split(' ')[1]), headers, body: plain };
}

function unchunk(text: string): string {
  const length = Number.parseInt(text, 16);
  if (!(length > 0)) return '';
  const begin = text.indexOf('\r\n') + 2;
  const bytes = Buffer.from(text.slice(begin));
  return bytes.subarray(0, length).toString() + unchunk(bytes.subarray(length + 2).toString());
}
