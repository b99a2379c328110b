import { describe, expect, it } from 'vitest';
import type { ShownRunner } from '../../src/console/pages/machine.js';
import { openWorld } from './world.js';

const runner: ShownRunner = {
  name: 'runner-1',
  version: '1.2.3',
  state: 'ready',
  callsUnderWay: 3,
  maxCalls: 64,
  freeMemory: 512 * 2 ** 20,
  heardAtMs: Date.parse('2026-11-23T09:59:58Z'),
};

async function pageOf(runners?: readonly ShownRunner[]): Promise<string> {
  const world = openWorld(runners === undefined ? {} : { runners });
  const text = await (await world.get('/console/machine', await world.enter())).text();
  return text.replaceAll(/\s+/g, ' ');
}

describe('the page of the machine', () => {
  it('shows no runners if the engine is not a gateway', async () => {
    expect(await pageOf()).not.toContain('Runners');
  });

  it('says that a gateway has heard no runner', async () => {
    expect(await pageOf([])).toContain('No runner has been heard.');
  });

  it('shows the runners of a gateway with state, calls, memory and age', async () => {
    const page = await pageOf([runner, { ...runner, name: 'runner-2', state: 'silent' }]);
    for (const text of ['3 of 64', '512 MiB', '2 s ago', '1.2.3']) expect(page).toContain(text);
    expect(page).toContain('<bdi>runner-2</bdi>');
    expect(page).toContain('silent: it sends no heartbeats');
  });

  it('shows whose audit log is not intact, and why', async () => {
    const intact = await pageOf([runner]);
    expect(intact).toContain('no fault found');
    expect(intact).not.toContain('not intact');
    const auditBroken = 'record 7 <b>is missing';
    const page = await pageOf([runner, { ...runner, name: 'runner-2', auditBroken }]);
    expect(page).toContain('not intact</span> <bdi>record 7 &lt;b&gt;is missing</bdi>');
    expect(page).toContain('bulkhead fleet verify');
  });

  it('shows what a hostile runner writes as text, and no more than 500 runners', async () => {
    const hostile = { ...runner, name: '<script>a()</script>', version: '<b>', state: '<i>' };
    const page = await pageOf([hostile, ...Array.from({ length: 600 }, () => runner)]);
    expect(page).toContain('&lt;script&gt;a()&lt;/script&gt;');
    expect(page).not.toMatch(/<script>a|<b>|<i>/);
    expect(page).toContain('101 more are not shown.');
  });
});
