import { aiTools } from 'bulkhead/ai';
import { describe, expect, it } from 'vitest';
import { startHost } from './host.js';

const details = { toolCallId: 'c1', messages: [] };

interface Pausing {
  needsApproval(input: unknown, details: object): Promise<boolean>;
}

async function paused() {
  const { engine } = await startHost();
  const own = aiTools(engine);
  const tool = own.tools['send'] as unknown as Pausing;
  expect(await tool.needsApproval({ to: 'bob' }, details)).toBe(true);
  const state = () => engine.approvals.get(own.question('c1')?.approvalId ?? '')?.state;
  return { engine, own, state };
}

function modelMessages(to: string, approved: boolean) {
  return [
    {
      role: 'assistant',
      content: [
        { type: 'tool-call', toolCallId: 'c1', toolName: 'send', input: { to } },
        { type: 'tool-approval-request', approvalId: 'a1', toolCallId: 'c1' },
      ],
    },
    { role: 'tool', content: [{ type: 'tool-approval-response', approvalId: 'a1', approved }] },
  ];
}

describe('recordAnswers', () => {
  it.each([
    [true, 'approved'],
    [false, 'denied'],
  ])('records approved: %s of model messages', async (approved, expected) => {
    const { engine, own, state } = await paused();
    const { approvalId = '' } = own.question('c1') ?? {};
    expect(await own.recordAnswers(modelMessages('bob', approved), { by: 'ann' })).toBe(1);
    expect(engine.approvals.get(approvalId)).toMatchObject({
      state: expected,
      answer: { by: 'ann' },
    });
    expect(await own.recordAnswers(modelMessages('bob', true), { by: 'eve' })).toBe(0);
    expect(state()).toBe(expected);
  });

  it.each(['dynamic-tool', 'tool-send'])(
    'records answers of interface messages: %s',
    async (type) => {
      const { own, state } = await paused();
      const part = {
        type,
        ...(type === 'dynamic-tool' ? { toolName: 'send' } : {}),
        toolCallId: 'c1',
        input: { to: 'bob' },
        state: 'approval-responded',
        approval: { id: 'a1', approved: false, reason: 'no' },
      };
      expect(await own.recordAnswers([{ role: 'assistant', parts: [part] }], { by: 'ann' })).toBe(
        1,
      );
      expect(state()).toBe('denied');
    },
  );

  it('records no answer if the messages show another call', async () => {
    const { own, state } = await paused();
    expect(await own.recordAnswers(modelMessages('eve', true), { by: 'ann' })).toBe(0);
    expect(state()).toBe('pending');
  });

  it.each([[[null, 7, 'x', { content: 'x' }, { parts: [null, { type: 7 }] }]], [[]]])(
    'ignores %j',
    async (messages) => {
      const { own } = await paused();
      expect(await own.recordAnswers(messages, { by: 'ann' })).toBe(0);
    },
  );
});
