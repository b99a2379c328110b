import { describe, expect, it } from 'vitest';
import { makeMemoryFiles, MAX_PENDING } from '../../src/approval/store.js';
import { open, question } from './asking.js';

const soon = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const ANN = { by: 'ann', approver: 'person', channel: 'http' } as const;

/** A store with one question of no waiting call. */
function asked(changed: Parameters<typeof question>[0] = {}, clock = { ms: 1_000 }) {
  const files = makeMemoryFiles();
  const opened = open(undefined, { files, now: () => clock.ms });
  const id = opened.approval.request(question(changed));
  return { ...opened, id, files, clock };
}

const invalid = (why: string) =>
  expect.objectContaining({
    code: 'APPROVAL_INVALID',
    details: expect.objectContaining({ why }) as unknown,
  }) as Error;

/** The digest of what was approved. */
const DIGEST = /^[0-9a-f]{64}$/;

describe('a stored question', () => {
  it('is pending until its first answer', () => {
    const { approval, store, id } = asked();
    expect(store.pending()).toMatchObject([{ approvalId: id, plugin: 'notes', tool: 'remove' }]);
    approval.answer(id, { verdict: 'once', ...ANN });
    expect(store.pending()).toEqual([]);
    expect(store.find(id)).toMatchObject({ state: 'approved', answer: { by: 'ann' } });
    expect(() => approval.answer(id, { verdict: 'deny', ...ANN })).toThrow(invalid('answered'));
    expect(store.find(id)?.answer?.verdict).toBe('once');
  });

  it('is answered only with the displayed digest, and only with an offered verdict', () => {
    const { approval, store, id } = asked({ risk: 'high' });
    const { digest } = store.pending()[0] ?? {};
    expect(() => approval.answer(id, { verdict: 'once', ...ANN }, 'other')).toThrow(
      invalid('another'),
    );
    expect(() => approval.answer(id, { verdict: 'always', ...ANN })).toThrow(
      invalid('not-offered'),
    );
    expect(() => approval.answer('apr_x', { verdict: 'once', ...ANN })).toThrow(invalid('unknown'));
    approval.answer(id, { verdict: 'once', ...ANN }, digest);
    expect(store.find(id)?.state).toBe('approved');
  });

  it.each(['../../etc/passwd', 'apr_../x', '', 'apr_00000000-0000-0000-0000-000000000000/..'])(
    'is not read from another file: %j',
    (id) => {
      const { store, files } = asked();
      const read: string[] = [];
      const { store: spied } = open(undefined, {
        files: { ...files, read: (name) => (read.push(name), files.read(name)) },
      });
      expect(spied.find(id)).toBeUndefined();
      expect(read).toEqual([]);
      expect(store.pending()).toHaveLength(1);
    },
  );

  it('expires unanswered, and its approval expires unspent', () => {
    const clock = { ms: 1_000 };
    const { approval, store, id } = asked({}, clock);
    const { approval: other, store: second, id: answered } = asked({}, clock);
    other.answer(answered, { verdict: 'once', ...ANN });
    clock.ms += 600_000;
    expect(store.pending()).toEqual([]);
    expect(() => approval.answer(id, { verdict: 'once', ...ANN })).toThrow(invalid('expired'));
    expect(second.find(answered)?.state).toBe('expired');
    expect(() => other.spend(answered, question())).toThrow(
      expect.objectContaining({ code: 'APPROVAL_TIMEOUT' }) as Error,
    );
  });

  it('is removed an hour after its expiry', () => {
    const clock = { ms: 1_000 };
    const { approval, store, id, files } = asked({}, clock);
    clock.ms += 600_000 + 3_600_000;
    approval.request(question());
    expect(store.find(id)).toBeUndefined();
    expect(files.names()).toHaveLength(1);
  });

  it(`is one of at most ${MAX_PENDING} of its tenant, and another tenant can still ask`, () => {
    const { approval } = asked({ tenant: 'a' });
    for (let n = 1; n < MAX_PENDING; n += 1) approval.request(question({ tenant: 'a' }));
    expect(() => approval.request(question({ tenant: 'a' }))).toThrow('100 requests are pending');
    const other = approval.request(question({ tenant: 'b' }));
    expect(other).toMatch(/^apr_/);
  });

  it('does not count with a damaged text, and a damaged end still ends it', () => {
    const { store, approval, id, files } = asked();
    approval.answer(id, { verdict: 'once', ...ANN });
    files.create(`${id}.end.json`, '{');
    expect(store.find(id)?.state).toBe('spent');
    const other = 'apr_00000000-0000-0000-0000-000000000000';
    files.create(`${other}.question.json`, '{"approvalId":1}');
    expect(store.find(other)).toBeUndefined();
    const copied = files.read(`${id}.question.json`) ?? '';
    const moved = 'apr_00000000-0000-0000-0000-000000000001';
    files.create(`${moved}.question.json`, copied);
    expect(store.find(moved)).toBeUndefined();
  });

  it('is not approved by a planted answer to another digest', () => {
    const { store, id, files } = asked();
    const answer = { verdict: 'once', by: 'eve', atMs: 1, digest: 'other' };
    files.create(`${id}.answer.json`, JSON.stringify(answer));
    expect(store.find(id)?.answer).toBeUndefined();
  });
});

