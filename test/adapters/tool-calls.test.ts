import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { claudeAgentTools } from '../../src/adapters/claude-agent.js';
import { makeToolCalls } from '../../src/adapters/tool-calls.js';
import type { Engine } from '../../src/index.js';
import { makePlugin, startEngine } from '../engine/plugin-on-disk.js';

const ANN = { by: 'ann', approver: 'person' } as const;

const source = `export const tools = [
  { id: 'send', name: 'Send', description: 'Sends a letter', annotations: { destructiveHint: true },
    execute: ({ to }) => 'sent to ' + to },
  { id: 'look', name: 'Look', description: 'Looks out', annotations: { readOnlyHint: true },
    execute: () => 'sunny' },
  { id: 'hide', name: 'Hide', description: 'Hides', annotations: { readOnlyHint: true },
    execute: () => 'hidden' }]`;

describe('the calls of an adapter', () => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await startEngine([makePlugin({ id: 'mail', source })], { tolerance: 'default' });
  });
  afterAll(() => engine.close());

  it('run the offered tools only, also through call_tool', async () => {
    const calls = makeToolCalls(engine, 'test', { tools: ['mail__look', 'mail__send'] });
    expect(calls.list().map(({ name }) => name)).toEqual(['mail__look', 'mail__send']);
    for (const name of ['mail__hide', 'mail:look', 'hide', 'nothing']) {
      expect(await calls.run({ name, input: {} })).toMatchObject({
        isError: true,
        content: [{ text: `The tool ${name} is not offered here.` }],
      });
    }
    const wide = makeToolCalls(engine, 'test', { tools: ['mail__look'], maxTools: 0 });
    const through = (name: string) => wide.run({ name: 'call_tool', input: { name, input: {} } });
    expect(await through('mail__look')).toMatchObject({ content: [{ text: 'sunny' }] });
    expect(await through('mail__hide')).toMatchObject({ isError: true });
    expect(await wide.run({ name: 'call_tool', input: 7 })).toMatchObject({ isError: true });
    const found = await wide.run({ name: 'search_tools', input: { query: 'hides' } });
    expect(found.content).toEqual([{ type: 'text', text: '{"tools":[]}' }]);
  });

  it('give schemas that a framework may change', () => {
    const [tool] = makeToolCalls(engine, 'test').list();
    expect(Object.isFrozen(engine.catalog.list()[0]?.inputSchema)).toBe(true);
    expect(Object.isExtensible(tool?.inputSchema)).toBe(true);
  });

  it('ask once for a call, and answer the displayed call only', async () => {
    const calls = makeToolCalls(engine, 'test', { tenant: 'acme' });
    const call = { name: 'mail__send', input: { to: 'bob' }, id: 'x'.repeat(5_000) };
    const first = await calls.ask(call);
    expect((await calls.ask(call))?.approvalId).toBe(first?.approvalId);
    const shown = (to: string) => ({ toolName: 'mail__send', input: { to }, id: call.id });
    expect(calls.question(shown('bob'))?.approvalId).toBe(first?.approvalId);
    expect(calls.question(shown('eve'))).toBeUndefined();
    await expect(calls.answer(shown('eve'), { verdict: 'once', ...ANN })).rejects.toMatchObject({
      code: 'APPROVAL_INVALID',
    });
    expect(makeToolCalls(engine, 'other', { tenant: 'acme' }).question(call.id)).toBeUndefined();
    expect(makeToolCalls(engine, 'test', { tenant: 'evil' }).question(call.id)).toBeUndefined();
    await calls.answer(call.id, { verdict: 'deny', ...ANN });
    // A denied call stays denied.
    expect((await calls.ask(call))?.approvalId).toBe(first?.approvalId);
    expect(await calls.run(call)).toMatchObject({ code: 'APPROVAL_DENIED' });
  });

  it('do not ask if the engine approves, or if the run is unattended', async () => {
    const call = { name: 'mail__send', input: { to: 'bob' }, id: 'a' };
    for (const options of [
      { approvals: 'engine' },
      { unattended: true },
      { context: { isInteractive: false } },
    ] as const) {
      expect(await makeToolCalls(engine, 'test', options).ask(call)).toBeUndefined();
    }
    expect(
      await makeToolCalls(engine, 'test').ask({ ...call, name: 'mail__look' }),
    ).toBeUndefined();
  });

  it('are denied by Claude’s adapter if they are not of this engine', async () => {
    const { canUseTool } = await claudeAgentTools(engine);
    const { signal } = new AbortController();
    expect(await canUseTool('Bash', { command: 'ls' }, { signal })).toMatchObject({
      behavior: 'deny',
    });
    expect(await canUseTool('mcp__bulkhead__mail__look', {}, { signal })).toEqual({
      behavior: 'allow',
      updatedInput: {},
    });
  });
});
