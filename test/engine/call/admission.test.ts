import { describe, expect, it } from 'vitest';
import type { ApprovalRequest, BulkheadEvent } from '../../../src/index.js';
import { makePlugin, startEngine } from '../plugin-on-disk.js';

const ECHO = { echo: '(input) => input' };

describe('approval', () => {
  const asking = { id: 'asking', entry: { requireApproval: true }, tools: ECHO };

  it('is refused if there is no approver', async () => {
    const engine = await startEngine([makePlugin(asking)]);
    expect(await engine.call('echo', {})).toMatchObject({
      isError: true,
      code: 'APPROVAL_REQUIRED',
    });
  });

  it('shows the very input, and nothing runs before the answer', async () => {
    const seen: ApprovalRequest[] = [];
    const events: BulkheadEvent[] = [];
    const engine = await startEngine([makePlugin(asking)], {
      onEvent: (event) => events.push(event),
      approve: (request) => {
        seen.push(request);
        expect(events.some(({ type }) => type === 'call-started')).toBe(false);
        return 'once';
      },
    });
    expect((await engine.call('echo', { x: 1 })).value).toEqual({ x: 1 });
    expect(seen[0]).toMatchObject({ plugin: 'asking', tool: 'echo', input: { x: 1 } });
  });

  it('is asked of resolved tools too, unless the configuration says otherwise for one', async () => {
    const directory = makePlugin({
      id: 'resolved',
      entry: { requireApproval: true },
      source: `const tool = (id) => ({ id, name: id, description: id, annotations: { readOnlyHint: true }, execute: () => id });
        export const tools = [tool('a')];
        export const resolveTools = async () => ({ tools: [tool('b'), tool('c')], alerts: [] });`,
    });
    const engine = await startEngine([directory], {
      config: { resolved: { requireApproval: { a: false, 'resolved:c': false } } },
    });
    const codes = await Promise.all(
      ['a', 'b', 'c'].map(async (tool) => (await engine.call(tool, {})).code ?? 'ok'),
    );
    expect(codes).toEqual(['ok', 'APPROVAL_REQUIRED', 'ok']);
    const background = engine.catalog.list().filter((tool) => tool.background);
    expect(background.map(({ tool }) => tool)).toEqual(['a', 'c']);
  });
});

describe('host mode', () => {
  const unconfined = {
    id: 'native',
    entry: { sandbox: 'host' },
    source: `import { readFileSync } from 'node:fs';
      export const tools = [
        { id: 'read', name: 'n', description: 'd', annotations: { readOnlyHint: true }, execute: () => typeof process.pid + readFileSync('/proc/self/comm', 'utf8').length },
        { id: 'loop', name: 'n', description: 'd', annotations: { readOnlyHint: true }, execute: () => { for (;;); } },
      ];`,
  };

  it('is refused to a plugin that the operator did not name', async () => {
    const engine = await startEngine([makePlugin(unconfined)], { hostMode: ['other'] });
    expect(engine.plugins()[0]).toMatchObject({
      state: 'failed',
      problems: [{ code: 'HOST_MODE_DENIED', message: expect.stringContaining('hostMode') }],
    });
    await expect(engine.call('native:read', {})).rejects.toMatchObject({ code: 'PLUGIN_INACTIVE' });
  });

  it('gives an allowed plugin a process of its own, which is killed like any other', async () => {
    const engine = await startEngine([makePlugin(unconfined)], { hostMode: ['native'] });
    expect((await engine.call('read', {})).value).toMatch(/^number\d+$/);
    expect((await engine.call('loop', {}, { timeoutMs: 200 })).code).toBe('DEADLINE_EXCEEDED');
    expect((await engine.call('read', {})).value).toMatch(/^number\d+$/);
    expect(engine.catalog.find('read')?.confinement).toBe('host');
  });
});
