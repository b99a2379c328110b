import { describe, expect, it } from 'vitest';
import { makePlugin } from '../../engine/plugin-on-disk.js';
import { connect, serveMcp, url } from './served.js';

describe('a request of a client', () => {
  it('is a subscription only if its protocol version binds the header', async () => {
    const { handler } = await serveMcp();
    const lasts = (version?: string): boolean =>
      handler.isSubscription(
        new Request(url, {
          method: 'POST',
          headers: {
            'mcp-method': 'subscriptions/listen',
            ...(version === undefined ? {} : { 'mcp-protocol-version': version }),
          },
        }),
      );
    expect(lasts('2026-07-28')).toBe(true);
    for (const version of [undefined, '2025-11-25', '2025-06-18']) {
      expect(lasts(version)).toBe(false);
    }
  });

  it.each([
    ['once', 'NETWORK_FAILED'],
    ['deny', 'EFFECT_DENIED'],
  ])(
    'of the current version is asked about a request of a running tool, and answers %s',
    async (decision, code) => {
      const asked: unknown[] = [];
      const sends = makePlugin({
        id: 'sends',
        permissions: { network: ['api.test'] },
        tools: { run: `() => fetch('https://api.test/all', { method: 'POST', body: 'x' })` },
      });
      const served = await serveMcp({}, { effects: 'ask' }, [sends]);
      const client = await connect(served, (params) => {
        asked.push(params);
        return { action: 'accept', content: { decision } };
      });
      const answer = await client.callTool({ name: 'sends__run', arguments: {} });
      expect(answer).toMatchObject({ isError: true, _meta: { 'dev.bulkhead/code': code } });
      expect(asked).toEqual([
        expect.objectContaining({
          message: expect.stringMatching(
            /sends is running[^]*POST https:\/\/api\.test\/all[^]*Text: "x"/,
          ),
        }),
      ]);
    },
  );
});
