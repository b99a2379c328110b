import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { brokerFor, bytesOf, sourceOf, textOf } from './plugin.js';
import { serve, serveRaw } from './servers.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const MEBIBYTE = 1024 * 1024;
const BIG = 64 * MEBIBYTE;

/** The value once it has stopped changing. */
async function settled(read: () => number): Promise<number> {
  for (let last = -1; ;) {
    const now = read();
    if (now === last && now > 0) return now;
    last = now;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

describe('an answer of 64 MiB', () => {
  it('passes through without being held', async () => {
    const chunk = Buffer.alloc(65_536, 'x');
    const server = await serve((_request, response) => {
      let left = BIG;
      const go = (): void => {
        for (;;) {
          if (left === 0) return void response.end();
          left -= chunk.length;
          if (!response.write(chunk)) return;
        }
      };
      response.on('drain', go);
      go();
    });
    const broker = brokerFor(server);
    const reply = await broker.get('http://api.test/');
    let total = 0;
    let most = 0;
    const before = process.memoryUsage().arrayBuffers;
    for (let bytes = await reply.body?.pull(); bytes; bytes = await reply.body?.pull()) {
      // What is garbage by now is not held; how much of that there may be differs by Node.
      if (total % (4 * MEBIBYTE) > (total + bytes.length) % (4 * MEBIBYTE)) collectGarbage();
      total += bytes.length;
      most = Math.max(most, process.memoryUsage().arrayBuffers - before);
    }
    expect(total).toBe(BIG);
    // Both ends live in this process, with what the kernel holds between them.
    expect(most).toBeLessThan(32 * MEBIBYTE);
    expect(broker.records).toMatchObject([{ bytesIn: BIG, outcome: 'allowed' }]);
  });

  it('waits for a reader that stops, and takes little more from the server meanwhile', async () => {
    let sent = 0;
    const chunk = Buffer.alloc(65_536, 'x');
    const server = await serve((_request, response) => {
      const go = (): void => {
        do sent += chunk.length;
        while (sent < BIG && response.write(chunk));
      };
      response.on('drain', go);
      go();
    });
    const reply = await brokerFor(server).get('http://api.test/');
    await reply.body?.pull();
    // What the kernel holds for both sockets, and the broker's own share.
    expect(await settled(() => sent)).toBeLessThan(12 * MEBIBYTE);
    reply.body?.cancel('seen enough');
  });
});

describe('a request of 64 MiB', () => {
  it('passes through without being held', async () => {
    const server = await serve((request, response) => {
      let received = 0;
      request.on('data', (bytes: Buffer) => (received += bytes.length));
      request.on('end', () => response.end(String(received)));
    });
    const broker = brokerFor(server);
    const chunk = Buffer.alloc(65_536, 'x');
    const source = sourceOf(Array.from({ length: BIG / chunk.length }, () => chunk));
    const reply = await broker.get('http://api.test/', { method: 'PUT', bodyBytes: BIG }, source);
    expect(await textOf(reply.body)).toBe(String(BIG));
    expect(broker.records).toMatchObject([{ bytesOut: BIG }]);
  });

  it('waits for a server that does not read', async () => {
    const server = await serveRaw(() => {});
    const broker = brokerFor(server);
    const chunk = Buffer.alloc(65_536, 'x');
    const source = sourceOf(Array.from({ length: BIG / chunk.length }, () => chunk));
    const giveUp = new AbortController();
    const pending = broker.get('http://api.test/', { method: 'PUT' }, source, giveUp.signal);
    expect(await settled(() => source.pulled * chunk.length)).toBeLessThan(12 * MEBIBYTE);
    giveUp.abort();
    await expect(pending).rejects.toMatchObject({ code: 'CANCELLED' });
  });
});

describe('a body', () => {
  it('arrives piece by piece, as it is sent', async () => {
    let send = (_text: string): void => {};
    const server = await serve((_request, response) => {
      send = (text) => response.write(text);
      send('one');
    });
    const reply = await brokerFor(server).get('http://api.test/');
    expect(String(await reply.body?.pull())).toBe('one');
    const next = reply.body?.pull();
    send('two');
    expect(Buffer.from((await next) ?? []).toString()).toBe('two');
  });

  it('is sent piece by piece, while it is made', async () => {
    let heard = (_text: string): void => {};
    const server = await serve((request, response) => {
      request.on('data', (bytes: Buffer) => heard(bytes.toString()));
      request.on('end', () => response.end());
    });
    const made = new TransformStream<Buffer, Buffer>();
    const [writer, reader] = [made.writable.getWriter(), made.readable.getReader()];
    const source = { pull: async () => (await reader.read()).value, cancel: () => {} };
    const pending = brokerFor(server).get('http://api.test/', { method: 'POST' }, source);
    for (const text of ['one', 'two']) {
      const said = new Promise<string>((resolve) => (heard = resolve));
      await writer.write(Buffer.from(text));
      expect(await said).toBe(text);
    }
    await writer.close();
    expect((await pending).status).toBe(200);
  });

  it('of many single bytes comes in fewer, larger pieces', async () => {
    const server = await serveRaw(
      `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(5_000)}0\r\n\r\n`,
    );
    const reply = await brokerFor(server).get('http://api.test/');
    let pieces = 0;
    let total = 0;
    for (let bytes = await reply.body?.pull(); bytes; bytes = await reply.body?.pull()) {
      pieces += 1;
      total += bytes.length;
    }
    expect(total).toBe(5_000);
    expect(pieces).toBeLessThan(100);
  });

  it('that breaks off on the way in fails, with what came before it dropped', async () => {
    const server = await serveRaw('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf');
    const reply = await brokerFor(server).get('http://api.test/');
    await expect(bytesOf(reply.body)).rejects.toMatchObject({ code: 'NETWORK_FAILED' });
  });

  it('that breaks off on the way out fails the request', async () => {
    const server = await serve((request) => void request.resume());
    const source = {
      pull: async (): Promise<undefined> => {
        throw new Error('the guest went away');
      },
      cancel: () => {},
    };
    await expect(
      brokerFor(server).get('http://api.test/', { method: 'POST' }, source),
    ).rejects.toMatchObject({
      code: 'NETWORK_FAILED',
      message: expect.stringContaining('its body is incomplete'),
    });
  });

  it('is cancelled if the server answers before it has read it', async () => {
    const server = await serve((_request, response) => response.writeHead(413).end('too big'));
    const broker = brokerFor(server);
    const source = sourceOf(['a'], true);
    const reply = await broker.get('http://api.test/', { method: 'POST' }, source);
    expect(reply.status).toBe(413);
    expect(await textOf(reply.body)).toBe('too big');
    expect(source.cancelled).toBe(true);
    expect((await broker.get('http://api.test/')).status).toBe(413);
  });
});
