import type { DialectWorld } from '../dialect.js';
import { makeEvents, type Events } from './events.js';
import { readIntroduction } from './introduction.js';
import { makePermissions, type HeldPermissions } from './permissions.js';
import { strict } from './strict.js';
import { makeTools, type Tools } from './tools.js';

/** Everything behind the `spindle` global of one extension. */
export interface Runtime {
  readonly spindle: object;
  readonly permissions: HeldPermissions;
  readonly events: Events;
  readonly tools: Tools;
  /** From now on changes to what is offered are told to the host. */
  announceChanges(): void;
}

export function makeRuntime(world: DialectWorld): Runtime {
  const introduction = readIntroduction(world.introduction);
  const permissions = makePermissions(world, world.powers.grant.powers ?? []);
  const events = makeEvents(world, permissions);
  let announcing = false;
  let announced = false;
  const onChange = (): void => {
    if (!announcing || announced) return;
    announced = true;
    // Once for everything that changes in one job: many re-register all that they have.
    world.powers.clock.queueMicrotask(() => {
      announced = false;
      world.powers.host.notify('offers', {});
    });
  };
  const tools = makeTools(world, permissions, onChange);

  return {
    permissions,
    events,
    tools,
    announceChanges: () => {
      announcing = true;
    },
    spindle: strict('spindle', {
      registerTool: tools.registerTool,
      unregisterTool: tools.unregisterTool,
      on: events.on,
      permissions: permissions.api,
      log: makeLog(world),
      manifest: harden(introduction.manifest),
    }),
  };
}

function makeLog(world: DialectWorld): object {
  const at =
    (level: 'info' | 'warn' | 'error') =>
    (...parts: unknown[]): void =>
      world.log(level, parts);
  return strict('spindle.log', { info: at('info'), warn: at('warn'), error: at('error') });
}
