import { makeCpuBudget } from '../../guests/cpu-budget.js';
import type { GuestEnd } from '../../guests/end.js';
import type { Grant } from '../../permissions/grant.js';
import type { Schemas } from './guest-supervisor.js';
import type { Instance, InstanceSpec, Tenant, TenantInstances, TenantWork } from './instance.js';
import { makeQuarantine } from './quarantine.js';

export interface TenantInstancesSpec {
  readonly isolation: 'tenant' | 'call';
  /** How to open the entry. */
  readonly spec: () => InstanceSpec;
  readonly open: (spec: InstanceSpec) => Instance;
  readonly schemas: () => Schemas | undefined;
}

/** Tenants without running work whose instances stay open, the last used first. */
const MAX_IDLE_TENANTS = 256;

/** An instance that was not used for a long time: other tenants need its place. */
const EVICTED: GuestEnd = { cause: 'idle', detail: 'its tenant was idle for the longest time' };

const DONE: GuestEnd = { cause: 'closed', detail: 'its call has ended' };

interface TenantState {
  readonly instance: Instance;
  /** Work that runs in it now. */
  running: number;
}

export function makeTenantInstances(spec: TenantInstancesSpec): TenantInstances {
  return new OpenTenants(spec);
}

class OpenTenants implements TenantInstances {
  readonly spec: TenantInstancesSpec;
  /** Least recently used first. */
  readonly states = new Map<Tenant, TenantState>();
  closed: GuestEnd | undefined;

  constructor(spec: TenantInstancesSpec) {
    this.spec = spec;
  }

  get all(): readonly Instance[] {
    return [...this.states.values()].map(({ instance }) => instance);
  }

  async run<Result>(tenant: Tenant, work: TenantWork<Result>): Promise<Result> {
    // guard: call-isolated
    if (this.spec.isolation === 'tenant') return this.share(tenant, work);
    const state = this.enter(tenant);
    let own: Instance | undefined;
    try {
      own = state.instance.openSeparate({});
      return await work(own);
    } finally {
      void endAlone(own).finally(() => this.leave(state));
    }
  }

  async share<Result>(tenant: Tenant, work: TenantWork<Result>): Promise<Result> {
    const state = this.enter(tenant);
    try {
      return await work(state.instance);
    } finally {
      this.leave(state);
    }
  }

  enter(tenant: Tenant): TenantState {
    const state = this.states.get(tenant) ?? this.open(tenant);
    this.states.delete(tenant);
    this.states.set(tenant, state);
    state.running += 1;
    return state;
  }

  leave(state: TenantState): void {
    state.running -= 1;
    const idle = [...this.states].filter(([, { running }]) => running === 0);
    for (const [tenant, { instance }] of idle.slice(
      0,
      Math.max(0, idle.length - MAX_IDLE_TENANTS),
    )) {
      this.states.delete(tenant);
      void instance.close(EVICTED);
    }
  }

  open(tenant: Tenant): TenantState {
    const spec = this.spec.spec();
    const { plugin, services, placement } = spec;
    const { limits } = services.settings;
    const instance = this.spec.open({
      ...spec,
      tenant: { id: tenant },
      placement: {
        ...placement,
        group: undefined,
        // A tenant that makes the plugin crash, or compute, does not stop it for the others.
        cpuBudget: makeCpuBudget(limits),
        // guard: quarantine-of-one-tenant
        quarantine: makeQuarantine({
          ...limits,
          plugin: plugin.id,
          events: services.events,
          now: () => performance.now(),
        }),
      },
    });
    const schemas = this.spec.schemas();
    if (schemas !== undefined) instance.setSchemas(schemas);
    // Work that came after the end gets the reason for it.
    if (this.closed !== undefined) void instance.close(this.closed);
    return { instance, running: 0 };
  }

  setSchemas(schemas: Schemas): void {
    for (const instance of this.all) instance.setSchemas(schemas);
  }

  async updateGrant(next: Grant): Promise<void> {
    await Promise.all(this.all.map((instance) => instance.updateGrant(next)));
  }

  replace(): void {
    for (const instance of this.all) instance.replaceGuests();
  }

  halt(tenant: Tenant, end: GuestEnd): void {
    this.states.get(tenant)?.instance.halt(end);
  }

  async close(why: GuestEnd): Promise<void> {
    this.closed ??= why;
    await Promise.all(this.all.map((instance) => instance.close(why)));
    this.states.clear();
  }
}

async function endAlone(instance: Instance | undefined): Promise<void> {
  if (instance === undefined) return;
  const { lifecycle, guests } = instance;
  if (lifecycle !== undefined) {
    await Promise.all(guests.serving.map((guest) => lifecycle.end(guest, 'shutdown')));
  }
  await instance.close(DONE);
}
