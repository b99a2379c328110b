import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { connectTcp } from '../../src/brokers/network/sockets.js';
import { brokerFor } from '../brokers/network/plugin.js';
import { serve } from '../brokers/network/servers.js';
import { runs } from '../property-runs.js';
import { isPublic } from './public-addresses.js';

describe('a redirect', () => {
  it('leads only to the server itself and to public addresses', async () => {
    let location = '';
    const server = await serve((request, response) => {
      response.writeHead(request.url === '/go' ? 307 : 200, { location }).end();
    });
    await fc.assert(
      fc.asyncProperty(locations(), fc.constantFrom('10.0.0.1', '8.8.8.8'), async (to, answer) => {
        location = to;
        const dialled: string[] = [];
        const broker = brokerFor(server, {
          // Everything is granted, so that nothing but the address can be a reason to refuse.
          allows: () => true,
          resolve: async () => [answer],
          connect: async (host, port, addresses, signal) => {
            if (port === server.port) return connectTcp(host, port, addresses, signal);
            dialled.push(...addresses);
            throw new Error('not in a test');
          },
        });
        const error: unknown = await broker.get('http://api.test/go').catch((reason) => reason);
        await broker.close();
        if (error instanceof Error) expect(error).toHaveProperty('code');
        for (const address of dialled) {
          expect(isPublic(address.split('.').map(Number)) || /^[23]/.test(address)).toBe(true);
        }
      }),
      {
        numRuns: runs(100),
        examples: [
          ['//127.0.0.1:1/', '8.8.8.8'],
          ['http://[::1]/', '8.8.8.8'],
        ],
      },
    );
  });
});

/** What a header can hold. */
function locations(): fc.Arbitrary<string> {
  const host = fc.oneof(
    fc.constantFrom(
      '127.1',
      '[::1]',
      '0x7f000001',
      'localhost',
      'evil.test',
      'api.test',
      '8.8.4.4',
    ),
    fc.ipV4().map(String),
    fc.ipV6().map((text) => `[${text}]`),
    fc.domain(),
  );
  const url = fc
    .tuple(
      fc.constantFrom('http://', 'https://', '//', 'http:\\\\', '/', 'ftp://', ''),
      fc.constantFrom('', 'u:p@', 'api.test@'),
      host,
      fc.constantFrom('', ':80', ':8080', '.'),
      fc.constantFrom('', '/', '/x?y#z'),
    )
    .map((parts) => parts.join(''));
  const text = fc
    .string({ unit: 'binary' })
    .map((some) => some.replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, ''));
  return fc.oneof({ weight: 4, arbitrary: url }, { weight: 1, arbitrary: text });
}