describe('an approval', () => {
  it('is spent once, for exactly its question, also after a restart', () => {
    const { approval, id, files } = asked();
    expect(() => approval.spend(id, question())).toThrow(
      expect.objectContaining({ code: 'APPROVAL_REQUIRED' }) as Error,
    );
    approval.answer(id, { verdict: 'once', ...ANN });
    const { approval: restarted, events } = open(undefined, { files, now: () => 2_000 });
    restarted.spend(id, question());
    expect(events.at(-1)).toMatchObject({
      type: 'approval-given',
      approval: id,
      by: 'ann',
      approver: 'person',
      channel: 'http',
      waitedMs: 1_000,
    });
    expect(() => restarted.spend(id, question())).toThrow(invalid('spent'));
    expect(() => approval.spend(id, question())).toThrow(invalid('spent'));
  });

  it('of two processes that spend it at once, one gets it', () => {
    const { id, approval, files } = asked();
    approval.answer(id, { verdict: 'once', ...ANN });
    const raced = open(undefined, {
      files: {
        ...files,
        create: (name, text) => {
          // Another process is faster between the check and the spending.
          if (name.endsWith('.end.json')) files.create(name, '{"how":"spent","atMs":1}');
          return files.create(name, text);
        },
      },
      now: () => 1_000,
    });
    expect(() => raced.approval.spend(id, question())).toThrow(invalid('spent'));
  });

  it.each([
    ['input', { inputText: '{"path":"b.md"}' }],
    ['code', { bundle: 'sha512-b' }],
    ['tool', { tool: 'add' }],
    ['grant or configuration', { terms: { grant: { network: ['evil.test'] } } }],
    ['risk', { risk: 'low' as const }],
  ])('does not cover another %s', (_, changed) => {
    const { approval, id } = asked();
    approval.answer(id, { verdict: 'once', ...ANN });
    expect(() => approval.spend(id, question(changed))).toThrow(invalid('another'));
    expect(approval.spend(id, question())).toMatch(DIGEST);
  });

  it('does not exist for another tenant', () => {
    const { approval, id } = asked({ tenant: 'a' });
    approval.answer(id, { verdict: 'once', ...ANN });
    expect(() => approval.spend(id, question({ tenant: 'b' }))).toThrow(invalid('unknown'));
    expect(() => approval.spend(id, question())).toThrow(invalid('unknown'));
    expect(approval.spend(id, question({ tenant: 'a' }))).toMatch(DIGEST);
  });

  it('is void after a denial, a withdrawal, or a rule that denies since', () => {
    const denied = asked();
    denied.approval.answer(denied.id, { verdict: 'deny', reason: 'no', ...ANN });
    expect(() => denied.approval.spend(denied.id, question())).toThrow(
      'notes:remove was not approved: no.',
    );
    const withdrawn = asked();
    withdrawn.approval.answer(withdrawn.id, { verdict: 'once', ...ANN });
    withdrawn.store.end(withdrawn.id, 'withdrawn');
    expect(() => withdrawn.approval.spend(withdrawn.id, question())).toThrow(invalid('withdrawn'));
    const ruled = asked();
    ruled.approval.answer(ruled.id, { verdict: 'once', ...ANN });
    ruled.rules.add({ verdict: 'deny', plugin: 'notes', tool: '*' });
    expect(() => ruled.approval.spend(ruled.id, question())).toThrow('is denied by rule');
  });

  it('for the session or for good applies to later calls once it was spent', async () => {
    const { approval, id, rules } = asked();
    approval.answer(id, { verdict: 'session', ...ANN });
    approval.spend(id, question());
    await approval.ask(question({ inputText: '{}' }));
    const second = approval.request(question({ tool: 'add' }));
    approval.answer(second, { verdict: 'always', ...ANN });
    approval.spend(second, question({ tool: 'add' }));
    expect(rules.list()).toMatchObject([{ verdict: 'allow', tool: 'add', by: 'ann' }]);
  });
});

