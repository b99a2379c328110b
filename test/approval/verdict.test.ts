import { describe, expect, it } from 'vitest';
import type { Approver } from '../../src/approval/approver.js';
import { open, question } from './asking.js';

describe('a verdict', () => {
  const countAsked = async (
    answer: Awaited<ReturnType<Approver>>,
    second: Parameters<typeof question>[0],
    first: Parameters<typeof question>[0] = {},
  ): Promise<number> => {
    const { approval, asked } = open(async () => answer);
    await approval.ask(question(first));
    await approval.ask(question({ ...first, ...second }));
    return asked.length;
  };

  it('once applies to one call', async () => {
    expect(await countAsked('once', {})).toBe(2);
  });

  it.each(['session', 'always'] as const)(
    '%s applies to later calls of that tool',
    async (said) => {
      expect(await countAsked(said, { inputText: '{}' })).toBe(1);
    },
  );

  it.each([{ bundle: 'sha512-b' }, { tool: 'other' }, { plugin: 'other' }, { tenant: 't' }])(
    'session and always do not apply to %j',
    async (changed) => {
      expect(await countAsked('session', changed)).toBe(2);
      expect(await countAsked({ verdict: 'always' }, changed)).toBe(2);
    },
  );

  it('session ends with its conversation', async () => {
    const first = { conversationId: 'v1' };
    expect(await countAsked('session', {}, first)).toBe(1);
    expect(await countAsked('session', { conversationId: 'v2' }, first)).toBe(2);
  });

  it.each(['session', 'always'] as const)('%s counts as once for high risk', async (said) => {
    expect(await countAsked(said, {}, { risk: 'high' })).toBe(2);
  });

  it('session does not apply after the risk became high', async () => {
    expect(await countAsked('session', { risk: 'high' })).toBe(2);
  });

  it('deny has its reason', async () => {
    const { approval } = open(() => Promise.resolve({ verdict: 'deny', reason: 'not today' }));
    await expect(approval.ask(question())).rejects.toMatchObject({
      code: 'APPROVAL_DENIED',
      details: { reason: 'not today' },
    });
  });

  it('that is invalid denies, and an exception denies', async () => {
    for (const broken of [
      () => 'yes',
      () => true,
      () => null,
      () => ({}),
      () => {
        throw new Error('no terminal');
      },
    ]) {
      const { approval } = open(broken as unknown as Approver);
      await expect(approval.ask(question())).rejects.toMatchObject({ code: 'APPROVAL_DENIED' });
    }
  });

  it('also decides pending requests of the same session', async () => {
    const waiting: ((verdict: 'session') => void)[] = [];
    const { approval, asked } = open(() => new Promise((resolve) => waiting.push(resolve)));
    const calls = [1, 2, 3].map((n) => approval.ask(question({ inputText: `{"n":${n}}` })));
    waiting[1]?.('session');
    await Promise.all(calls);
    expect(asked.every(({ signal }) => signal.aborted)).toBe(true);
  });
});
