import { type Grant, makeGrant } from '../../permissions/grant.js';
import type { Permissions } from '../../permissions/kind.js';
import type { ToolDefinition } from '../../plugin/tool.js';
import type { Instance, InstanceSpec } from '../instance/instance.js';
import { openInstance } from '../instance/open-instance.js';

/** The instances of one entry, by their permissions. */
export interface InstancesByGrant {
  all(): readonly Instance[];
  of(tool: ToolDefinition): Instance;
  /**
   * Changes the entry's grant. When this returns, no instance of the entry allows what is no longer
   * granted. Call `of` again afterwards.
   */
  updateGrant(next: Grant): Promise<void>;
}

interface InstanceState {
  readonly open: Instance;
  /** The permissions that it was opened for. Its grant is the part of them that the entry has. */
  readonly asks: Permissions;
  /** The permission sets of the tools that use it. */
  readonly served: Set<Permissions>;
}

/**
 * A tool may request fewer permissions than its entry (Pandora tools, "Override permissions").
 * Tools in one compartment share its permissions, so such a tool gets its own guest.
 */
export function makeInstancesByGrant(spec: InstanceSpec, whole: Instance): InstancesByGrant {
  return new GrantedInstances(spec, whole);
}

class GrantedInstances implements InstancesByGrant {
  readonly spec: InstanceSpec;
  readonly instances: InstanceState[];
  /** The current grant. It may be smaller than when the entry was opened. */
  grant: Grant;

  constructor(spec: InstanceSpec, whole: Instance) {
    this.spec = spec;
    this.grant = whole.grant;
    this.instances = [{ open: whole, asks: spec.entry.declared, served: new Set() }];
  }

  all(): readonly Instance[] {
    return this.instances.map(({ open }) => open);
  }

  of({ permissions }: ToolDefinition): Instance {
    const asked = this.within(permissions);
    let instance = this.instances.find(({ open }) => isSame(open.grant, asked));
    if (instance === undefined) {
      const open = openInstance({ ...this.spec, grant: asked });
      instance = { open, asks: permissions, served: new Set() };
      this.instances.push(instance);
    }
    instance.served.add(permissions);
    return instance.open;
  }

  async updateGrant(next: Grant): Promise<void> {
    this.grant = next;
    await Promise.all(this.instances.map((instance) => this.followIn(instance)));
  }

  within(asks: Permissions): Grant {
    return makeGrant(asks, this.grant.permissions);
  }

  async followIn(instance: InstanceState): Promise<void> {
    const next = this.within(instance.asks);
    if ([...instance.served].every((asks) => isSame(this.within(asks), next))) {
      await instance.open.updateGrant(next);
      return;
    }
    // The tools of this instance now have different grants. The state of one guest must not reach
    // the other tools. So the guest only finishes its requests, with at most its former grant.
    instance.served.clear();
    const less = makeGrant(instance.open.grant.permissions, next.permissions);
    const narrowed = instance.open.updateGrant(less);
    instance.open.replaceGuests();
    const updated = instance.open.updateGrant(next);
    await Promise.all([narrowed, updated]);
  }
}

function isSame({ permissions: one }: Grant, { permissions: other }: Grant): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}
