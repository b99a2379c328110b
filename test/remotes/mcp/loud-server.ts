import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEachTest } from '../../tidying.js';

const open = new Set<() => void>();
afterEachTest(() => {
  for (const close of open) close();
  open.clear();
});

/** A server of MCP's older kind that says on its own stream whatever it likes. */
export interface LoudServer {
  readonly url: string;
  /** How often it was asked for that, by the message's method; `GET` is its stream. */
  readonly asked: ReadonlyMap<string, number>;
}

export async function serveLoud(speak: (stream: ServerResponse) => void): Promise<LoudServer> {
  const asked = new Map<string, number>();
  const count = (what: string): void => void asked.set(what, (asked.get(what) ?? 0) + 1);
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (request.method !== 'POST') {
        count('GET');
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        return speak(response);
      }
      const { id, method } = JSON.parse(Buffer.concat(chunks).toString()) as Message;
      count(method);
      const result = Object.hasOwn(ANSWERS, method) ? ANSWERS[method] : undefined;
      if (result === undefined) return response.writeHead(id === undefined ? 202 : 404).end();
      response.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': 's' });
      return response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.add(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, asked };
}

interface Message {
  readonly id?: number;
  readonly method: string;
}

const ANSWERS: Readonly<Record<string, unknown>> = {
  initialize: {
    protocolVersion: '2025-06-18',
    capabilities: { tools: { listChanged: true } },
    serverInfo: { name: 'loud', version: '1' },
  },
  'tools/list': { tools: [{ name: 'say', description: 'd', inputSchema: { type: 'object' } }] },
};
