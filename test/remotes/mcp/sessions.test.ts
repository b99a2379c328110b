import { describe, expect, it } from 'vitest';
import { callOf, runRemote } from '../vertesia/server.js';
import { makeRemote, serveSessions } from './servers.js';

describe('an MCP server that forgets its sessions', () => {
  it('is connected again, and the call runs', async () => {
    const server = await serveSessions();
    const remote = makeRemote({ mcp: server.url, allowPrivate: true });
    expect(await runRemote(remote, callOf(), 'echo')).toMatchObject({
      content: [{ text: 'session 1' }],
    });
    server.forget();
    expect(await runRemote(remote, callOf(), 'echo')).toMatchObject({
      content: [{ text: 'session 102' }],
    });
    expect(server.runs()).toBe(2);
  });

  it('does not run a call twice that failed after it ran', async () => {
    const server = await serveSessions();
    const remote = makeRemote({ mcp: server.url, allowPrivate: true });
    await remote.load(AbortSignal.timeout(20_000));
    server.fail();
    await expect(runRemote(remote, callOf(), 'echo')).rejects.toMatchObject({
      code: 'REMOTE_FAILED',
    });
    expect(server.runs()).toBe(1);
  });
});
