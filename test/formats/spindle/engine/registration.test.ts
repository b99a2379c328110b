import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { BulkheadEvent, Engine, EngineOptions } from '../../../../src/index.js';
import { answering, makeExtension, registering } from '../../../engine/extension-on-disk.js';
import { startEngine } from '../../../engine/plugin-on-disk.js';

const ids = (engine: Engine): string[] =>
  engine.catalog
    .list()
    .map(({ id }) => id)
    .toSorted();

async function answerOf(engine: Engine, tool: string): Promise<unknown> {
  const { value } = await engine.call(tool, {});
  return typeof value === 'string' ? JSON.parse(value) : value;
}

/** An extension whose tool `more` registers another, `less` takes it out, and `die` ends its guest. */
const changing = `
  ${answering({
    more: `(spindle.registerTool({ name: payload.args.name ?? 'extra', display_name: 'Extra', description: payload.args.description ?? 'd', parameters: { type: 'object' } }), 'done')`,
    less: `(spindle.unregisterTool(payload.args.name ?? 'extra'), 'done')`,
    hang: 'await new Promise(() => {})',
    loop: '(() => { for (;;) ; })()',
  })}
  spindle.on('TOOL_INVOCATION', ({ toolName }) => toolName === 'extra' ? 'the extra one' : undefined);`;

async function start(
  extensions: readonly { identifier: string; source: string; permissions?: readonly string[] }[],
  options: Partial<EngineOptions> = {},
): Promise<{ engine: Engine; events: BulkheadEvent[] }> {
  const events: BulkheadEvent[] = [];
  const engine = await startEngine(
    extensions.map((spec) => makeExtension(spec)),
    { onEvent: (event) => events.push(event), ...options },
  );
  return { engine, events };
}

