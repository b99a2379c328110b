import { describe, expect, it } from 'vitest';
import { chooseApprover } from '../../src/cli/approve.js';
import type { ApprovalRequest } from '../../src/index.js';

const request: ApprovalRequest = {
  approvalId: 'apr_1',
  kind: 'call',
  callId: 'c',
  plugin: 'crm',
  version: '1.2.3',
  bundle: 'sha512-a',
  tool: 'delete',
  id: 'crm:delete',
  title: 'Harmless \u202etxt.exe',
  input: { path: 'a' },
  shown: `{\n  "path": "a\\u001b[2K",\n  "long": "${'y'.repeat(5000)}"\n}`,
  risk: 'medium',
  riskWhy: 'so',
  why: 'its manifest says so',
  digest: 'd',
  offers: ['deny', 'once', 'session', 'always'],
  askedAtMs: 0,
  waitsUntilMs: 60_000,
  expiresAtMs: 60_000,
  signal: new AbortController().signal,
};
const high: ApprovalRequest = { ...request, risk: 'high', offers: ['deny', 'once'] };

async function shown(about: ApprovalRequest, colour = false): Promise<string> {
  let asked = '';
  const stderr = { write: () => Promise.resolve(), isTerminal: true, colour, closed: false };
  await chooseApprover(false, {
    operator: 'ann',
    ask: (question) => {
      asked = question;
      return Promise.resolve('');
    },
    stderr,
  })?.(about);
  return asked;
}

describe('asking at the terminal', () => {
  it('shows the whole input, and below it who wants what, with what would mislead escaped', async () => {
    const asked = await shown(request);
    expect(asked).toContain('crm 1.2.3 wants to run its tool delete');
    expect(asked).toContain('the plugin calls it  "Harmless \\u202etxt.exe"');
    expect(asked).toContain('y'.repeat(5000));
    expect(asked.indexOf('wants to run')).toBeGreaterThan(asked.indexOf('yyyy'));
    expect(asked).not.toMatch(/[\u001b\u202e\u2066]/);
    expect(asked.endsWith('[N]o: ')).toBe(true);
  });

  it('marks high risk by a word, and by red if there is colour', async () => {
    expect(await shown(high)).toContain('[HIGH RISK] crm');
    expect(await shown(high, true)).toContain('\u001b[31m[HIGH RISK]');
  });

  it('shows the very request that a running tool is about to send', async () => {
    const asked = await shown({
      ...request,
      kind: 'effect',
      effect: {
        method: 'POST',
        url: 'https://api.test/\u202ex',
        headers: [['x-a', '\u001b[0m']],
        body: 'all of it',
        bodyBytes: 9,
      },
    });
    expect(asked).toContain('which wants to send POST https://api.test/\\u202ex');
    expect(asked).toContain('x-a: \\u001b[0m');
    expect(asked).toContain('    all of it\n    (9 bytes)');
  });

  it.each(['', 'n', 'no', 'yess', 'yno', 'true', '1', 'y n', '__proto__', 'constructor'])(
    'takes %j for no',
    async (answer) => {
      const approve = chooseApprover(false, {
        operator: 'ann',
        ask: () => Promise.resolve(answer),
      });
      expect(await approve?.(request)).toMatchObject({ verdict: 'deny' });
      expect(await approve?.(high)).toMatchObject({ verdict: 'deny' });
    },
  );

  it.each([
    ['y', 'once'],
    ['Y', 'once'],
    [' yes ', 'once'],
    ['s', 'session'],
    ['always', 'always'],
  ])('takes %j for %s', async (answer, verdict) => {
    const approve = chooseApprover(false, { operator: 'ann', ask: () => Promise.resolve(answer) });
    expect(await approve?.(request)).toMatchObject({ verdict });
  });

  it.each(['y', 'Y', 's', 'a', 'always', 'session'])(
    'reads %j as no if the risk is high: one key is not consent',
    async (answer) => {
      const approve = chooseApprover(false, {
        operator: 'ann',
        ask: () => Promise.resolve(answer),
      });
      expect(await approve?.(high)).toMatchObject({ verdict: 'deny' });
    },
  );

  it('reads a whole yes as once if the risk is high', async () => {
    const approve = chooseApprover(false, { operator: 'ann', ask: () => Promise.resolve('yes') });
    expect(await approve?.(high)).toMatchObject({ verdict: 'once' });
  });

  it('asks one question after another, and none that is moot by then', async () => {
    const moot = new AbortController();
    const asked: string[] = [];
    let answer: (line: string) => void = () => {};
    const approve = chooseApprover(false, {
      operator: 'ann',
      ask: (question) => {
        asked.push(question);
        return new Promise((resolve) => (answer = resolve));
      },
    });
    const first = approve?.(request);
    const second = approve?.({ ...request, signal: moot.signal });
    await new Promise((resolve) => setImmediate(resolve));
    expect(asked.length).toBe(1);
    moot.abort();
    answer('y');
    expect(await first).toMatchObject({ verdict: 'once' });
    expect(await second).toMatchObject({ verdict: 'deny' });
    expect(asked.length).toBe(1);
  });

  it('does not ask if --yes was given', async () => {
    const approve = chooseApprover(true, {
      operator: 'ann',
      ask: () => Promise.reject(new Error('asked')),
    });
    expect(await approve?.(request)).toEqual({
      verdict: 'once',
      approver: 'flag',
      channel: 'command-line',
      by: 'ann',
    });
  });

  it('does not exist without a terminal', () => {
    expect(chooseApprover(false, { operator: 'ann' })).toBeUndefined();
  });
});
