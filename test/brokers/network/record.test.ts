import { describe, expect, it } from 'vitest';
import { brokerFor, bytesOf, sourceOf } from './plugin.js';
import { serve } from './servers.js';

describe('the record of a request', () => {
  it('says what was asked of whom, what came of it, and how much crossed', async () => {
    const server = await serve((request, response) => {
      request.resume().on('end', () => response.writeHead(201).end('made'));
    });
    const broker = brokerFor(server);
    const reply = await broker.get(
      'http://api.test/a?key=secret',
      { method: 'POST' },
      sourceOf(['xyz']),
    );
    expect(broker.records).toEqual([]);
    await bytesOf(reply.body);
    expect(broker.records).toEqual([
      {
        type: 'network',
        plugin: 'weather',
        url: 'http://api.test/a?…',
        method: 'POST',
        outcome: 'allowed',
        status: 201,
        bytesIn: 4,
        bytesOut: 3,
        durationMs: expect.any(Number),
        address: '127.0.0.1',
      },
    ]);
  });

  it('has queries if the operator wants them', async () => {
    const server = await serve((_request, response) => response.end());
    const broker = brokerFor(server, { recordQueries: true });
    await bytesOf((await broker.get('http://api.test/a?city=Oslo')).body);
    expect(broker.records[0]?.url).toBe('http://api.test/a?city=Oslo');
  });

  it('is made of what could not even be read, with its text as a string', async () => {
    const broker = brokerFor(undefined);
    await expect(broker.get('no\nURL')).rejects.toMatchObject({ code: 'NETWORK_DENIED' });
    expect(broker.records).toMatchObject([{ url: '"no\\nURL"', outcome: 'denied' }]);
  });
});
