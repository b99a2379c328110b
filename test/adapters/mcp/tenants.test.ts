import { describe, expect, it } from 'vitest';
import type { BulkheadEvent } from '../../../src/index.js';
import { createMcpHandler } from '../../../src/adapters/mcp.js';
import { makePlainCalls } from '../../../src/adapters/mcp/plain-calls.js';
import { connect, serveMcp } from './served.js';

describe('a handler with a tenant', () => {
  it('runs calls and asks for its tenant, and takes no approval of another', async () => {
    const tenants: unknown[] = [];
    const served = await serveMcp(
      { tenant: 'acme', asker: 'ann' },
      {
        onEvent: (event: BulkheadEvent) => {
          if (event.type === 'call-started') tenants.push(event.tenant);
        },
      },
    );
    const { engine, directory } = served;
    const other = createMcpHandler(engine, { tenant: 'other' });
    const client = await connect(served);
    const rival = await connect({ engine, directory, handler: other });
    await client.callTool({ name: 'sample__echo', arguments: { n: 1 } });
    const wipe = { name: 'sample__wipes', arguments: { n: 2 } };
    expect(await client.callTool(wipe)).toMatchObject({ isError: true });
    const [question] = engine.approvals.list();
    expect(question).toMatchObject({ tenant: 'acme', asker: 'ann' });
    await engine.approvals.answer(question?.approvalId ?? '', { verdict: 'once', by: 'ops' });
    expect(await rival.callTool(wipe)).toMatchObject({ isError: true });
    expect(await client.callTool(wipe)).toMatchObject({ content: [{ text: 'wiped 2' }] });
    const plain = makePlainCalls(engine, { tenant: 'acme' }).start(
      (name) => (name === 'accept' ? 'application/json, text/event-stream' : undefined),
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'sample__echo', arguments: { n: 3 } },
      },
      AbortSignal.timeout(60_000),
    );
    expect(await plain?.body).toContain('\\"n\\":3');
    expect(tenants).toEqual(['acme', 'acme', 'acme']);
    await other.close();
  });
});
