/** The files that tools wrote, over HTTP. */
import { describe, expect, it } from 'vitest';
import type { FilesOptions, OpenPluginFile, PluginFile } from '../../src/engine/files.js';
import { BulkheadError } from '../../src/errors.js';
import { type App, createApp } from '../../src/http/app.js';
import { fileRoutes } from '../../src/http/files.js';

const FILE: PluginFile = {
  id: 'f1',
  path: '/workspace/a"\r\nx-evil: 1;(\u202e\ud800.html',
  name: 'a"\r\nx-evil: 1;(\u202e\ud800.html',
  bytes: 4,
  calls: ['call_1'],
};

function setUp(limits = {}) {
  const asked: [string, FilesOptions][] = [];
  const app: App = createApp({
    engine: { listing: () => [] },
    routes: fileRoutes({
      files: (plugin, options) => {
        asked.push([plugin, options]);
        if (plugin !== 'writer') {
          throw new BulkheadError('PLUGIN_NOT_FOUND', `no ${plugin}`, { directory: plugin });
        }
        return {
          list: () => [FILE],
          open: (id): Promise<OpenPluginFile | undefined> => {
            if (id === 'out') {
              return Promise.reject(
                new BulkheadError('STORAGE_DENIED', '/srv/secret', {
                  plugin,
                  wanted: '',
                  granted: [],
                }),
              );
            }
            const content = new ReadableStream<Uint8Array>(
              {
                pull: (controller) => {
                  controller.enqueue(new TextEncoder().encode('text'));
                  controller.close();
                },
              },
              { highWaterMark: 0 },
            );
            return Promise.resolve(id === 'f1' ? { ...FILE, content } : undefined);
          },
        };
      },
    }),
    door: {
      credentials: {
        call: 'may-call',
        view: 'may-view',
        answer: 'may-answer',
        administer: 'may-admin',
      },
      openLoopback: false,
      hosts: new Set(),
    },
    limits,
  });
  const send = (path: string, token = 'may-view', method = 'GET'): Promise<Response> =>
    app.fetch(
      new Request(`http://127.0.0.1${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      }),
    );
  return { send, asked };
}

describe('GET /api/files', () => {
  it('lists the files of a plugin, a tenant and a call', async () => {
    const { send, asked } = setUp();
    const response = await send('/api/files?plugin=writer&tenant=a%26b&call=call_1');
    expect(await response.json()).toEqual({
      files: [{ ...FILE, path: FILE.path, name: FILE.name }],
    });
    await send('/api/files?plugin=writer');
    expect(asked).toEqual([
      ['writer', { tenant: 'a&b', callId: 'call_1' }],
      ['writer', {}],
    ]);
  });

  it('needs the token to view', async () => {
    const { send } = setUp();
    for (const path of ['/api/files?plugin=writer', '/api/files/f1?plugin=writer']) {
      expect((await send(path, '')).status).toBe(401);
      expect((await send(path, 'may-call')).status).toBe(403);
      expect((await send(path, 'may-answer')).status).toBe(403);
      expect((await send(path, 'may-view', 'POST')).status).toBe(405);
    }
  });

  it.each([
    ['/api/files', 400],
    ['/api/files?plugin=writer&tenent=a', 400],
    ['/api/files?plugin=other', 404],
    ['/api/files/none?plugin=writer', 404],
    ['/api/files/%2e%2e%2fetc?plugin=writer', 404],
    ['/api/files/out?plugin=writer', 403],
  ])('answers %s with %i', async (path, status) => {
    const { send } = setUp();
    const response = await send(path);
    expect(response.status).toBe(status);
    expect(await response.text()).not.toContain('/srv/secret');
  });
});

describe('GET /api/files/<id>', () => {
  it('answers an attachment that no browser runs, whatever its name is', async () => {
    const { send } = setUp();
    const response = await send('/api/files/f1?plugin=writer');
    expect(await response.text()).toBe('text');
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-disposition':
        "attachment; filename*=UTF-8''a%22%0D%0Ax-evil%3A%201%3B%28%E2%80%AE%EF%BF%BD.html",
      'content-type': 'application/octet-stream',
      'content-length': '4',
      'content-security-policy': "sandbox; default-src 'none'",
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    });
    expect(response.headers.has('x-evil')).toBe(false);
  });

  it('takes a slot until it is read', async () => {
    const { send } = setUp({ maxRequests: 1 });
    const first = await send('/api/files/f1?plugin=writer');
    expect((await send('/api/files?plugin=writer')).status).toBe(429);
    expect(await first.text()).toBe('text');
    expect((await send('/api/files?plugin=writer')).status).toBe(200);
  });
});
