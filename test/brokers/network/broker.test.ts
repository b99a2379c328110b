import { describe, expect, it } from 'vitest';
import { brokerFor, header, sourceOf, textOf } from './plugin.js';
import { serve } from './servers.js';

describe('a granted request', () => {
  it('reaches the host that the operator named for it, under the name that the plugin used', async () => {
    const server = await serve((request, response) => {
      response.setHeader('x-host', request.headers.host ?? '');
      response.end('sunny');
    });
    const broker = brokerFor(server);

    const reply = await broker.get('https://api.test/today?city=Oslo#top');

    expect(reply).toMatchObject({
      url: 'https://api.test/today?city=Oslo',
      status: 200,
      statusText: 'OK',
      redirected: false,
    });
    expect(header(reply, 'x-host')).toBe('api.test');
    expect(await textOf(reply.body)).toBe('sunny');
    expect(server.seen).toEqual(['GET /today?city=Oslo']);
  });

  it('sends method, headers and body as they were given', async () => {
    const server = await serve((request, response) => {
      void request.toArray().then((chunks: Buffer[]) => {
        const { authorization, 'content-length': length } = request.headers;
        response.end(
          JSON.stringify({ authorization, length, text: Buffer.concat(chunks).toString() }),
        );
      });
    });
    const broker = brokerFor(server);

    const reply = await broker.get(
      'https://api.test/',
      { method: 'post', headers: [['Authorization', 'Bearer x']] },
      sourceOf(['wind', 'y']),
    );

    expect(JSON.parse(await textOf(reply.body))).toEqual({
      authorization: 'Bearer x',
      length: '5',
      text: 'windy',
    });
    expect(server.seen).toEqual(['POST /']);
  });
});
