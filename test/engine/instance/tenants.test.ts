import { describe, expect, it } from 'vitest';
import type { GuestEnd } from '../../../src/guests/end.js';
import type { Instance, InstanceSpec } from '../../../src/engine/instance/instance.js';
import { makeTenantInstances } from '../../../src/engine/instance/tenants.js';
import { readSettings } from '../../../src/engine/settings.js';
import { makeEventBus } from '../../../src/events.js';

const CLOSED: GuestEnd = { cause: 'closed', detail: 'the engine unloaded the plugin' };

/** Instances that note how they end, by their tenant. */
function makeFakes(isolation: 'tenant' | 'call' = 'tenant') {
  const opened: (string | undefined)[] = [];
  const ended: [tenant: string | undefined, cause: string][] = [];
  const fake = (tenant: string | undefined): Instance =>
    ({
      guests: { serving: [] },
      lifecycle: undefined,
      openSeparate: () => fake(`${tenant} alone`),
      close: async ({ cause }: GuestEnd) => void ended.push([tenant, cause]),
      id: tenant,
    }) as unknown as Instance;
  const settings = readSettings({ plugins: [] });
  const spec = {
    plugin: { id: 'p' },
    placement: {},
    services: { settings, events: makeEventBus(Date.now) },
  } as unknown as InstanceSpec;
  const tenants = makeTenantInstances({
    isolation,
    spec: () => spec,
    open: ({ tenant }) => {
      opened.push(tenant?.id);
      return fake(tenant?.id);
    },
    schemas: () => undefined,
  });
  return { tenants, opened, ended };
}

describe('the instances of tenants', () => {
  it('stay open for the last 256 idle tenants, and while work runs', async () => {
    const { tenants, opened, ended } = makeFakes();
    let finish: () => void = () => {};
    const working = tenants.run('busy', () => new Promise<void>((resolve) => (finish = resolve)));
    for (let n = 0; n < 256; n += 1) await tenants.run(`t${n}`, async () => {});
    await tenants.run('t0', async () => {});
    expect(ended).toEqual([]);
    await tenants.run('one more', async () => {});
    // The least recently used.
    expect(ended).toEqual([['t1', 'idle']]);
    finish();
    await working;
    expect(ended).toEqual([
      ['t1', 'idle'],
      ['busy', 'idle'],
    ]);
    await tenants.run('t1', async () => {});
    expect(opened.filter((tenant) => tenant === 't1')).toHaveLength(2);
    expect(tenants.all).toHaveLength(256);
  });

  it('are freed when work fails', async () => {
    const { tenants, ended } = makeFakes();
    const failing = tenants.run('a', () => Promise.reject(new Error('it failed')));
    await expect(failing).rejects.toThrow('it failed');
    for (let n = 0; n < 256; n += 1) await tenants.run(`t${n}`, async () => {});
    expect(ended).toEqual([['a', 'idle']]);
  });

  it('end with the plugin, and so do later ones', async () => {
    const { tenants, ended } = makeFakes();
    await tenants.run('a', async () => {});
    await tenants.close(CLOSED);
    expect(ended).toEqual([['a', 'closed']]);
    await tenants.run('b', async () => {});
    expect(ended).toEqual([
      ['a', 'closed'],
      ['b', 'closed'],
    ]);
  });

  it('run each work in one of its own under call, and close it afterwards', async () => {
    const { tenants, opened, ended } = makeFakes('call');
    const seen: unknown[] = [];
    const note = async (instance: Instance): Promise<void> => {
      seen.push(Reflect.get(instance, 'id'));
    };
    await tenants.run('a', note);
    await tenants.run('a', note);
    await tenants.share('a', note);
    expect(seen).toEqual(['a alone', 'a alone', 'a']);
    expect(opened).toEqual(['a']);
    await expect
      .poll(() => ended)
      .toEqual([
        ['a alone', 'closed'],
        ['a alone', 'closed'],
      ]);
  });
});
