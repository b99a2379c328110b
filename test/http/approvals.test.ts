import { describe, expect, it } from 'vitest';
import { makeStoredApprovals } from '../../src/approval/stored-approvals.js';
import { type App, createApp } from '../../src/http/app.js';
import { approvalRoutes } from '../../src/http/approvals.js';
import { open, question } from '../approval/asking.js';

function setUp(hosts: readonly string[] = [], openLoopback = false) {
  const { approval, store, events } = open(undefined, { timeoutMs: 5_000 });
  approval.onRequest(() => {});
  const app: App = createApp({
    engine: {
      listing: () => [],
    },
    routes: approvalRoutes({ approvals: makeStoredApprovals(store, approval.answer) }),
    door: {
      credentials: {
        call: 'may-call',
        view: 'may-view',
        answer: 'sesame',
        administer: 'may-admin',
      },
      // Approvals require the token even if other routes do not.
      openLoopback,
      hosts: new Set(hosts),
    },
  });
  const send = (path: string, body?: unknown, headers: Record<string, string> = {}) =>
    app.fetch(
      new Request(`http://127.0.0.1${path}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers: {
          authorization: 'Bearer sesame',
          'content-type': 'application/json',
          ...headers,
        },
        ...(body === undefined
          ? {}
          : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      }),
    );
  const first = async () => {
    const { approvals } = (await (await send('/api/approvals')).json()) as {
      approvals: { approvalId: string; digest: string }[];
    };
    return approvals[0] ?? { approvalId: '', digest: '' };
  };
  return { approval, send, first, events };
}

describe('pending approvals over HTTP', () => {
  it('are listed with everything needed to decide, and answered by id and digest', async () => {
    const { approval, send, first, events } = setUp();
    const asked = approval.ask(question({ inputText: '{"path":"a\u202e.md"}' }));
    const listed = await first();
    expect(listed).toMatchObject({
      plugin: 'notes',
      tool: 'remove',
      risk: 'medium',
      shown: '{\n  "path": "a\\u202e.md"\n}',
    });
    const { approvalId, digest } = listed;
    const answer = { verdict: 'once', digest, by: 'ada' };
    const response = await send(`/api/approvals/${approvalId}`, answer);
    expect(response.status).toBe(200);
    await asked;
    expect(events.at(-1)).toMatchObject({
      type: 'approval-given',
      by: 'ada, with the token to answer',
      approver: 'program',
      channel: 'http',
    });
    expect((await send(`/api/approvals/${approvalId}`, answer)).status).toBe(409);
    expect((await send('/api/approvals/%zz', answer)).status).toBe(404);
  });

  it.each([
    ['without the token', { authorization: '' }],
    ['with another token', { authorization: 'Bearer Sesame' }],
  ])('require the operator’s token: %s', async (_, headers) => {
    const { approval, send, first } = setUp();
    const asked = approval.ask(question());
    const { approvalId, digest } = await first();
    expect((await send('/api/approvals', undefined, headers)).status).toBe(401);
    const path = `/api/approvals/${approvalId}`;
    expect((await send(path, { verdict: 'once', digest }, headers)).status).toBe(401);
    await send(path, { verdict: 'deny', digest });
    await expect(asked).rejects.toMatchObject({ code: 'APPROVAL_DENIED' });
  });

  it('can be viewed with the token to view, and only answered with the token to answer', async () => {
    for (const openLoopback of [false, true]) {
      const { approval, send, first } = setUp([], openLoopback);
      const asked = approval.ask(question());
      const { approvalId, digest } = await first();
      const viewing = { authorization: 'Bearer may-view' };
      expect((await send('/api/approvals', undefined, viewing)).status).toBe(200);
      const path = `/api/approvals/${approvalId}`;
      for (const token of ['may-view', 'may-call']) {
        const headers = { authorization: `Bearer ${token}` };
        expect((await send(path, { verdict: 'once', digest }, headers)).status).toBe(403);
      }
      await send(path, { verdict: 'deny', digest });
      await expect(asked).rejects.toMatchObject({ code: 'APPROVAL_DENIED' });
    }
  });

  it('accept no answer from a page of another origin', async () => {
    const { send } = setUp(['127.0.0.1']);
    const headers = { host: '127.0.0.1', origin: 'https://evil.test' };
    expect((await send('/api/approvals/x', { verdict: 'once', digest: 'd' }, headers)).status).toBe(
      403,
    );
  });

  it.each([
    ['no JSON', '{', 400],
    ['no object', [], 400],
    ['no verdict', { digest: 'd' }, 400],
    ['another word', { verdict: 'yes', digest: 'd' }, 400],
    ['no digest', { verdict: 'once' }, 400],
    ['another digest', { verdict: 'once', digest: 'd' }, 409],
    ['a body without end', { verdict: 'once', reason: 'x'.repeat(2_000_000) }, 413],
  ])('accept no answer with %s', async (_, body, status) => {
    const { approval, send, first } = setUp();
    const asked = approval.ask(question());
    const { approvalId, digest } = await first();
    expect((await send(`/api/approvals/${approvalId}`, body)).status).toBe(status);
    await send(`/api/approvals/${approvalId}`, { verdict: 'deny', digest });
    await expect(asked).rejects.toMatchObject({ code: 'APPROVAL_DENIED' });
  });

  it('do not allow always for high risk', async () => {
    const { approval, send, first } = setUp();
    const asked = approval.ask(question({ risk: 'high' }));
    const { approvalId, digest } = await first();
    const path = `/api/approvals/${approvalId}`;
    expect((await send(path, { verdict: 'always', digest })).status).toBe(409);
    expect((await send(path, { verdict: 'once', digest })).status).toBe(200);
    await asked;
  });
});
