import { describe, expect, it } from 'vitest';
import { makePlugin } from '../../engine/plugin-on-disk.js';
import { connect, serveMcp, url } from './served.js';

describe('a request of a client', () => {
  it('is taken for one that only listens by no header that its version does not bind', async () => {
    const { handler } = await serveMcp();
    const lasts = (version?: string): boolean =>
      handler.lasts(
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

  it('is never answered by asking the client about what a running tool sends, which it would not be shown', async () => {
    const asked: unknown[] = [];
    const sends = makePlugin({
      id: 'sends',
      permissions: { network: ['api.test'] },
      tools: { run: `() => fetch('https://api.test/all', { method: 'POST', body: 'x' })` },
    });
    const served = await serveMcp({}, { effects: 'ask' }, [sends]);
    const client = await connect(served, (params) => {
      asked.push(params);
      return { action: 'accept', content: { decision: 'once' } };
    });
    const answer = await client.callTool({ name: 'sends__run', arguments: {} });
    expect(answer).toMatchObject({ isError: true });
    expect(JSON.stringify(answer)).toContain('only calls are asked about');
    expect(asked).toEqual([]);
  });
});
