import { serve } from '@hono/node-server';
import { createToolServer, ToolCollection } from '@vertesia/tools-sdk';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { makeIdentity } from '../../../src/remotes/identity.js';
import { makePins } from '../mcp/servers.js';
import { makeVertesiaRemote } from '../../../src/remotes/vertesia/vertesia.js';
import { callOf, runRemote } from './server.js';

const ISSUER = 'https://bulkhead.vertesia.io';
const identity = makeIdentity({ issuer: ISSUER, account: { id: 'o', name: 'House' } });
const tool = (name: string, run: unknown): never =>
  ({ name, description: name, input_schema: { type: 'object', properties: {} }, run }) as never;

// The unmodified SDK, as anybody's server of custom tools runs it.
const server = serve({
  fetch: createToolServer({
    title: 'House',
    tools: [
      new ToolCollection({
        name: 'house',
        tools: [
          tool('greet', ({ tool_use }: { tool_use: { tool_input: { name: string } } }) =>
            Promise.resolve({
              is_error: false,
              content: `Hello ${tool_use.tool_input.name}`,
              meta: { n: 1 },
            }),
          ),
          tool('fails', () => Promise.resolve({ is_error: true, content: 'no such person' })),
          tool('throws', () => Promise.reject(new Error('it broke'))),
        ],
      }),
    ],
  }).fetch,
  port: 0,
  hostname: '127.0.0.1',
});
await once(server, 'listening');
afterAll(() => {
  server.close();
});

const origin = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

// It finds keys below the issuer, on the real network: there it meets ours.
const realFetch = globalThis.fetch;
vi.stubGlobal('fetch', async (url: string, init?: RequestInit) =>
  url === `${ISSUER}/.well-known/jwks`
    ? Response.json(await identity.jwks())
    : realFetch(url, init),
);
vi.spyOn(console, 'log').mockImplementation(() => {});
vi.spyOn(console, 'error').mockImplementation(() => {});

describe('a server made with @vertesia/tools-sdk', () => {
  const remotes = ['/api/tools', '/api/tools/house'].map((path) =>
    makeVertesiaRemote({
      id: 'house',
      options: { vertesia: `${origin()}${path}`, allowPrivate: true },
      identity,
      network: {},
      pins: makePins(),
    }),
  );
  afterAll(async () => {
    await Promise.all(remotes.map((remote) => remote.close()));
  });
  afterEach(() => vi.clearAllMocks());

  it.each(remotes.map((remote) => [remote.where.replace(/^.*\/api/, '/api'), remote] as const))(
    'lists its tools at %s, and runs them for the host’s token',
    async (_path, remote) => {
      expect(await runRemote(remote, callOf({ name: 'Ada' }), 'greet')).toEqual({
        isError: false,
        content: [{ type: 'text', text: 'Hello Ada' }],
        meta: { n: 1 },
      });
    },
  );

  it('returns the errors of its tools', async () => {
    const [remote] = remotes;
    if (remote === undefined) throw new Error('there is none');
    expect(await runRemote(remote, callOf(), 'fails')).toMatchObject({ isError: true });
    await expect(runRemote(remote, callOf(), 'throws')).rejects.toMatchObject({
      code: 'TOOL_FAILED',
      message: expect.stringContaining('it broke') as string,
    });
  });
});
