import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type NoticeOptions, type Notices, sendNotices } from '../../src/http/notices.js';
import type { Engine } from '../../src/index.js';
import { makePlugin, silentLogger, startEngine } from '../engine/plugin-on-disk.js';

const SECRET = 'a secret of 24 characters';

interface Received {
  readonly body: string;
  readonly headers: Readonly<Record<string, unknown>>;
}

describe('notices of pending approvals', () => {
  let engine: Engine;
  let url = '';
  const received: Received[] = [];
  /** The statuses of the next answers. */
  const statuses: number[] = [];
  const hook = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      received.push({ body, headers: request.headers });
      const status = statuses.shift() ?? 200;
      response.writeHead(status, status === 307 ? { location: `${url}/elsewhere` } : {}).end();
    });
  });
  const open: Notices[] = [];
  const start = (more: Partial<NoticeOptions> = {}): string[] => {
    const warnings: string[] = [];
    open.splice(0).forEach((one) => one.close());
    open.push(
      sendNotices({
        engine,
        targets: [{ url, secret: SECRET, ...more }],
        origin: () => 'https://desk.example',
        logger: { ...silentLogger, warn: (_fields, message) => void warnings.push(message) },
        attemptsMs: [0, 1, 1],
      }),
    );
    return warnings;
  };

  beforeAll(async () => {
    await new Promise<void>((resolve) => hook.listen(0, '127.0.0.1', resolve));
    const address = hook.address();
    url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
    engine = await startEngine([
      makePlugin({
        id: 'mail',
        tools: { send: '(input) => input' },
        entry: { requireApproval: true },
      }),
    ]);
  });
  afterAll(() => {
    for (const one of open) one.close();
    hook.close();
  });

  it('are signed with the bytes after whsec_, which are Base64', async () => {
    const key = Buffer.alloc(32, 7);
    start({ secret: `whsec_${key.toString('base64')}` });
    await engine.approvals.request('mail:send', { to: 'bob' });
    await expect.poll(() => received.length).toBe(1);
    const [{ body, headers } = { body: '', headers: {} }] = received.splice(0);
    const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`;
    expect(headers['webhook-signature']).toBe(
      `v1,${createHmac('sha256', key).update(signed).digest('base64')}`,
    );
  });

  it('are signed, name the question, and hold no input', async () => {
    start();
    const id = await engine.approvals.request('mail:send', { to: 'ann', text: 'private words' });
    await expect.poll(() => received.length).toBe(1);
    const [{ body, headers } = { body: '', headers: {} }] = received;
    const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`;
    expect(headers['webhook-signature']).toBe(
      `v1,${createHmac('sha256', SECRET).update(signed).digest('base64')}`,
    );
    expect(JSON.parse(body)).toMatchObject({
      type: 'approval.pending',
      data: {
        approvalId: id,
        tool: 'mail:send',
        url: `https://desk.example/console/approvals/${id}`,
      },
    });
    expect(body).not.toContain('private');
  });

  it('are sent again if they fail, with the same id, and follow no redirect', async () => {
    received.length = 0;
    const warnings = start();
    statuses.push(500, 200);
    await engine.approvals.request('mail:send', { n: 2 });
    await expect.poll(() => received.length).toBe(2);
    expect(received[0]?.headers['webhook-id']).toBe(received[1]?.headers['webhook-id']);
    expect(warnings).toEqual([]);
    received.length = 0;
    statuses.push(307, 307, 307);
    await engine.approvals.request('mail:send', { n: 3 });
    await expect.poll(() => warnings).toEqual(['a notice was not delivered']);
    expect(received).toHaveLength(3);
  });

  it('are not sent for questions that a rule or an earlier answer decides', async () => {
    received.length = 0;
    start();
    engine.rules.add({ verdict: 'deny', plugin: 'mail', tool: 'send' });
    expect((await engine.call('mail:send', { n: 4 })).code).toBe('APPROVAL_DENIED');
    await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setImmediate(resolve));
    expect(received).toEqual([]);
  });

  it.each([
    [{ url: 'http://hooks.example/x' }, 'needs an https URL'],
    [{ url: 'https://ann:secret@hooks.example/' }, 'must not hold a password'],
    [{ secret: 'short' }, 'at least 24 characters'],
    [{ secret: `whsec_${Buffer.from('a key of 20 bytes!!!').toString('base64')}` }, '24 bytes'],
    [{ url: 'nonsense' }, 'is not a URL'],
  ])('need a safe address and a key: %j', (more, message) => {
    expect(() => start(more)).toThrow(message);
  });

  it('wait in a queue of a hundred', async () => {
    const warnings = start();
    for (const rule of engine.rules.list()) engine.rules.remove(rule.id);
    let finish: () => void = () => {};
    open.splice(0).forEach((one) => one.close());
    const sent: string[] = [];
    open.push(
      sendNotices({
        engine,
        targets: [{ url, secret: SECRET }],
        origin: undefined,
        logger: { ...silentLogger, warn: (_fields, message) => void warnings.push(message) },
        fetch: () =>
          new Promise((resolve) => {
            sent.push('');
            const before = finish;
            finish = () => {
              before();
              resolve(new Response());
            };
          }),
      }),
    );
    for (let n = 0; n < 110; n += 1) {
      // A tenant has at most 100 pending questions.
      await engine.approvals.request('mail:send', { n }, { tenant: `t${n % 2}` });
    }
    await expect.poll(() => warnings.length).toBe(10);
    expect(sent).toHaveLength(100);
    finish();
  });
});
