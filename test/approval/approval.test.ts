import { describe, expect, it } from 'vitest';
import { makeRuleBook } from '../../src/approval/rule-book.js';
import { open, question } from './asking.js';

it('without an approver denies, and the message names --yes', async () => {
  await expect(open(undefined).approval.ask(question())).rejects.toMatchObject({
    code: 'APPROVAL_REQUIRED',
    message: expect.stringContaining('--yes'),
  });
});

it('in an unattended run denies without a request', async () => {
  const { approval, asked } = open(() => 'once');
  await expect(approval.ask(question({ attended: false }))).rejects.toMatchObject({
    code: 'APPROVAL_REQUIRED',
    message: expect.stringContaining('unattended'),
  });
  expect(asked).toEqual([]);
});

describe('an approval request', () => {
  it('has all facts about the call, and a copy of the input', async () => {
    const { approval, asked } = open((request) => {
      Object.assign(request.input as object, { path: '/etc/passwd' });
      return 'once';
    });
    const asks = question({ tenant: 't1', conversationId: 'v1' });
    await approval.ask(asks);
    await approval.ask(asks);
    expect(asked[1]).toMatchObject({
      kind: 'call',
      plugin: 'notes',
      version: '1.0.0',
      tool: 'remove',
      id: 'notes:remove',
      bundle: 'sha512-a',
      risk: 'medium',
      why: 'its manifest requires it',
      tenant: 't1',
      conversationId: 'v1',
      shown: '{\n  "path": "a.md"\n}',
      offers: ['deny', 'once', 'session', 'always'],
    });
    expect(asked[0]?.approvalId).not.toBe(asked[1]?.approvalId);
  });

  it('escapes control and bidirectional characters for display', async () => {
    const { approval, asked } = open(() => 'once');
    const input = { path: 'a\u001b[2K\u202etxt.exe', '\u2066k\u200b': '\u0007' };
    await approval.ask(question({ inputText: JSON.stringify(input) }));
    expect(asked[0]?.input).toEqual(input);
    expect(asked[0]?.shown).not.toMatch(/[\u0007\u001b\u200b\u202e\u2066]/);
    expect(JSON.parse(asked[0]?.shown ?? '')).toEqual(input);
  });

  it('shows a large input untruncated', async () => {
    const { approval, asked } = open(() => 'once');
    await approval.ask(question({ inputText: JSON.stringify({ text: 'x'.repeat(500_000) }) }));
    expect(asked[0]?.shown.length).toBeGreaterThan(500_000);
  });

  it('offers only deny and once for high risk', async () => {
    const { approval, asked } = open(() => 'once');
    await approval.ask(question({ risk: 'high' }));
    expect(asked[0]?.offers).toEqual(['deny', 'once']);
  });
});

describe('the digest of an approval request', () => {
  it('differs for another input, tool, bundle, tenant or effect', async () => {
    const { approval } = open(() => 'once');
    const effect = { method: 'POST', url: 'https://a.test/x', headers: [] };
    const digests: string[] = [];
    for (const changed of [
      {},
      { inputText: '{}' },
      { tool: 'x' },
      { bundle: 'sha512-b' },
      { tenant: 't' },
      { effect },
      { effect: { ...effect, url: 'https://a.test/y' } },
      { effect: { ...effect, body: 'b' } },
    ]) {
      digests.push(await approval.ask(question(changed)));
    }
    expect(new Set(digests).size).toBe(digests.length);
  });

  it('does not depend on the order of keys in the input', async () => {
    const { approval } = open(() => 'once');
    const one = await approval.ask(question({ inputText: '{"a":1,"b":{"c":[1,2],"d":null}}' }));
    const other = await approval.ask(question({ inputText: '{"b":{"d":null,"c":[1,2]},"a":1.0}' }));
    expect(other).toBe(one);
  });
});

describe('an approver that does not answer', () => {
  it('causes APPROVAL_TIMEOUT, which differs from a denial', async () => {
    const { approval, asked, events } = open(() => new Promise(() => {}), { timeoutMs: 20 });
    await expect(approval.ask(question())).rejects.toMatchObject({
      code: 'APPROVAL_TIMEOUT',
      message: expect.stringContaining('It was not denied'),
    });
    expect(asked[0]?.signal.aborted).toBe(true);
    expect(asked[0]?.waitsUntilMs).toBe((asked[0]?.askedAtMs ?? 0) + 20);
    expect(events.at(-1)).toMatchObject({ type: 'approval-refused', code: 'APPROVAL_TIMEOUT' });
  });

  it('does not approve or remember anything after the timeout', async () => {
    let answer: (verdict: 'session') => void = () => {};
    const { approval } = open(() => new Promise((resolve) => (answer = resolve)), { timeoutMs: 5 });
    await expect(approval.ask(question())).rejects.toMatchObject({ code: 'APPROVAL_TIMEOUT' });
    answer('session');
    await expect(approval.ask(question())).rejects.toMatchObject({ code: 'APPROVAL_TIMEOUT' });
  });

  it('is cancelled when the caller cancels the call', async () => {
    const caller = new AbortController();
    const { approval } = open(() => new Promise(() => {}));
    const asked = approval.ask(question({ signal: caller.signal }));
    caller.abort();
    await expect(asked).rejects.toMatchObject({ code: 'CANCELLED' });
  });
});

