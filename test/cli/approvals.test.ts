import { describe, expect, it } from 'vitest';
import { makeStoredApprovals } from '../../src/approval/stored-approvals.js';
import type { OperatorRequest } from '../../src/cli/capabilities.js';
import { open, question } from '../approval/asking.js';
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
  input: { a: 1 },
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
    environment: { BULKHEAD_ANSWER_TOKEN: 'sesame' },
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
  it('refuses a verdict that does not exist, before it asks the server', async () => {
    const odd = await approvals(`${ID} frobnicate`);
    expect(odd).toMatchObject({ code: 1, sent: [] });
    expect(odd.err).toContain('one of deny, once, session, always, not frobnicate');
  });

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
      expect(refused.err).toContain('use at least 12 characters of the id');
      expect(refused.sent.every(({ method }) => method === 'GET')).toBe(true);
    }
  });

  it('without a token lists and answers those of this machine, by the system’s user', async () => {
    const { store, approval } = open(undefined);
    const stored = makeStoredApprovals(store);
    const id = approval.request(question({ asker: 'bot', inputText: '{"path":"a\\u202e"}' }));
    const listed = await runFake(['approvals'], { approvals: stored });
    expect(listed.stdout.text).toContain(`${id}  [MEDIUM] notes:remove 1.0.0`);
    expect(listed.stdout.text).toContain('  asked by      bot\n');
    expect(listed.stdout.text).toContain('a\\u202e');
    const wrong = await runFake(['approvals', id, 'maybe'], { approvals: stored });
    expect(wrong.stderr.text).toContain('the answer is one of deny, once, session, always');
    const answered = await runFake(['approvals', id, 'once'], { approvals: stored });
    expect(answered.code).toBe(0);
    expect(store.find(id)).toMatchObject({
      state: 'approved',
      answer: { by: 'operator', approver: 'person', channel: 'command-line' },
    });
    const empty = await runFake(['approvals'], { approvals: stored });
    expect(empty.stdout.text).toBe('no approval is pending\n');
  });

  it('names the command that lists, if an id has no answer', async () => {
    const { code, stderr } = await runFake(['approvals', 'list']);
    expect(code).toBe(1);
    expect(stderr.text).toContain('the answer to list is missing: deny, once, session or always');
    expect(stderr.text).toContain('`bulkhead approvals` alone lists what is pending');
  });

  it('needs the token to answer for a server', async () => {
    const { code, stderr } = await runFake(['approvals', '--url', 'http://127.0.0.1:1']);
    expect(code).toBe(1);
    expect(stderr.text).toContain('use --token TEXT or BULKHEAD_ANSWER_TOKEN');
  });

  it('says of another server that it is none of ours', async () => {
    const { code, err } = await approvals('', '<html>');
    expect(code).toBe(1);
    expect(err).toContain('is not a Bulkhead server; its response is not JSON');
  });
});
