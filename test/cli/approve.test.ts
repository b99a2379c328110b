import { describe, expect, it } from 'vitest';
import type { ApprovalRequest } from '../../src/index.js';
import { chooseApprover } from '../../src/cli/approve.js';

const request: ApprovalRequest = {
  callId: 'c',
  plugin: 'crm',
  tool: 'delete',
  title: 'Harmless \u202etxt.exe',
  input: { path: 'a\u001b[2K', note: '\u2066x', long: 'y'.repeat(5000) },
  why: 'its manifest says so',
  digest: 'd',
  signal: new AbortController().signal,
};

describe('asking at the terminal', () => {
  it('shows the whole input, with what would mislead escaped', async () => {
    let asked = '';
    await chooseApprover(false, {
      ask: (question) => {
        asked = question;
        return Promise.resolve('');
      },
    })?.(request);
    expect(asked).toContain('crm wants to run its tool delete');
    expect(asked).toContain('the plugin calls it  "Harmless \\u202etxt.exe"');
    expect(asked).toContain('y'.repeat(5000));
    expect(asked).toContain('a\\u001b[2K');
    expect(asked).not.toMatch(/[\u001b\u202e\u2066]/);
    expect(asked.endsWith('Run it? [y/N] ')).toBe(true);
  });

  it.each(['', 'n', 'no', 'yess', 'yno', 'true', '1', 'y n'])('takes %j for no', async (answer) => {
    const approve = chooseApprover(false, { ask: () => Promise.resolve(answer) });
    expect(await approve?.(request)).toMatchObject({ verdict: 'deny' });
  });

  it.each(['y', 'Y', ' yes '])('takes %j for yes, once', async (answer) => {
    const approve = chooseApprover(false, { ask: () => Promise.resolve(answer) });
    expect(await approve?.(request)).toBe('once');
  });

  it('does not ask where --yes was given', async () => {
    const approve = chooseApprover(true, { ask: () => Promise.reject(new Error('asked')) });
    expect(await approve?.(request)).toBe('once');
  });

  it('has nobody without a terminal', () => {
    expect(chooseApprover(false, {})).toBeUndefined();
  });
});