describe('the verdict always', () => {
  it('adds a rule that can be listed and removed', async () => {
    const { approval, asked, rules } = open(() => ({ verdict: 'always', by: 'ada' }));
    await approval.ask(question());
    const [rule] = rules.list();
    expect(rule).toMatchObject({
      verdict: 'allow',
      plugin: 'notes',
      tool: 'remove',
      bundle: 'sha512-a',
      by: 'ada',
    });
    await approval.ask(question());
    expect(asked.length).toBe(1);
    expect(rules.remove(rule?.id ?? '')).toBe(true);
    await approval.ask(question());
    expect(asked.length).toBe(2);
  });

  it('with conditions applies if they are met', async () => {
    const { approval, asked } = open(() => ({
      verdict: 'always',
      input: { path: { startsWith: 'a' } },
    }));
    await approval.ask(question());
    await approval.ask(question({ inputText: '{"path":"ab"}' }));
    expect(asked.length).toBe(1);
    await approval.ask(question({ inputText: '{"path":"b"}' }));
    expect(asked.length).toBe(2);
  });

  it('counts as once if the call itself does not meet its conditions', async () => {
    const { approval, rules } = open(() => ({
      verdict: 'always',
      input: { path: { equals: 'z' } },
    }));
    await approval.ask(question());
    expect(rules.list()).toEqual([]);
  });
});

describe('the events of an approval', () => {
  it('name the approver, the verdict, the request and the wait', async () => {
    const { approval, events } = open(() => ({ verdict: 'once', by: 'ada' }));
    const digest = await approval.ask(question({ risk: 'high' }));
    const about = { call: 'c1', plugin: 'notes', tool: 'remove', bundle: 'sha512-a', digest };
    expect(events).toMatchObject([
      { type: 'approval-asked', kind: 'call', risk: 'high', ...about },
      { type: 'approval-given', verdict: 'once', by: 'ada', ...about },
    ]);
    expect(events[1]).toHaveProperty('waitedMs');
    expect(events[0]).toHaveProperty('approval', (events[1] as { approval?: string }).approval);
  });

  it('name the rule that decided', async () => {
    const rules = makeRuleBook();
    const { id } = rules.add({ verdict: 'deny', plugin: '*', tool: 'remove', reason: 'never' });
    const { approval, events } = open(() => 'once', { rules });
    await expect(approval.ask(question())).rejects.toMatchObject({
      code: 'APPROVAL_DENIED',
      message: expect.stringContaining(id),
    });
    expect(events).toMatchObject([
      { type: 'approval-refused', reason: expect.stringContaining(id) },
    ]);
  });

  it('do not contain the query of a URL', async () => {
    const { approval, events } = open(() => 'once');
    const effect = { method: 'POST', url: 'https://a.test/x?key=secret', headers: [] };
    await approval.ask(question({ kind: 'effect', effect }));
    expect(JSON.stringify(events)).not.toContain('secret');
    expect(events[0]).toMatchObject({ effect: 'POST https://a.test/x?…' });
  });
});

it('refuses an input that is nested too deeply to be displayed', async () => {
  const { approval } = open(() => 'once');
  const inputText = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
  await expect(approval.ask(question({ inputText }))).rejects.toMatchObject({
    code: 'INVALID_INPUT',
  });
});

describe('a session answer with conditions', () => {
  it('covers the inputs that meet them, and asks about the others', async () => {
    const { approval, asked } = open(() => ({
      verdict: 'session',
      input: { repo: { equals: 'acme/heat' } },
      withoutSecrets: true,
    }));
    const ask = (input: object) => approval.ask(question({ inputText: JSON.stringify(input) }));
    await ask({ repo: 'acme/heat', body: 'one' });
    await ask({ repo: 'acme/heat', body: 'two' });
    expect(asked).toHaveLength(1);
    await ask({ repo: 'acme/heat', body: 'API_KEY=9f3c' });
    expect(asked).toHaveLength(2);
    await ask({ repo: 'acme/payroll', body: 'one' });
    await ask({ repo: 'acme/payroll', body: 'one' });
    // Its answer is about acme/heat, so it is for that call alone.
    expect(asked).toHaveLength(4);
  });
});
