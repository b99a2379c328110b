import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as OldStdio } from '@modelcontextprotocol/sdk/client/stdio.js';
import { describe, expect, it } from 'vitest';
import { MAIN, run, writePlugin } from '../spawned.js';
import { serve } from './serving.js';

const info = { name: 'test', version: '1' };
const asking = { entry: { requireApproval: true }, execute: 'return { got: input };' };

describe('bulkhead serve --mcp', () => {
  it("serves MCP's clients, beside the tool server and on the same port", async () => {
    const { url, token, log, end } = await serve(['--plugins', writePlugin(), '--mcp', '/mcp']);
    const client = new Client(info, { versionNegotiation: { mode: 'auto' } });
    const requestInit = { headers: { authorization: `Bearer ${token}` } };
    const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit });
    await client.connect(transport);
    expect(JSON.stringify(log())).not.toContain('no tool can be called');
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['sample__run']);
    expect(await client.callTool({ name: 'sample__run', arguments: { a: 1 } })).toMatchObject({
      structuredContent: { a: 1 },
    });
    await client.listen({ toolsListChanged: true });
    // A client that only listens does not keep it from ending.
    expect(await end()).toBe(0);
    await client.close();
  });

  it('requires its token, also on loopback', async () => {
    const token = 'a-token-of-the-operator';
    const plugin = writePlugin();
    const { url, printed } = await serve(['--plugins', plugin, '--mcp', '/mcp', '--token', token]);
    expect(JSON.stringify(printed)).not.toContain(token);
    const connect = (headers: Record<string, string>): Promise<Client> => {
      const client = new Client(info, { versionNegotiation: { mode: 'auto' } });
      const to = new URL(`${url}/mcp`);
      const transport = new StreamableHTTPClientTransport(to, { requestInit: { headers } });
      return client.connect(transport).then(() => client);
    };
    await expect(connect({})).rejects.toThrow(/401|Unauthorized|token/);
    const client = await connect({ authorization: `Bearer ${token}` });
    expect((await client.listTools()).tools).toHaveLength(1);
    await client.close();
  });

  it('lets no web page in', async () => {
    const { url } = await serve(['--plugins', writePlugin(), '--mcp', '/mcp']);
    const headers = { origin: 'https://evil.example', 'content-type': 'application/json' };
    const response = await fetch(`${url}/mcp`, { method: 'POST', headers, body: '{}' });
    expect(response.status).toBe(403);
  });
});

describe('bulkhead mcp', () => {
  const command = (plugin: string): { command: string; args: string[]; stderr: 'ignore' } => ({
    command: process.execPath,
    args: [MAIN, 'mcp', plugin],
    stderr: 'ignore',
  });

  it('serves the client that starts it, and asks that client’s user', async () => {
    const client = new Client(info, {
      versionNegotiation: { mode: 'auto' },
      capabilities: { elicitation: { form: {} } },
    });
    client.setRequestHandler('elicitation/create', () => ({
      action: 'accept' as const,
      content: { decision: 'once' },
    }));
    await client.connect(new StdioClientTransport(command(writePlugin(asking))));
    const answer = await client.callTool({ name: 'sample__run', arguments: { a: 1 } });
    expect(answer).toMatchObject({ structuredContent: { got: { a: 1 } }, isError: false });
    await client.close();
  });

  it('serves a client of the protocol as it was', async () => {
    const client = new OldClient(info);
    await client.connect(new OldStdio(command(writePlugin())));
    expect((await client.listTools()).tools).toHaveLength(1);
    expect(await client.callTool({ name: 'sample__run', arguments: { a: 1 } })).toMatchObject({
      structuredContent: { a: 1 },
    });
    await client.close();
  });

  it('serves programs that call the tools, with --code', async () => {
    const client = new Client(info, { versionNegotiation: { mode: 'auto' } });
    const { args, ...rest } = command(writePlugin());
    await client.connect(new StdioClientTransport({ ...rest, args: [...args, '--code'] }));
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name).toSorted()).toEqual(['run_program', 'search_tools']);
    const source = 'return (await tools.sample.run({ n: 2 })).n + 1';
    const answer = await client.callTool({ name: 'run_program', arguments: { source } });
    expect(answer).toMatchObject({ isError: false, content: [{ text: '3' }] });
    await expect(client.callTool({ name: 'sample__run', arguments: {} })).rejects.toThrow(
      'Unknown tool: sample__run',
    );
    await client.close();
  });

  it('ends when its client goes', async () => {
    const { code, stdout } = await run(['mcp', writePlugin()]);
    expect(code).toBe(0);
    expect(stdout).toBe('');
  });

  it('takes nothing of the directory that its client works in', async () => {
    const repository = mkdtempSync(join(tmpdir(), 'bulkhead-repository-'));
    const mark = join(repository, 'ran');
    const program = `require('node:fs').writeFileSync(${JSON.stringify(mark)}, '')`;
    const remotes = [{ command: process.execPath, args: ['-e', program], id: 'theirs' }];
    writeFileSync(join(repository, 'bulkhead.config.json'), JSON.stringify({ remotes }));
    expect(await run(['mcp', writePlugin()], '', repository)).toMatchObject({ code: 0 });
    expect(existsSync(mark)).toBe(false);
    const named = ['mcp', '--config', 'bulkhead.config.json'];
    expect(await run(named, '', repository)).toMatchObject({ code: 0 });
    expect(existsSync(mark)).toBe(true);
    rmSync(repository, { recursive: true });
  });

  it('names its directories that have no plugin', async () => {
    const { stderr } = await run(['mcp', writePlugin(), '/no/such/plugin']);
    expect(stderr).toContain('"the directory contains no plugin","directory":"/no/such/plugin"');
  });

  it('reports wrong options on standard error', async () => {
    const { code, stdout, stderr } = await run(['mcp']);
    expect(code).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toContain('there is nothing to serve');
  });
});
