import type { DialectWorld } from '../dialect.js';
import { makeCommands, makeFrontend } from './commands.js';
import { makeCors } from './cors.js';
import { makeEnclave } from './enclave.js';
import { makeEphemeral } from './ephemeral.js';
import { type Events, makeEvents } from './events.js';
import { makeAssemble, makeGenerate, makeImageStream } from './generate.js';
import { makeHostCalls, makeHostMembers, type Members } from './host-calls.js';
import { contracts, makeHost, makeLog, makeVersion, readPluginInfo } from './host.js';
import { type Hooks, makeHooks } from './hooks.js';
import { type Listeners, makeListeners } from './callbacks.js';
import { type Macros, makeMacros } from './macros.js';
import { type HeldPermissions, makeMutations, makePermissions } from './permissions.js';
import { makeOAuth, type OAuth } from './oauth.js';
import { makeProcesses } from './processes.js';
import { makeProviders, type Providers } from './providers.js';
import { makeRpcPool, type RpcPool } from './rpc-pool.js';
import { makeStorage, makeUserStorage, readScope } from './storage.js';
import { surface } from './surface.js';
import { makeTools, type Tools } from './tools.js';
import { makeVariables } from './variables.js';
import { strict } from './strict.js';

/** The implementation of the `spindle` global of one extension. */
export interface Runtime {
  readonly spindle: object;
  readonly permissions: HeldPermissions;
  readonly events: Events;
  readonly tools: Tools;
  readonly hooks: Hooks;
  readonly macros: Macros;
  readonly rpcPool: RpcPool;
  readonly providers: Providers;
  readonly oauth: OAuth;
  readonly listeners: Listeners;
  readonly cors: (url: unknown, options?: unknown) => Promise<unknown>;
  readonly sendToFrontend: (...args: unknown[]) => void;
  /** The registrations as JSON text. */
  describe(): string;
  /** Starts to notify the host about changes of the registrations. */
  announceChanges(): void;
}

export function makeRuntime(world: DialectWorld): Runtime {
  const pluginInfo = readPluginInfo(world.pluginInfo, world.config);
  const permissions = makePermissions(world);
  const { onChange, announceChanges } = makeAnnouncer(world);
  const mutations = makeMutations();
  const listeners = makeListeners(world);
  const scope = readScope(world.config);
  const calls = makeHostCalls(world, permissions);
  const events = makeEvents(world, permissions, onChange);
  const tools = makeTools(world, permissions, mutations, onChange);
  const hooks = makeHooks(world, permissions, mutations, onChange);
  const macros = makeMacros(world, calls, mutations, onChange);
  const rpcPool = makeRpcPool(world, calls, mutations, onChange);
  const commands = makeCommands(world, listeners, mutations, onChange);
  const providers = makeProviders(world, permissions, mutations, listeners, onChange);
  const oauth = makeOAuth(world, calls, permissions);

  const cors = makeCors(world, permissions);
  const { sendToFrontend, ...frontend } = makeFrontend(calls, listeners);

  const spindle = makeSpindle(makeHostMembers(surface, calls, mutations), {
    ...hooks.api,
    ...providers.api,
    ...frontend,
    sendToFrontend,
    assemble: makeAssemble(calls),
    backendProcesses: makeProcesses('backendProcesses', calls, listeners),
    commands: commands.api,
    contracts,
    cors,
    enclave: makeEnclave(world, mutations, scope),
    ephemeral: makeEphemeral(world, mutations, permissions),
    generate: makeGenerate(calls, events),
    host: makeHost(pluginInfo, world.hostPowers),
    imageGen: { generateStream: makeImageStream(calls) },
    log: makeLog(world),
    macros: { resolve: macros.resolve },
    manifest: pluginInfo.manifest,
    oauth: oauth.api,
    on: events.on,
    permissions: permissions.api,
    registerMacro: macros.registerMacro,
    registerTool: tools.registerTool,
    rpcPool: rpcPool.api,
    storage: makeStorage(world, mutations),
    unregisterMacro: macros.unregisterMacro,
    unregisterTool: tools.unregisterTool,
    updateMacroValue: macros.updateMacroValue,
    userStorage: makeUserStorage(world, mutations, scope),
    variables: makeVariables(world, calls, mutations, scope),
    version: makeVersion(calls),
  });

  return {
    spindle,
    permissions,
    events,
    tools,
    hooks,
    macros,
    rpcPool,
    providers,
    oauth,
    listeners,
    cors,
    sendToFrontend,
    announceChanges,
    describe: () => {
      const registered =
        `{"events":${JSON.stringify(events.names())},"hooks":${hooks.describe()}` +
        `,"macros":${macros.describe()},"endpoints":${rpcPool.describe()}` +
        `,"commands":${commands.describe()},"providers":${providers.describe()}}`;
      return `{"tools":${tools.describe(registered)},"registered":${registered}}`;
    },
  };
}

function makeAnnouncer({ powers }: DialectWorld): {
  readonly onChange: () => void;
  readonly announceChanges: () => void;
} {
  let announcing = false;
  let announced = false;
  return {
    announceChanges: () => {
      announcing = true;
    },
    onChange: () => {
      if (!announcing || announced) return;
      announced = true;
      // Once for all changes of one job, because many extensions register everything again.
      powers.clock.queueMicrotask(() => {
        announced = false;
        powers.host.notify('contributions-changed', {});
      });
    },
  };
}

/**
 * The deeply frozen global `spindle`: members of the host, and members implemented in the guest. If
 * both have a namespace, its members are merged.
 */
function makeSpindle(hostMembers: Members, ownMembers: Members): object {
  const members: Members = { ...hostMembers };
  for (const [name, own] of Object.entries(ownMembers)) {
    const other = members[name];
    members[name] = isPlain(own) && isPlain(other) ? { ...other, ...own } : own;
  }
  return namespace('spindle', members);
}

/** These stay plain objects: a missing property is `undefined` and does not throw. */
const DATA: ReadonlySet<string> = new Set(['contracts', 'host', 'manifest']);

function namespace(path: string, members: Members): object {
  const made = Object.entries(members).map(([name, member]): [string, unknown] => [
    name,
    isPlain(member) && !DATA.has(name) ? namespace(`${path}.${name}`, member) : harden(member),
  ]);
  return strict(path, Object.fromEntries(made));
}

/** Whether the value is an object of members that still needs `strict`. */
function isPlain(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Object.isFrozen(value);
}
