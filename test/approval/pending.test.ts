import { describe, expect, it } from 'vitest';
import { makePendingApprovals, MAX_PENDING } from '../../src/approval/pending.js';
import { open, question } from './asking.js';

const soon = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('questions that wait for somebody elsewhere', () => {
  it('are listed until they are answered, and the answer is the verdict', async () => {
    const pending = makePendingApprovals();
    let changes = 0;
    pending.on('change', () => (changes += 1));
    const { approval, events } = open(pending.approve);
    const asked = approval.ask(question());
    await soon();
    const [request] = pending.list();
    const { approvalId = '', digest = '' } = request ?? {};
    expect(request).toMatchObject({ plugin: 'notes', tool: 'remove' });
    const answer = { verdict: 'session', by: 'ada', digest } as const;
    expect(pending.answer(approvalId, answer)).toBe('answered');
    await asked;
    expect(pending.list()).toEqual([]);
    expect(changes).toBe(2);
    expect(events.at(-1)).toMatchObject({ type: 'approval-given', verdict: 'session', by: 'ada' });
  });

  it('take no answer twice, and none for what nobody saw', async () => {
    const pending = makePendingApprovals();
    const { approval } = open(pending.approve);
    const asked = approval.ask(question());
    await soon();
    const { approvalId = '', digest = '' } = pending.list()[0] ?? {};
    expect(pending.answer('apr_other', { verdict: 'once', digest })).toBe('gone');
    expect(pending.answer(approvalId, { verdict: 'once', digest: 'another' })).toBe('another');
    expect(pending.answer(approvalId, { verdict: 'once', digest })).toBe('answered');
    expect(pending.answer(approvalId, { verdict: 'once', digest })).toBe('gone');
    await asked;
    const again = approval.ask(question());
    await soon();
    expect(pending.answer(approvalId, { verdict: 'once', digest })).toBe('gone');
    const [second] = pending.list();
    expect(second?.digest).toBe(digest);
    pending.answer(second?.approvalId ?? '', { verdict: 'deny', reason: 'no', digest });
    await expect(again).rejects.toMatchObject({ code: 'APPROVAL_DENIED' });
  });

  it('take no always for what is high', async () => {
    const pending = makePendingApprovals();
    const { approval } = open(pending.approve, { timeoutMs: 500 });
    const asked = approval.ask(question({ risk: 'high' }));
    await soon();
    const { approvalId = '', digest = '' } = pending.list()[0] ?? {};
    expect(pending.answer(approvalId, { verdict: 'always', digest })).toBe('not-offered');
    expect(pending.answer(approvalId, { verdict: 'once', digest })).toBe('answered');
    await asked;
  });

  it('are gone when their time is over', async () => {
    const pending = makePendingApprovals();
    const { approval } = open(pending.approve, { timeoutMs: 5 });
    await expect(approval.ask(question())).rejects.toMatchObject({ code: 'APPROVAL_TIMEOUT' });
    expect(pending.list()).toEqual([]);
  });

  it(`are ${MAX_PENDING} at most; more are refused`, async () => {
    const pending = makePendingApprovals();
    const { approval } = open(pending.approve, { timeoutMs: 2_000 });
    const asked = Array.from({ length: MAX_PENDING + 1 }, (_, n) =>
      approval.ask(question({ inputText: `${n}` })).catch((error: unknown) => error),
    );
    expect(await asked.at(-1)).toMatchObject({ code: 'APPROVAL_DENIED' });
    expect(pending.list().length).toBe(MAX_PENDING);
    for (const { approvalId, digest } of pending.list()) {
      pending.answer(approvalId, { verdict: 'once', digest });
    }
    await Promise.all(asked);
  });
});
