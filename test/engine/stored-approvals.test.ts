import { mkdirSync, readdirSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openApprovals } from '../../src/entry-points/approval.js';
import type { EngineOptions } from '../../src/index.js';
import { makeDirectory, makePlugin, startEngine } from './plugin-on-disk.js';

const ANN = { by: 'ann', approver: 'person', channel: 'http' } as const;
const INPUT = { to: 'all', n: 1 };

const source = `let runs = 0;
export const tools = [{ id: 'send', name: 'Send', description: 'd',
  annotations: { readOnlyHint: false, destructiveHint: true },
  execute: (input) => ({ ...input, runs: ++runs }) }];`;

/** Starts engines over one storage directory and one plugin whose tool needs approval. */
function host(options: Partial<EngineOptions> = {}, fs: readonly string[] = []) {
  const storageDirectory = makeDirectory();
  const directory = makePlugin({
    id: 'mail',
    source,
    entry: { requireApproval: true },
    permissions: { network: ['a.test', 'b.test'], fs },
  });
  return {
    storageDirectory,
    directory,
    start: (more: Partial<EngineOptions> = {}) =>
      startEngine([directory], { storageDirectory, ...options, ...more }),
  };
}

describe('engine.approvals', () => {
  it('previews, asks, survives a restart of the host, and runs exactly that call once', async () => {
    const { start, storageDirectory } = host();
    const first = await start();
    const decision = first.previewCall('mail:send', INPUT);
    expect(decision).toMatchObject({ verdict: 'ask' });
    const id = await first.approvals.request('mail:send', INPUT, { asker: 'bot 7' });
    expect(first.approvals.list()).toMatchObject([
      { approvalId: id, asker: 'bot 7', input: INPUT, digest: decision.digest },
    ]);
    await first.close();

    const directory = join(storageDirectory, '.approvals');
    expect(statSync(join(directory, readdirSync(directory)[0] ?? '')).mode & 0o777).toBe(0o600);
    await openApprovals(storageDirectory).answer(id, { verdict: 'once', ...ANN });

    const second = await start();
    const changed = await second.call('mail:send', { ...INPUT, to: 'boss' }, { approval: id });
    expect(changed).toMatchObject({ isError: true, code: 'APPROVAL_INVALID' });
    const [one, two] = await Promise.all([
      second.call('mail:send', INPUT, { approval: id }),
      second.call('mail:send', INPUT, { approval: id }),
    ]);
    expect(new Set([one.code, two.code])).toEqual(new Set([undefined, 'APPROVAL_INVALID']));
    expect((one.isError ? two : one).value).toEqual({ ...INPUT, runs: 1 });
    await second.close();
    const third = await start();
    expect(await third.call('mail:send', INPUT, { approval: id })).toMatchObject({
      code: 'APPROVAL_INVALID',
    });
    expect(third.approvals.get(id)).toMatchObject({ state: 'spent', answer: { by: 'ann' } });
  });

  it('finds a question by the reference of its caller, for its tenant only', async () => {
    const { start } = host();
    const engine = await start();
    const { approvals } = engine;
    const options = { tenant: 'a', reference: 'call 1' };
    const id = await approvals.request('mail:send', INPUT, options);
    // The same call is asked about once.
    expect(await approvals.request('mail:send', INPUT, options)).toBe(id);
    expect(approvals.find(options)).toMatchObject({
      state: 'pending',
      question: { approvalId: id },
    });
    expect(approvals.find({ reference: 'call 1' })).toBeUndefined();
    expect(approvals.find({ reference: 'call 1', tenant: 'b' })).toBeUndefined();
    const other = await approvals.request('mail:send', { ...INPUT, n: 2 }, options);
    expect(other).not.toBe(id);
    const { digest } = approvals.get(id)?.question ?? {};
    expect(
      approvals.find({ ...options, ...(digest === undefined ? {} : { digest }) }),
    ).toMatchObject({ question: { approvalId: id } });
    await approvals.answer(id, { verdict: 'once', ...ANN });
    expect(await approvals.request('mail:send', INPUT, options)).toBe(id);
    await engine.call('mail:send', INPUT, { tenant: 'a', approval: id });
    expect(await approvals.request('mail:send', INPUT, options)).not.toBe(id);
    await expect(
      approvals.request('mail:send', INPUT, { reference: 'x'.repeat(1_001) }),
    ).rejects.toMatchObject({ code: 'INVALID_OPTIONS', details: { option: 'reference' } });
  });

  it('previews a call as one that runs if it was approved for the session', async () => {
    const engine = await startEngine([
      makePlugin({
        id: 'mail',
        tools: { look: `() => 'seen'` },
        entry: { requireApproval: true },
      }),
    ]);
    const verdict = (): string => engine.previewCall('mail:look', {}).verdict;
    expect(verdict()).toBe('ask');
    const id = await engine.approvals.request('mail:look', {});
    await engine.approvals.answer(id, { verdict: 'session', ...ANN });
    await engine.call('mail:look', {}, { approval: id });
    expect(verdict()).toBe('run');
    expect(await engine.call('mail:look', {})).toMatchObject({ isError: false });
    expect(engine.previewCall('mail:look', {}, { tenant: 'b' }).verdict).toBe('ask');
  });

  it('binds an approval to its tenant', async () => {
    const { start } = host();
    const engine = await start();
    const id = await engine.approvals.request('mail:send', INPUT, { tenant: 'a' });
    await engine.approvals.answer(id, { verdict: 'once', ...ANN });
    expect(engine.approvals.list({ tenant: 'b' })).toEqual([]);
    const foreign = await engine.call('mail:send', INPUT, { approval: id, tenant: 'b' });
    expect(foreign).toMatchObject({ code: 'APPROVAL_INVALID' });
    const own = await engine.call('mail:send', INPUT, { approval: id, tenant: 'a' });
    expect(own.isError).toBe(false);
  });

  it.each<[string, Partial<EngineOptions>]>([
    ['grant', { grant: { mail: { network: ['a.test'] } } }],
    ['configuration', { config: { mail: { signature: 'x' } } }],
  ])('does not run a call after a change of the %s', async (_, options) => {
    const { start } = host();
    const engine = await start();
    const id = await engine.approvals.request('mail:send', INPUT);
    await engine.approvals.answer(id, { verdict: 'once', ...ANN });
    await engine.close();
    const changed = await start(options);
    const result = await changed.call('mail:send', INPUT, { approval: id });
    expect(result.code).toBe('APPROVAL_INVALID');
  });

  it.each(['another working directory', 'a mount whose link leads elsewhere', 'a writable mount'])(
    'does not run a call with %s',
    async (change) => {
      const root = makeDirectory();
      for (const name of ['one', 'two']) mkdirSync(join(root, name));
      symlinkSync('one', join(root, 'ws'));
      const mount = join(root, 'ws');
      const { start } = host({}, [`${mount}:/workspace:rw`]);
      const grant = { mail: { fs: [`${mount}:/workspace`], network: ['a.test', 'b.test'] } };
      const context = change.includes('another') ? { workingDir: mount } : {};
      const engine = await start({ grant });
      const id = await engine.approvals.request('mail:send', INPUT, { context });
      await engine.approvals.answer(id, { verdict: 'once', ...ANN });
      await engine.close();
      if (change.includes('link')) {
        rmSync(mount);
        symlinkSync('two', mount);
      }
      const next = await start(change.includes('writable') ? {} : { grant });
      const elsewhere = change.includes('another') ? { workingDir: join(mount, 'deeper') } : {};
      expect(
        await next.call('mail:send', INPUT, { approval: id, context: elsewhere }),
      ).toMatchObject({ code: 'APPROVAL_INVALID' });
      if (!change.includes('another')) return;
      const same = await next.call('mail:send', INPUT, { approval: id, context });
      expect(same.value).toMatchObject(INPUT);
    },
  );

  it('does not run an approved call if the grant was widened while it waited in the queue', async () => {
    const directory = makePlugin({
      id: 'mail',
      source: source.replace(
        'execute:',
        'execute: async (input) => (await powers.gate({}), input) }, { id: "other", name: "n", description: "d", execute:',
      ),
      entry: { requireApproval: true },
      permissions: { network: ['a.test', 'b.test'], powers: ['gate'] },
    });
    let open = (): void => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const engine = await startEngine([directory], {
      grant: { mail: { network: ['a.test'], powers: ['gate'] } },
      limits: { maxCallsPerPlugin: 1 },
      approve: () => 'once',
      powers: [{ name: 'gate', risk: 'low', handler: () => gate.then(() => true) }],
    });
    const isQueued = new Promise<void>((resolve) => {
      engine.on((event) => {
        if (event.type === 'queue-changed' && event.calls === 1) resolve();
      });
    });
    const running = engine.call('mail:send', INPUT);
    const queued = engine.call('mail:other', INPUT);
    await isQueued;
    await engine.grant('mail', 'network:b.test');
    open();
    expect((await running).isError).toBe(false);
    expect(await queued).toMatchObject({ isError: true, code: 'APPROVAL_DENIED' });
    expect((await engine.call('mail:other', INPUT)).value).toMatchObject({ runs: 1 });
  });

  it('does not run a call whose code has changed, nor one that a rule or policy denies', async () => {
    const { start, directory } = host();
    const engine = await start();
    const ask = async () => {
      const id = await engine.approvals.request('mail:send', INPUT);
      await engine.approvals.answer(id, { verdict: 'once', ...ANN });
      return id;
    };
    const ids = [await ask(), await ask(), await ask()] as const;
    const policy = { blockedTools: ['mail:send'] };
    expect(await engine.call('mail:send', INPUT, { approval: ids[0], policy })).toMatchObject({
      code: 'POLICY_DENIED',
    });
    const { id: rule } = engine.rules.add({ verdict: 'deny', plugin: 'mail', tool: '*' });
    expect(await engine.call('mail:send', INPUT, { approval: ids[1] })).toMatchObject({
      code: 'APPROVAL_DENIED',
    });
    await expect(engine.approvals.request('mail:send', INPUT)).rejects.toMatchObject({
      code: 'APPROVAL_DENIED',
    });
    engine.rules.remove(rule);
    makePlugin(
      {
        id: 'mail',
        source: source.replace('++runs', '0'),
        entry: { requireApproval: true },
        permissions: { network: ['a.test', 'b.test'] },
      },
      directory,
    );
    await engine.reload();
    expect(await engine.call('mail:send', INPUT, { approval: ids[2] })).toMatchObject({
      code: 'APPROVAL_INVALID',
    });
  });

  it('is notified of pending approvals, and the call waits for the answer', async () => {
    const { start } = host({ limits: { approvalTimeoutMs: 5_000 } });
    const engine = await start();
    expect(await engine.call('mail:send', INPUT)).toMatchObject({ code: 'APPROVAL_REQUIRED' });
    const answered: string[] = [];
    engine.approvals.on('answer', ({ answer }) => answered.push(answer.by));
    engine.approvals.on('request', ({ approvalId, digest }) => {
      void engine.approvals.answer(approvalId, { verdict: 'once', digest, ...ANN });
    });
    expect((await engine.call('mail:send', INPUT)).value).toMatchObject(INPUT);
    expect(answered).toEqual(['ann']);
  });

  it('needs to know who answers', async () => {
    const { start } = host();
    const engine = await start();
    const id = await engine.approvals.request('mail:send', INPUT);
    await expect(engine.approvals.answer(id, { verdict: 'once' } as never)).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
    });
    await expect(engine.approvals.answer(id, { verdict: 'once', by: ' ' })).rejects.toThrow('by');
    expect(await engine.approvals.withdraw(id)).toBe(true);
    expect(await engine.approvals.withdraw(id)).toBe(false);
  });

  it('names the question of a call that waited too long', async () => {
    const { start } = host({ limits: { approvalTimeoutMs: 20 } });
    const engine = await start();
    engine.approvals.on('request', () => {});
    const late = await engine.call('mail:send', INPUT);
    expect(late).toMatchObject({ code: 'APPROVAL_TIMEOUT' });
    const { approval = '' } = late;
    await engine.approvals.answer(approval, { verdict: 'once', ...ANN });
    expect((await engine.call('mail:send', INPUT, { approval })).value).toMatchObject(INPUT);
  });
});
