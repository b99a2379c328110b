import type { DialectWorld } from '../dialect.js';
import { makeCommands } from './commands.js';
import { makeCors } from './cors.js';
import { makeEnclave } from './enclave.js';
import { makeEphemeral } from './ephemeral.js';
import { makeEvents, type Events } from './events.js';
import { makeFrontend } from './frontend.js';
import { makeAssemble, makeGenerate, makeImageStream } from './generate.js';
import { makeHostCalls } from './host-calls.js';
import { makeHostMembers } from './host-members.js';
import { contracts, makeHost, makeLog, makeVersion } from './host.js';
import { makeHooks, type Hooks } from './hooks.js';
import { readIntroduction } from './introduction.js';
import { makeListeners, type Listeners } from './listeners.js';
import { makeMacros, type Macros } from './macros.js';
import { makeMutations } from './mutations.js';
import { makeOAuth, type OAuth } from './oauth.js';
import { makePermissions, type HeldPermissions } from './permissions.js';
import { makeProcesses } from './processes.js';
import { makeProviders, type Providers } from './providers.js';
import { makeRpcPool, type RpcPool } from './rpc-pool.js';
import { readScope } from './scope.js';
import { makeSpindle } from './spindle.js';
import { makeStorage } from './storage.js';
import { surface } from './surface.js';
import { makeTools, type Tools } from './tools.js';
import { makeUserStorage } from './user-storage.js';
import { makeVariables } from './variables.js';

/** Everything behind the `spindle` global of one extension. */
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
  /** What is registered, as JSON text. */
  describe(): string;
  /** From now on changes to what is registered are told to the host. */
  announceChanges(): void;
}

export function makeRuntime(world: DialectWorld): Runtime {
  const introduction = readIntroduction(world.introduction);
  const permissions = makePermissions(world);
  const { onChange, announceChanges } = makeAnnouncer(world);
  const mutations = makeMutations();
  const listeners = makeListeners(world);
  const scope = readScope(world.config);
  const calls = makeHostCalls(world, permissions);
  const events = makeEvents(world, permissions);
  const tools = makeTools(world, permissions, mutations, onChange);
  const hooks = makeHooks(world, permissions, mutations, onChange);
  const macros = makeMacros(world, calls, mutations, onChange);
  const rpcPool = makeRpcPool(world, calls, mutations, onChange);
  const commands = makeCommands(world, listeners, mutations, onChange);
  const providers = makeProviders(world, permissions, mutations, listeners, onChange);
  const oauth = makeOAuth(world, calls, permissions);

  const spindle = makeSpindle(makeHostMembers(surface, calls, mutations), {
    ...hooks.api,
    ...providers.api,
    ...makeFrontend(calls, listeners),
    assemble: makeAssemble(calls),
    backendProcesses: makeProcesses('backendProcesses', calls, listeners),
    commands: commands.api,
    contracts,
    cors: makeCors(world, permissions),
    enclave: makeEnclave(world, mutations, scope),
    ephemeral: makeEphemeral(world, mutations, permissions),
    generate: makeGenerate(calls, events),
    host: makeHost(introduction),
    imageGen: { generateStream: makeImageStream(calls) },
    log: makeLog(world),
    macros: { resolve: macros.resolve },
    manifest: introduction.manifest,
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
    announceChanges,
    describe: () =>
      `{"tools":${tools.describe()},"registered":{"events":${JSON.stringify(events.names())}` +
      `,"hooks":${hooks.describe()},"macros":${macros.describe()},"endpoints":${rpcPool.describe()}` +
      `,"commands":${commands.describe()},"providers":${providers.describe()}}}`,
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
      // Once for everything that changes in one job: many re-register all that they have.
      powers.clock.queueMicrotask(() => {
        announced = false;
        powers.host.notify('offers', {});
      });
    },
  };
}