describe('what an extension registers while it runs', () => {
  it('is in the catalog soon after, and out of it when it is unregistered', async () => {
    const { engine, events } = await start([{ identifier: 'ext', source: changing }]);
    const before = ids(engine);
    let changes = 0;
    engine.catalog.on('change', () => (changes += 1));
    await engine.call('ext:more', {});
    await expect.poll(() => ids(engine)).toEqual([...before, 'ext:extra'].toSorted());
    expect((await engine.call('ext:extra', {})).value).toBe('the extra one');
    expect(changes).toBe(1);
    expect(events.filter(({ type }) => type === 'catalog-changed')).toHaveLength(2);
    await engine.call('ext:less', {});
    await expect.poll(() => ids(engine)).toEqual(before);
    await engine.call('ext:less', { name: 'never registered' });
  });

  it('replaces what had the same name, and leaves another extension’s alone', async () => {
    const { engine } = await start([
      { identifier: 'one', source: changing },
      { identifier: 'two', source: changing },
    ]);
    await engine.call('one:more', {});
    await engine.call('two:more', {});
    await expect.poll(() => ids(engine)).toContain('two:extra');
    await expect.poll(() => ids(engine)).toContain('one:extra');
    await engine.call('one:more', { description: 'another text' });
    const descriptionOf = (id: string) => engine.catalog.find(id)?.description;
    await expect.poll(() => descriptionOf('one:extra')).toBe('another text');
    expect(descriptionOf('two:extra')).toBe('d');
    await engine.call('one:less', {});
    await expect.poll(() => ids(engine)).not.toContain('one:extra');
    expect(ids(engine)).toContain('two:extra');
  });

  it('is removed with the guest that registered it, and the next begins as the first did', async () => {
    const { engine, events } = await start([{ identifier: 'ext', source: changing }]);
    const before = ids(engine);
    // Beyond the time in which what is registered counts as its beginning.
    await engine.call('ext:less', {});
    await pause(2_100);
    await engine.call('ext:more', {});
    await expect.poll(() => ids(engine)).toContain('ext:extra');
    const end = new AbortController();
    const waiting = engine.call('ext:hang', {}, { signal: end.signal });
    expect((await engine.call('ext:loop', {}, { timeoutMs: 200 })).code).toBe('DEADLINE_EXCEEDED');
    // The loop killed the guest. The other call had done nothing, so it runs again, and hangs again.
    await expect
      .poll(() => events.filter(({ type }) => type === 'call-rerun'))
      .toMatchObject([{ plugin: 'ext', tool: 'hang' }]);
    end.abort();
    expect((await waiting).code).toBe('CANCELLED');
    await expect.poll(() => ids(engine)).toEqual(before);
    expect((await engine.call('ext:less', {})).value).toBe('done');
    expect(ids(engine)).toEqual(before);
    expect(events.filter(({ type }) => type === 'plugin-loaded').length).toBeGreaterThan(1);
  });

  it('is asked for at a pace of the host’s, however often it changes', async () => {
    const flood = `${registering('flood')}
      spindle.on('TOOL_INVOCATION', async () => {
        for (let n = 0; n < 3000; n += 1) {
          spindle.registerTool({ name: 'changing', display_name: 'n' + n, description: 'd', parameters: { type: 'object' } });
          if (n % 10 === 0) await null;
        }
        return 'done';
      });`;
    const { engine, events } = await start([{ identifier: 'flood', source: flood }]);
    expect((await engine.call('flood', {})).value).toBe('done');
    await expect.poll(() => engine.catalog.find('flood:changing')?.title).toBe('n2999');
    expect(events.filter(({ type }) => type === 'catalog-changed').length).toBeLessThan(6);
  });

  it('is found whenever it comes after the load, also while the engine stores what was listed', async () => {
    // One of the delays ends between the answer to the query and the engine's next step.
    const delays = Array.from({ length: 20 }, (_, index) => index);
    const { engine } = await start(
      delays.map((delay) => ({
        identifier: `after_${delay}`,
        source: `setTimeout(() => { ${registering('late')} }, ${delay});`,
      })),
    );
    const late = delays.map((delay) => `after_${delay}:late`).toSorted();
    await expect.poll(() => ids(engine), { timeout: 20_000 }).toEqual(late);
  });

  it('is found although its guest computes after it, so that it is checked', async () => {
    // The engine asks about the first registration at once, and about the second 200 ms later, when the guest computes
    // and its call was given up.
    const source = `${registering('busy')}
      const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
      spindle.on('TOOL_INVOCATION', async () => {
        await wait(300);
        ${registering('early')}
        await wait(50);
        ${registering('late')}
        spindle.log.info('computes');
        await wait(0);
        for (const end = Date.now() + 600; Date.now() < end; ) ;
        return 'done';
      });`;
    const { engine, events } = await start([{ identifier: 'ext', source }], {
      limits: { graceMs: 10_000 },
    });
    const aborting = new AbortController();
    const called = engine.call('ext:busy', {}, { signal: aborting.signal });
    await expect.poll(() => events.some(({ type }) => type === 'log'), { interval: 5 }).toBe(true);
    await pause(30);
    aborting.abort();
    await called;
    await expect.poll(() => ids(engine)).toEqual(['ext:busy', 'ext:early', 'ext:late']);
  });

  it('and only now, after asking elsewhere, is known without a guest the next time', async () => {
    const late = `setTimeout(() => {
        ${registering('late')}
        spindle.on('TOOL_INVOCATION', () => 'here');
      }, 30);
      ${registering('early')}`;
    const directory = makeExtension({ identifier: 'late', source: late });
    const options = { background: ['late'] };
    const first = await startEngine([directory], options);
    await expect.poll(() => ids(first)).toEqual(['late:early', 'late:late']);
    await first.close();
    const events: BulkheadEvent[] = [];
    const second = await startEngine([directory], { onEvent: (event) => events.push(event) });
    expect(ids(second)).toEqual(['late:early', 'late:late']);
    expect(events.filter(({ type }) => type === 'guest-started')).toEqual([]);
    expect(second.catalog.find('late:late')).toMatchObject({ title: 'late' });
  });
});

