import { describe, expect, it } from 'vitest';
import { makeApproval, type Question } from '../../src/approval/approval.js';
import type { ApprovalRequest, Approver } from '../../src/approval/approver.js';

const question = (changed: Partial<Question> = {}): Question => ({
  callId: 'c1',
  plugin: 'notes',
  tool: 'remove',
  id: 'notes:remove',
  title: 'Remove a note',
  bundle: 'sha512-a',
  inputText: '{"path":"a.md"}',
  why: 'its manifest requires it',
  signal: new AbortController().signal,
  ...changed,
});

it('without anybody to ask the answer is no, and says how to change that', async () => {
  await expect(makeApproval(undefined).ask(question())).rejects.toMatchObject({
    code: 'APPROVAL_REQUIRED',
    message: expect.stringContaining('--yes'),
  });
});

it('who is asked sees the very input, as a copy', async () => {
  const seen: ApprovalRequest[] = [];
  const approval = makeApproval((request) => {
    seen.push(request);
    return 'once';
  });
  await approval.ask(question());
  expect(seen[0]).toMatchObject({ tool: 'remove', input: { path: 'a.md' } });
});

it('another input, tool or bundle has another digest', async () => {
  const digests: string[] = [];
  const approval = makeApproval((request) => {
    digests.push(request.digest);
    return 'once';
  });
  for (const changed of [{}, { inputText: '{}' }, { tool: 'x' }, { bundle: 'sha512-b' }]) {
    await approval.ask(question(changed));
  }
  expect(new Set(digests).size).toBe(4);
});

describe('a verdict', () => {
  const countAsked = async (verdict: Awaited<ReturnType<Approver>>, second: Partial<Question>) => {
    let asked = 0;
    const approval = makeApproval(async () => {
      asked += 1;
      return verdict;
    });
    await approval.ask(question());
    await approval.ask(question(second));
    return asked;
  };

  it('once holds for one call', async () => {
    expect(await countAsked('once', {})).toBe(2);
  });

  it('session holds for later calls of that tool', async () => {
    expect(await countAsked('session', { inputText: '{}' })).toBe(1);
  });

  it('session does not hold for a changed bundle', async () => {
    expect(await countAsked('session', { bundle: 'sha512-b' })).toBe(2);
  });

  it('session does not hold for another tool', async () => {
    expect(await countAsked({ verdict: 'always' }, { tool: 'other' })).toBe(2);
  });

  it('deny carries its reason', async () => {
    const approval = makeApproval(() => Promise.resolve({ verdict: 'deny', reason: 'not today' }));
    await expect(approval.ask(question())).rejects.toMatchObject({
      code: 'APPROVAL_DENIED',
      details: { reason: 'not today' },
    });
  });

  it('that is no verdict is a no, as is a throw', async () => {
    const unknown = makeApproval((() => 'yes') as unknown as Approver);
    await expect(unknown.ask(question())).rejects.toMatchObject({ code: 'APPROVAL_DENIED' });
    const broken = makeApproval(() => {
      throw new Error('no terminal');
    });
    await expect(broken.ask(question())).rejects.toMatchObject({ code: 'APPROVAL_DENIED' });
  });
});