describe('a call without an approver', () => {
  it('waits for the stored answer while there is a listener', async () => {
    const { approval, store, events } = open(undefined);
    await expect(approval.ask(question())).rejects.toMatchObject({ code: 'APPROVAL_REQUIRED' });
    const seen: string[] = [];
    const unsubscribe = approval.onRequest(({ approvalId }) => seen.push(approvalId));
    const waiting = approval.ask(question());
    await soon();
    const [pending] = store.pending();
    expect(seen).toEqual([pending?.approvalId]);
    approval.answer(pending?.approvalId ?? '', { verdict: 'once', ...ANN });
    await waiting;
    expect(store.find(pending?.approvalId ?? '')?.state).toBe('spent');
    expect(events.map(({ type }) => type)).toEqual([
      'approval-refused',
      'approval-asked',
      'approval-answered',
      'approval-given',
    ]);
    unsubscribe();
    await expect(approval.ask(question())).rejects.toMatchObject({ code: 'APPROVAL_REQUIRED' });
  });

  it('finds an answer that another process gave', async () => {
    const files = makeMemoryFiles();
    const { approval, store } = open(undefined, { files });
    approval.onRequest(() => {});
    const waiting = approval.ask(question());
    await soon();
    const { approvalId = '' } = store.pending()[0] ?? {};
    const other = open(undefined, { files });
    other.store.answer(approvalId, { verdict: 'deny', reason: 'not now', ...ANN });
    await expect(waiting).rejects.toThrow('notes:remove was not approved: not now.');
  });

  it('times out, and its question can still be answered and spent', async () => {
    const { approval, store } = open(undefined, { timeoutMs: 5 });
    approval.onRequest(() => {});
    const error = (await approval.ask(question()).catch((reason: unknown) => reason)) as {
      code: string;
      details: { approval: string };
    };
    expect(error.code).toBe('APPROVAL_TIMEOUT');
    const { approval: id } = error.details;
    expect(store.pending()).toMatchObject([{ approvalId: id }]);
    approval.answer(id, { verdict: 'once', ...ANN });
    approval.spend(id, question());
  });

  it('withdraws its question when it is cancelled', async () => {
    const { approval, store } = open(undefined);
    approval.onRequest(() => {});
    const end = new AbortController();
    const waiting = approval.ask(question({ signal: end.signal }));
    await soon();
    const { approvalId = '' } = store.pending()[0] ?? {};
    end.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(() => approval.answer(approvalId, { verdict: 'once', ...ANN })).toThrow(
      invalid('withdrawn'),
    );
  });

  it('does not wait for the answer to a request of a running tool after its timeout', async () => {
    const { approval, store } = open(undefined, { timeoutMs: 5 });
    approval.onRequest(() => {});
    const effect = { method: 'POST', url: 'https://api.test/', headers: [] };
    const waiting = approval.ask(question({ kind: 'effect', effect }));
    await expect(waiting).rejects.toMatchObject({ code: 'APPROVAL_TIMEOUT' });
    expect(store.pending()).toEqual([]);
  });

  it('is not decided by its caller’s approver while the host answers', async () => {
    const { approval } = open(undefined, { timeoutMs: 5 });
    approval.onRequest(() => {});
    const waiting = approval.ask(question({ approve: () => 'once' }));
    await expect(waiting).rejects.toMatchObject({ code: 'APPROVAL_TIMEOUT' });
  });

  it('ends with the engine, and its question outlives it', async () => {
    const { approval, store } = open(undefined);
    approval.onRequest(() => {});
    const waiting = approval.ask(question());
    await soon();
    approval.close();
    await expect(waiting).rejects.toMatchObject({ code: 'ENGINE_CLOSED' });
    expect(store.pending()).toHaveLength(1);
  });
});

describe('a call with an approver', () => {
  it('can also be answered through the store', async () => {
    const { approval, store } = open(() => new Promise(() => {}));
    const waiting = approval.ask(question());
    await soon();
    const { approvalId = '', digest } = store.pending()[0] ?? {};
    approval.answer(approvalId, { verdict: 'once', ...ANN });
    expect(await waiting).toBe(digest);
  });

  it('leaves nothing behind when the approver answers', async () => {
    const files = makeMemoryFiles();
    const { approval } = open(() => 'once', { files });
    await approval.ask(question());
    expect(files.names()).toEqual([]);
  });

  it('is denied if its approval cannot be stored', async () => {
    const files = makeMemoryFiles();
    const full = () => {
      throw new Error('ENOSPC');
    };
    const { approval } = open(() => 'once', { files: { ...files, create: full } });
    await expect(approval.ask(question())).rejects.toThrow(
      'the approval cannot be stored: ENOSPC. Check the storage directory',
    );
  });
});
