import { describe, expect, it } from 'vitest';
import type { Engine, JsonObject } from '../../../../src/index.js';
import { makeExtension, registering } from '../../../engine/extension-on-disk.js';
import { startEngine } from '../../../engine/plugin-on-disk.js';

/** Answers with what it was told, as JSON. */
const echo = `
  ${registering('echo', { parameters: { type: 'object', properties: { limit: { type: 'number' } }, required: ['limit'] } })}
  ${registering('plain')}
  ${registering('never')}
  ${registering('slow')}
  spindle.on('TOOL_INVOCATION', async (payload) => {
    if (payload.toolName === 'never') await new Promise(() => {});
    if (payload.toolName === 'slow') {
      await new Promise((resolve) => setTimeout(resolve, payload.args.ms));
      return String(payload.args.ms);
    }
    return JSON.stringify({ ...payload, keys: Object.keys(payload), now: Date.now() });
  });`;

const member = {
  memberId: 'm1',
  itemId: 'i1',
  packId: 'p1',
  packName: 'Pack',
  name: 'Lumi',
  role: 'Plot Enforcer',
  chance: 50,
  avatarUrl: '/api/v1/images/1',
  definition: 'd',
  personality: 'p',
  behavior: 'b',
  genderIdentity: 0,
};

const start = (): Promise<Engine> =>
  startEngine([makeExtension({ identifier: 'ext', source: echo })]);

async function echoOf(
  engine: Engine,
  tool: string,
  input: unknown,
  options: Parameters<Engine['call']>[2] = {},
): Promise<JsonObject> {
  const { value, isError, content } = await engine.call(tool, input, options);
  if (isError || typeof value !== 'string') throw new Error(content[0]?.text);
  const told: JsonObject = JSON.parse(value);
  return told;
}

describe('the payload of an invocation', () => {
  it('has the bare name, the arguments and an id of the request, and nothing else', async () => {
    const engine = await start();
    const told = await echoOf(engine, 'ext:plain', { a: 1, userId: 'u', ctx: { user_id: 'v' } });
    expect(told['keys']).toEqual(['toolName', 'args', 'requestId']);
    expect(told).toMatchObject({ toolName: 'plain', args: { a: 1, ctx: {} } });
    const again = await echoOf(engine, 'ext:plain', {});
    expect(again['requestId']).not.toBe(told['requestId']);
  });

  it('has the member and the chat of a council beside the arguments, which cannot replace them', async () => {
    const engine = await start();
    const contextMessages = [
      { role: 'system', content: 'be brief' },
      { role: 'user', content: [{ type: 'text', text: 'hello' }], name: 'Ann' },
    ];
    const before = Date.now();
    const told = await echoOf(
      engine,
      'ext:plain',
      { context: 'mine', __deadlineMs: 1, councilMember: { name: 'me' }, contextMessages: 'mine' },
      { context: { requestId: 'r1', councilMember: member, contextMessages }, timeoutMs: 20_000 },
    );
    expect(told['keys']).toEqual([
      'toolName',
      'args',
      'requestId',
      'councilMember',
      'contextMessages',
    ]);
    expect(told).toMatchObject({
      requestId: 'r1',
      councilMember: member,
      contextMessages: [
        { role: 'system', content: 'be brief' },
        { role: 'user', content: 'hello', name: 'Ann' },
      ],
      args: {
        context: 'be brief\n\nuser: hello',
        councilMember: { name: 'me' },
        contextMessages: 'mine',
      },
    });
    const deadlineMs = Number((told['args'] as JsonObject)['__deadlineMs']);
    expect(deadlineMs).toBeGreaterThanOrEqual(before + 20_000);
    expect(deadlineMs).toBeLessThanOrEqual(Date.now() + 20_000);
  });

  it('never has a deadline that the caller wrote', async () => {
    const engine = await start();
    const told = await echoOf(engine, 'ext:plain', { __deadlineMs: 9e15 });
    expect(told['args']).toEqual({});
  });

  it('is checked against the tool’s parameters, but for who may leave arguments out', async () => {
    const engine = await start();
    expect((await engine.call('ext:echo', { limit: 'many' })).code).toBe('INVALID_INPUT');
    expect((await engine.call('ext:echo', {})).code).toBe('INVALID_INPUT');
    const context = { councilMember: member };
    expect(await echoOf(engine, 'ext:echo', {}, { context, incomplete: true })).toMatchObject({
      toolName: 'echo',
      councilMember: { name: 'Lumi' },
    });
  });
});

describe('an invocation', () => {
  it('that times out fails with the message of its system, and its late answer is dropped', async () => {
    const engine = await start();
    const result = await engine.call('ext:never', {}, { timeoutMs: 100 });
    expect(result.code).toBe('DEADLINE_EXCEEDED');
    expect(result.content).toEqual([{ type: 'text', text: "Tool invocation 'never' timed out" }]);
    expect((await engine.call('ext:plain', {})).isError).toBe(false);
  });

  it('is answered by itself, whatever the duration of others', async () => {
    const engine = await start();
    const order: string[] = [];
    const call = async (ms: number): Promise<void> => {
      const { value } = await engine.call('ext:slow', { ms });
      expect(value).toBe(String(ms));
      order.push(String(ms));
    };
    await Promise.all([call(300), call(1), call(150)]);
    expect(order).toEqual(['1', '150', '300']);
  });
});
