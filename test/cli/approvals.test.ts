import { describe, expect, it } from 'vitest';
import type { OperatorRequest } from '../../src/cli/powers.js';
import { runFake } from './fake.js';

const ID = 'apr_1f0c2d3e-0000-4000-8000-000000000000';

const waiting = {
  approvalId: ID,
  digest: 'd1',
  id: 'crm:sync',
  risk: 'medium',
  why: 'it is about to \u001b[2Jsend',
  offers: ['deny', 'once'],
  expiresAtMs: 0,
  shown: '{\n  "a": 1\n}',
  effect: {
    method: 'POST',
    url: 'https://api.test/all?\u202eto=everybody',
    headers: [['x-mode', 'wipe\u009b2J']],
    body: 'first line\n\u001b[8msecond line',
    bodyBytes: 23,
  },
};

/** The command line against a server with that one question. */
async function approvals(line: string, answer: unknown = { approvals: [waiting] }) {
  const sent: OperatorRequest[] = [];
  const done = await runFake(['approvals', ...line.split(' ').filter(Boolean)], {
    environment: { BULKHEAD_TOKEN: 'sesame' },
    http: (_url, request) => {
      sent.push(request);
      return Promise.resolve({
        status: 200,
        text: typeof answer === 'string' ? answer : JSON.stringify(answer),
      });
    },
  });
  return { ...done, sent, out: done.stdout.text, err: done.stderr.text };
}

describe('bulkhead approvals', () => {
  it('shows all of what a running tool is about to send, with what would mislead escaped', async () => {
    const { code, out } = await approvals('');
    expect(code).toBe(0);
    expect(out).toContain('    POST https://api.test/all?\\u202eto=everybody\n');
    expect(out).toContain('    x-mode: wipe\\u009b2J\n');
    expect(out).toContain('    first line\n    \\u001b[8msecond line\n    (23 bytes)\n');
    expect(out).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u);
  });

  it('answers by the beginning of an id that no other is likely to have', async () => {
    const { code, sent } = await approvals(`${ID.slice(0, 12)} once`);
    expect(code).toBe(0);
    expect(JSON.parse(sent[1]?.body ?? '')).toMatchObject({ verdict: 'once', digest: 'd1' });
    for (const short of ['apr_', 'apr_1f', ID.slice(0, 11)]) {
      const refused = await approvals(`${short} once`);
      expect(refused.code).toBe(1);
      expect(refused.err).toContain('write 12 characters of its id at least');
      expect(refused.sent.every(({ method }) => method === 'GET')).toBe(true);
    }
  });

  it('says of another server that it is none of ours', async () => {
    const { code, err } = await approvals('', '<html>');
    expect(code).toBe(1);
    expect(err).toContain('answers with no JSON');
  });
});
