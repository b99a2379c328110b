import type { Options } from '@anthropic-ai/claude-agent-sdk';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { claudeAgentTools } from 'bulkhead/claude-agent';
import { describe, expect, it } from 'vitest';
import { type Call, describeAdapter, type Driver, type RunSpec, type Turn } from './contract.js';
import { startHost } from './host.js';

/** What Claude Code does with the options: it connects to the server, asks, and calls. */
async function connect({ engine, options }: RunSpec) {
  const { mcpServers, canUseTool, ...own } = await claudeAgentTools(engine, options);
  // The SDK's own types take both.
  const forSdk: Options = { mcpServers, canUseTool };
  const server = mcpServers['bulkhead'];
  if (server === undefined || forSdk.canUseTool === undefined) throw new Error('no server');
  const [near, far] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: 'claude', version: '1' });
  await Promise.all([server.instance.connect(far), client.connect(near)]);
  return { client, canUseTool: forSdk.canUseTool, own };
}

async function turnOf(spec: RunSpec, { tool, input }: Call): Promise<Turn> {
  const { client, canUseTool } = await connect(spec);
  const signal = spec.signal ?? new AbortController().signal;
  const state = JSON.stringify({ tool, input });
  const verdict = await canUseTool(`mcp__bulkhead__${tool}`, input, {
    signal,
    toolUseID: 'toolu_1',
    requestId: 'r',
  });
  if (verdict?.behavior !== 'allow') {
    return { paused: false, text: verdict?.message ?? '', images: [], isError: true, state };
  }
  const result = await client.callTool({ name: tool, arguments: verdict.updatedInput }, undefined, {
    signal,
  });
  await client.close();
  const content = result.content as { text?: string; data?: string }[];
  return {
    paused: false,
    text: content
      .map(({ text = '' }) => text)
      .join('\n')
      .trim(),
    images: content.flatMap(({ data }) => data ?? []),
    isError: result.isError === true,
    state,
  };
}

const driver: Driver = {
  approval: 'hold',
  streams: false,
  list: async (spec) => {
    const { client } = await connect(spec);
    const { tools } = await client.listTools();
    await client.close();
    return {
      names: tools.map(({ name }) => name),
      schema: tools.find(({ name }) => name === 'send')?.inputSchema,
    };
  },
  run: turnOf,
  resume: (spec, text) => turnOf(spec, JSON.parse(text)),
  approvals: async ({ engine, options }, text) => {
    const { tool, input }: Call = JSON.parse(text);
    return [await claudeAgentTools(engine, options), { toolName: tool, input }];
  },
};

describeAdapter('the Claude Agent SDK', driver);

describe('canUseTool', () => {
  const details = {
    signal: new AbortController().signal,
    toolUseID: 'toolu_1',
    requestId: 'r',
  };

  it('denies tools that are not of this engine, unless the host decides about them', async () => {
    const { engine } = await startHost();
    const { canUseTool } = await claudeAgentTools(engine);
    expect(await canUseTool('Bash', { command: 'ls' }, details)).toMatchObject({
      behavior: 'deny',
    });
    const { canUseTool: open } = await claudeAgentTools(engine, {
      otherTools: async (_name, updatedInput) => ({ behavior: 'allow', updatedInput }),
    });
    expect(await open('Bash', { command: 'ls' }, details)).toMatchObject({ behavior: 'allow' });
  });

  it('denies what a rule denies, with the reason', async () => {
    const { engine } = await startHost();
    engine.rules.add({
      verdict: 'deny',
      plugin: 'desk',
      tool: 'send',
      reason: 'quiet hours',
    });
    const { canUseTool } = await claudeAgentTools(engine);
    expect(await canUseTool('mcp__bulkhead__send', { to: 'bob' }, details)).toMatchObject({
      behavior: 'deny',
      message: expect.stringContaining('quiet hours'),
    });
  });
});