describe('the permission to have tools', () => {
  it('removes the tools from the catalog when it is revoked, and ends their calls', async () => {
    const heard = `${changing}
      const heard = [];
      spindle.permissions.onChanged((change) => heard.push([change.permission, change.granted, change.extensionId, change.allGranted]));
      spindle.on('PERMISSION_CHANGED', ({ permission }) => heard.push(permission));
      ${registering('heard')}
      spindle.on('TOOL_INVOCATION', ({ toolName }) => toolName === 'heard' ? JSON.stringify(heard) : undefined);`;
    const { engine } = await start([
      { identifier: 'ext', source: heard },
      { identifier: 'other', source: heard },
    ]);
    const before = ids(engine);
    await engine.call('ext:less', {});
    const revoked = engine.revoke('ext', 'powers:tools');
    expect(ids(engine)).toEqual(before.filter((id) => id.startsWith('other:')));
    await revoked;
    await expect(engine.call('ext:more', {})).rejects.toMatchObject({ code: 'TOOL_NOT_FOUND' });
    expect((await engine.call('other:heard', {})).value).toBe('[]');
    await engine.grant('ext', 'tools');
    await expect.poll(() => ids(engine)).toEqual(before);
    const told = await answerOf(engine, 'ext:heard');
    expect(told).toEqual([
      ['tools', false, 'ext', []],
      'tools',
      ['tools', true, 'ext', ['tools']],
      'tools',
    ]);
  });

  it('ends the calls that are under way when it is revoked', async () => {
    const { engine, events } = await start([{ identifier: 'ext', source: changing }]);
    const waiting = engine.call('ext:hang', {});
    await expect.poll(() => events.some(({ type }) => type === 'call-started')).toBe(true);
    await engine.revoke('ext', 'powers:tools');
    expect((await waiting).code).toBe('PERMISSION_REVOKED');
  });

  it('is required for a tool to be in the catalog, whatever its guest says', async () => {
    const source = `${registering('tool')}
      const denied = [];
      spindle.permissions.onDenied((denial) => denied.push(denial));
      spindle.on('TOOL_INVOCATION', () => JSON.stringify(denied));`;
    const { engine } = await start([{ identifier: 'ext', source }], { grant: 'nothing' });
    expect(ids(engine)).toEqual([]);
    expect(engine.plugins()[0]?.state).toBe('active');
    await engine.grant('ext', 'powers:tools');
    expect(ids(engine)).toEqual(['ext:tool']);
    expect(await answerOf(engine, 'ext:tool')).toEqual([
      { permission: 'tools', operation: 'registerTool' },
    ]);
  });
});

describe('an extension that may run in the background', () => {
  it('runs from the start, and again after a crash, with its registrations', async () => {
    const beating = `${registering('beats')} ${registering('die')}
      let beats = 0; setInterval(() => { beats += 1 }, 5);
      spindle.on('TOOL_INVOCATION', ({ toolName }) => {
        if (toolName === 'die') { const all = []; for (;;) all.push(new Array(1e6).fill(all.length)); }
        return beats;
      });`;
    const { engine, events } = await start([{ identifier: 'ext', source: beating }], {
      background: ['ext'],
      limits: { memoryMb: 64 },
    });
    const loads = () => events.filter(({ type }) => type === 'plugin-loaded').length;
    await expect.poll(loads).toBe(1);
    await expect
      .poll(async () => Number((await engine.call('ext:beats', {})).value))
      .toBeGreaterThan(10);
    expect((await engine.call('ext:die', {})).code).toBe('GUEST_OUT_OF_MEMORY');
    await expect.poll(loads).toBe(2);
    expect(ids(engine)).toEqual(['ext:beats', 'ext:die']);
    await expect
      .poll(async () => Number((await engine.call('ext:beats', {})).value))
      .toBeGreaterThan(0);
  });
});
