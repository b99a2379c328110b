import { createSocket } from 'node:dgram';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type AnchorTarget, makeAnchorSender } from '../../src/audit/disk/anchor-targets.js';
import { makeJsonlStore } from '../../src/audit/disk/jsonl-store.js';
import { formatAnchor, parseAnchors } from '../../src/audit/verify.js';
import { callEvents, freshDirectory, openLog } from './logs.js';

/** Writes a log of two calls with these places for anchors. Returns its last anchor, and the failures. */
async function written(
  targets: readonly AnchorTarget[],
): Promise<{ readonly anchor: string; readonly failures: string[] }> {
  const failures: string[] = [];
  const log = await openLog(makeJsonlStore(join(freshDirectory(), 'audit.jsonl')), {
    anchors: targets.map(makeAnchorSender),
    checkpointEvery: 4,
    onFailure: ({ message }) => failures.push(message),
  });
  for (const event of [...callEvents('a'), ...callEvents('b')]) log.listener(event);
  await log.close();
  return { anchor: formatAnchor(log.head), failures };
}

describe('an anchor is sent', () => {
  it('to a file, at the open, between records and at the close', async () => {
    const file = join(freshDirectory(), 'elsewhere', 'anchors.txt');
    const { anchor, failures } = await written([{ file }]);
    expect(failures).toEqual([]);
    const text = readFileSync(file, 'utf8');
    expect(parseAnchors(text).length).toBeGreaterThan(1);
    expect(text.trimEnd().endsWith(anchor)).toBe(true);
  });

  it('to an HTTP server, as JSON, with the headers of the operator', async () => {
    const got: { body: string; authorization: string | undefined }[] = [];
    const server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        got.push({ body, authorization: request.headers.authorization });
        response.end('ok');
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/anchors`;
    const { anchor, failures } = await written([{ url, headers: { authorization: 'Bearer a' } }]);
    server.close();
    expect(failures).toEqual([]);
    expect(JSON.parse(got.at(-1)?.body ?? '')).toMatchObject({ anchor });
    expect(got.at(-1)?.authorization).toBe('Bearer a');
  });

  it('to a syslog server, over UDP and TCP', async () => {
    const datagrams: string[] = [];
    const udp = createSocket('udp4', (message) => datagrams.push(message.toString()));
    await new Promise<void>((resolve) => udp.bind(0, '127.0.0.1', resolve));
    const streams: string[] = [];
    const tcp = createTcpServer((socket) => {
      socket.on('data', (chunk) => streams.push(chunk.toString()));
      socket.on('end', () => socket.end());
    });
    await new Promise<void>((resolve) => tcp.listen(0, '127.0.0.1', resolve));
    const { anchor, failures } = await written([
      { syslog: `syslog://127.0.0.1:${udp.address().port}` },
      { syslog: `syslog+tcp://127.0.0.1:${(tcp.address() as AddressInfo).port}` },
    ]);
    while (!(datagrams.at(-1) ?? '').includes(anchor))
      await new Promise((resolve) => setTimeout(resolve, 10));
    udp.close();
    tcp.close();
    expect(failures).toEqual([]);
    expect(datagrams.at(-1)).toMatch(
      /^<110>1 \d{4}-\S+Z \S+ bulkhead \d+ audit-anchor - bulkhead-audit:/,
    );
    const [, length = '', message = ''] = /^(\d+) (.*)$/s.exec(streams.at(-1) ?? '') ?? [];
    expect(message.length).toBe(Number(length));
    expect(message).toContain(anchor);
  });

  it('again after a failure, which is reported', async () => {
    const { failures } = await written([{ url: 'http://127.0.0.1:1/' }]);
    expect(failures[0]).toContain('could not be anchored at http://127.0.0.1:1/');
  });

  it.each([{ url: 'http://anchors.example/' }, { url: 'file:///tmp/a' }, { syslog: 'udp://a:1' }])(
    'never to %j',
    (target) => {
      expect(() => makeAnchorSender(target)).toThrow('audit.anchors is not valid');
    },
  );
});
