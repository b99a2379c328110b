import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { beforeAll, describe, expect, it } from 'vitest';
import { writeFileSync } from 'node:fs';
import {
  type ListenedResources,
  makeListenedResources,
} from '../../../src/adapters/mcp/listened-resources.js';
import { createMcpHandler, type McpHandler } from '../../../src/adapters/mcp.js';
import type { Engine } from '../../../src/index.js';
import type { McpNotice } from '../../../src/plugin/mcp-source.js';
import { ROOT } from '../../architecture/sources.js';
import { makeDirectory, startEngine } from '../../engine/plugin-on-disk.js';
import { afterEachFile } from '../../tidying.js';
import { url } from './served.js';

const SERVER = join(import.meta.dirname, '../../remotes/mcp/rich-server.mjs');
const REMOTE = { id: 'rich', command: process.execPath, args: [SERVER, 'plain'] };

const open: { close(): Promise<unknown> }[] = [];
afterEachFile(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()));
});

interface Listener {
  readonly client: Client;
  /** The resources of which the client was told that they changed. */
  readonly heard: unknown[];
}

function makeClient(): Listener {
  const client = new Client(
    { name: 'test', version: '1' },
    { versionNegotiation: { mode: 'auto' }, capabilities: {} },
  );
  const heard: unknown[] = [];
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
    heard.push(params.uri);
  });
  open.push(client);
  return { client, heard };
}

const change = async (client: Client, uri: string): Promise<void> => {
  await client.callTool({ name: 'change', arguments: { uri } });
};

describe('a client of the current version that listens to resources', () => {
  let engine: Engine;
  let handler: McpHandler;
  beforeAll(async () => {
    engine = await startEngine([], {
      remotes: [REMOTE],
      tolerance: 'full',
      remotesWaitMs: 30_000,
      storageDirectory: makeDirectory(),
    });
    handler = createMcpHandler(engine);
    open.push(handler);
  });

  const connect = async (): Promise<Listener> => {
    const listener = makeClient();
    await listener.client.connect(
      new StreamableHTTPClientTransport(url, {
        fetch: (to, init) => handler.fetch(new Request(to, init)),
      }),
    );
    return listener;
  };

  it('is told of their changes alone, and not after it stopped', async () => {
    const { client, heard } = await connect();
    const other = await connect();
    const subscription = await client.listen({ resourceSubscriptions: ['note://one'] });
    const second = await other.client.listen({
      resourceSubscriptions: ['note://one', 'note://two'],
    });
    await change(client, 'note://one');
    await change(client, 'note://three');
    await change(client, 'note://two');
    await expect.poll(() => other.heard).toEqual(['note://one', 'note://two']);
    expect(heard).toEqual(['note://one']);
    await subscription.close();
    await change(client, 'note://one');
    await expect.poll(() => other.heard).toEqual(['note://one', 'note://two', 'note://one']);
    expect(heard).toEqual(['note://one']);
    await second.close();
  });

  it('is confirmed only those of servers that are there', async () => {
    const second = { ...REMOTE, id: 'second' };
    const two = await startEngine([], {
      remotes: [REMOTE, second],
      tolerance: 'full',
      remotesWaitMs: 30_000,
      storageDirectory: makeDirectory(),
    });
    const handlerOfTwo = createMcpHandler(two);
    open.push(handlerOfTwo);
    const response = await handlerOfTwo.fetch(
      new Request(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': 'subscriptions/listen',
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 'a',
          method: 'subscriptions/listen',
          params: {
            _meta: {
              'io.modelcontextprotocol/protocolVersion': '2026-07-28',
              'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
              'io.modelcontextprotocol/clientCapabilities': {},
            },
            notifications: {
              resourceSubscriptions: ['note://one', 'rich+note://one', 'other+note://one'],
            },
          },
        }),
      }),
    );
    const reader = response.body?.getReader();
    const { value } = (await reader?.read()) ?? {};
    const text = Buffer.from(value ?? []).toString();
    expect(text).toContain('notifications/subscriptions/acknowledged');
    expect(text).toContain('"resourceSubscriptions":["rich+note://one"]');
    await reader?.cancel();
  });

  it('is told over standard input and output too', async () => {
    const directory = makeDirectory();
    const config = join(directory, 'bulkhead.config.json');
    writeFileSync(config, JSON.stringify({ plugins: [], remotes: [REMOTE], tolerance: 'full' }));
    const { client, heard } = makeClient();
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [join(ROOT, 'dist/lib/cli/main.cjs'), 'mcp', '--config', config],
        cwd: directory,
        stderr: 'ignore',
      }),
    );
    const subscription = await client.listen({ resourceSubscriptions: ['note://one'] });
    await change(client, 'note://two');
    await change(client, 'note://one');
    await expect.poll(() => heard).toEqual(['note://one']);
    await subscription.close();
    await change(client, 'note://one');
    await client.callTool({ name: 'add', arguments: { a: 1, b: 2 } });
    expect(heard).toEqual(['note://one']);
  });
});

describe('the resources that clients listen to', () => {
  /** A server that counts its subscriptions. */
  const setUp = (): {
    readonly resources: ListenedResources;
    readonly notify: (notice: McpNotice) => void;
    readonly counts: { subscribed: number; ended: number; listeners: number };
    readonly reported: string[];
  } => {
    const counts = { subscribed: 0, ended: 0, listeners: 0 };
    const listeners = new Set<(notice: McpNotice) => void>();
    const source = {
      subscribe: async (uri: string) => {
        if (uri === 'refused') throw new Error('no');
        counts.subscribed += 1;
        return async () => {
          counts.ended += 1;
        };
      },
      onNotice: (listener: (notice: McpNotice) => void) => {
        listeners.add(listener);
        counts.listeners = listeners.size;
        return () => {
          listeners.delete(listener);
          counts.listeners = listeners.size;
        };
      },
    };
    const reported: string[] = [];
    const resources = makeListenedResources(
      { resource: (name) => (name === 'unknown' ? undefined : { source: source as never, name }) },
      (uri) => void reported.push(uri),
    );
    const notify = (notice: McpNotice): void => {
      for (const listener of listeners) listener(notice);
    };
    return { resources, notify, counts, reported };
  };
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  it('are subscribed to once, and until the last client has left', async () => {
    const { resources, notify, counts, reported } = setUp();
    const [one, two] = await Promise.all([
      resources.listen(['a', 'a', 'unknown', 'refused']),
      resources.listen(['a', 'b']),
    ]);
    expect([one.uris, two.uris]).toEqual([['a'], ['a', 'b']]);
    expect(counts).toEqual({ subscribed: 2, ended: 0, listeners: 2 });
    notify({ type: 'resource-updated', uri: 'a' });
    expect(reported).toEqual(['a']);
    one.end();
    one.end();
    await turn();
    expect(counts).toMatchObject({ ended: 0, listeners: 2 });
    two.end();
    await turn();
    expect(counts).toEqual({ subscribed: 2, ended: 2, listeners: 0 });
    // A client that comes later subscribes again.
    expect((await resources.listen(['a'])).uris).toEqual(['a']);
    expect(counts.subscribed).toBe(3);
    resources.close();
    await turn();
    expect(counts).toMatchObject({ ended: 3, listeners: 0 });
  });

  it('are at most 256 for each client', async () => {
    const { resources, counts } = setUp();
    const many = Array.from({ length: 300 }, (_, at) => `n${at}`);
    expect((await resources.listen(many)).uris).toHaveLength(256);
    expect(counts.subscribed).toBe(256);
  });
});
