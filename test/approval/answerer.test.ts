import { describe, expect, it } from 'vitest';
import type { Answer } from '../../src/approval/approver.js';
import { makeRuleBook } from '../../src/approval/rule-book.js';
import { formatAnswerer } from '../../src/audit/why.js';
import type { BulkheadEvent } from '../../src/events.js';
import { open, question } from './asking.js';

const last = (events: readonly BulkheadEvent[]): BulkheadEvent | undefined => events.at(-1);

describe('the event of an answer', () => {
  it('counts as a program if the approver does not say that a person answered', async () => {
    const { approval, events } = open(() => ({ verdict: 'once', by: 'ada' }));
    await approval.ask(question());
    expect(last(events)).toMatchObject({ approver: 'program', channel: 'host', by: 'ada' });
  });

  it.each([
    { approver: 'person', channel: 'terminal', by: 'ada' },
    { approver: 'flag', channel: 'command-line', by: 'ada' },
  ] as const)('names a $approver and the channel $channel', async (who) => {
    const { approval, events } = open(() => ({ verdict: 'once', ...who }));
    await approval.ask(question());
    expect(last(events)).toMatchObject({ type: 'approval-given', ...who });
  });

  it('names the person who denied', async () => {
    const who = { approver: 'person', channel: 'http', by: 'ada' } as const;
    const { approval, events } = open(() => ({ verdict: 'deny', ...who }));
    await expect(approval.ask(question())).rejects.toMatchObject({ code: 'APPROVAL_DENIED' });
    expect(last(events)).toMatchObject({ type: 'approval-refused', ...who });
  });

  it('has no answerer without an answer', async () => {
    const { approval, events } = open(undefined);
    await expect(approval.ask(question())).rejects.toMatchObject({ code: 'APPROVAL_REQUIRED' });
    expect(last(events)).not.toHaveProperty('approver');
  });

  it.each(['allow', 'deny'] as const)(
    'names the rule of an %s, and its author',
    async (verdict) => {
      const rules = makeRuleBook();
      const rule = rules.add({ verdict, plugin: 'notes', tool: '*', bundle: '*', by: 'ada' });
      const { approval, events } = open(undefined, { rules });
      await approval.ask(question()).catch(() => {});
      expect(last(events)).toMatchObject({
        approver: 'rule',
        channel: 'rules',
        rule: rule.id,
        by: 'ada',
      });
    },
  );

  it('of a session names who approved the first call', async () => {
    const who = { approver: 'person', channel: 'terminal', by: 'ada' } as const;
    const { approval, events, asked } = open(() => ({ verdict: 'session', ...who }));
    await approval.ask(question());
    await approval.ask(question());
    expect(asked.length).toBe(1);
    expect(last(events)).toMatchObject({ verdict: 'session', ...who });
    expect(last(events)).not.toHaveProperty('approval');
  });

  it('replaces an unknown approver, and cuts a long name', async () => {
    const answer = { verdict: 'once', approver: 'rule', channel: 'x', by: 'n'.repeat(500) };
    const { approval, events } = open(() => answer as unknown as Answer);
    await approval.ask(question());
    expect(last(events)).toMatchObject({
      approver: 'program',
      channel: 'host',
      by: 'n'.repeat(200),
    });
  });
});

it('an approver whose verdict throws denies', async () => {
  const { approval } = open(() => ({
    get verdict(): 'once' {
      throw new Error('no verdict');
    },
  }));
  await expect(approval.ask(question())).rejects.toMatchObject({
    code: 'APPROVAL_DENIED',
    message: expect.stringContaining('no verdict') as string,
  });
});

describe('formatAnswerer', () => {
  it.each([
    [{ approver: 'flag', channel: 'command-line', by: 'ada' }, ' by the flag --yes of ada'],
    [{ approver: 'rule', channel: 'rules', rule: 'r-1', by: 'ada' }, ' by rule r-1 of ada'],
    [{ approver: 'person', channel: 'mcp' }, ' by a person (person, mcp)'],
    [
      { approver: 'person', channel: 'terminal', by: 'ada', rule: 'r-1' },
      ' by ada (person, terminal), as rule r-1',
    ],
    [{ approver: 'program', channel: 'host' }, " by the host's approve function (program, host)"],
    [{}, ''],
  ] as const)('%j', (record, text) => {
    expect(formatAnswerer(record)).toBe(text);
  });
});
