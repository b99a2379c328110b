import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { isOwnPort } from '../../../src/own-ports.js';
import { brokerFor } from '../../brokers/network/plugin.js';
import { openCallback } from '../../../src/remotes/mcp/login-callback.js';

async function send(url: string, target: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  await once(socket, 'connect');
  socket.write(`GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
  return text(socket);
}

describe('the address that a login page returns to', () => {
  it.each(['//', 'http://[', '/callback', '/callback?state=wrong&code=stolen'])(
    'answers 404 to %s, and the login goes on',
    async (target) => {
      await using callback = await openCallback(0);
      expect(await send(callback.url, target)).toMatch(/^HTTP\/1\.1 404 /);
      const answered = callback.answered(new AbortController().signal);
      await send(callback.url, `/callback?state=${callback.state}&code=right`);
      expect(await answered).toEqual({ code: 'right' });
    },
  );

  it('is out of reach for a plugin, also by a host override, until the login ends', async () => {
    let port = 0;
    {
      await using callback = await openCallback(0);
      port = Number(new URL(callback.url).port);
      const broker = brokerFor(undefined, {
        overrides: [{ host: 'api.test', url: new URL(callback.url).origin }],
        allows: () => true,
      });
      await expect(broker.get('http://api.test/callback')).rejects.toMatchObject({
        code: 'NETWORK_DENIED',
      });
    }
    expect(isOwnPort(port)).toBe(false);
  });
});
