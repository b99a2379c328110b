import { makeApproval } from '../approval/approval.js';
import { makeRuleBook } from '../approval/rule-book.js';
import { type CatalogTool, makeCatalog } from '../catalog/catalog.js';
import { BulkheadError } from '../errors.js';
import { makeEventBus } from '../events.js';
import { openAudit } from './audit.js';
import type { CallSpec } from './call/call.js';
import { makeCallId } from './call/call-id.js';
import { makeConsent, whyRefused } from './call/consent.js';
import { makeEffects } from './call/effects.js';
import type { Engine } from './engine-api.js';
import { makeHooks } from './hooks/hooks.js';
import { type LogGate, makeLogGate } from './log-gate.js';
import { LOGGED, logEvents } from './logger.js';
import { openMachinery, requireWalls } from './machinery.js';
import { type GrantChange, makeGrants } from './grants/grants.js';
import { explainMissing } from './call/missing.js';
import type { CallOptions, EngineOptions } from './options/options.js';
import { permit } from './grants/permit.js';
import { type Placed, type Placement, placeTools } from './call/placement.js';
import { parseRecord } from './recording/record.js';
import { replay } from './recording/replay.js';
import { prepareCall } from './call/prepare-call.js';
import { keepPins } from './powers/kept-pins.js';
import { makeRegistry } from './plugins/registry.js';
import { makeRemotes } from './remotes.js';
import { runPlaced } from './call/run.js';
import { watchDirectories } from './powers/watcher.js';
import { readSettings } from './options/settings.js';
import { type Extension, extensionsOf } from './spindle/extension.js';
import { rpcPower } from './spindle/rpc-pool.js';
import { makeSpindleHost } from './spindle/spindle-host.js';
import type { PluginStatus } from './plugins/status.js';
import { makeCollisionTeller } from './plugins/tell-collisions.js';
import { type Watching, watchPlugins } from './plugins/watching.js';

/**
 * Finds the plugins, asks what they offer, and answers with the engine that runs them. A plugin that
 * cannot be used is told in `plugins()` and keeps no other from running.
 *
 * Throws `INVALID_OPTIONS`, and `WALL_MISSING` where the host requires a wall that does not stand.
 */
export async function createEngine(options: EngineOptions): Promise<Engine> {
  const settings = readSettings(withRpcPool(options, () => extensions()));
  const { limits } = settings;
  const events = makeEventBus(Date.now);
  const gateOf = (plugin: string): LogGate =>
    makeLogGate({
      plugin,
      events,
      maxLogLinesPerSecond: limits.maxLogLinesPerSecond,
      now: Date.now,
    });
  events.on(logEvents({ logger: settings.logger, gateOf }), LOGGED);
  if (settings.onEvent !== undefined) events.on(settings.onEvent);

  const kept = await openAudit(settings.audit, events, settings.logger);
  const machinery = await openMachinery(settings, events).catch(async (error: unknown) => {
    await kept.close();
    throw error;
  });
  const { catalog, replace } = makeCatalog({ strict: settings.collisions === 'strict' });
  const rules = settings.rules ?? makeRuleBook();
  const approval = makeApproval({
    approve: settings.approve,
    rules,
    events,
    timeoutMs: limits.approvalTimeoutMs,
    now: Date.now,
  });
  let placeOf: Placement['placeOf'] = () => undefined;
  let closing: Promise<void> | undefined;

  const grants = makeGrants(settings.grant);
  const tellCollisions = makeCollisionTeller(events);
  const registry = makeRegistry({
    settings,
    grants,
    events,
    machinery,
    effects: makeEffects({ mode: settings.effects, approval, events }),
    onChange: () => replaceTools(),
  });
  const plugins = (): ReadonlySet<string> => new Set(registry.ids());
  const remotes = makeRemotes({
    settings,
    events,
    pins: keepPins(settings.storageDirectory),
    onChange: () => replaceTools(),
  });
  const replaceTools = (): void => {
    const installed = registry.installed();
    const placement = placeTools(installed, settings.core, remotes.placed(plugins()));
    ({ placeOf } = placement);
    replace(placement.tools, placement.removed);
    tellCollisions(catalog.collisions(), installed);
    events.emit({ type: 'catalog-changed', tools: catalog.list().length });
  };

  const extensions = (): readonly Extension[] => extensionsOf(registry.installed(), settings);

  const requireOpen = (): void => {
    if (closing !== undefined) throw engineClosed();
  };
  const hooks = makeHooks({
    settings,
    events,
    texts: machinery.hookTexts,
    installed: () => registry.installed(),
    requireOpen,
  });

  const status = (about?: (id: string) => boolean): readonly PluginStatus[] => [
    ...registry.status(catalog, about),
    ...remotes.status(catalog, plugins(), about),
  ];

  const find = (name: string): { readonly tool: CatalogTool; readonly place: Placed } => {
    requireOpen();
    const tool = catalog.find(name);
    const place = tool === undefined ? undefined : placeOf(tool);
    if (tool === undefined || place === undefined) {
      throw explainMissing(name, catalog, status);
    }
    return { tool, place };
  };

  const specOf = (name: string, input: unknown, callOptions: CallOptions): CallSpec => {
    const { tool, place } = find(name);
    const callId = makeCallId();
    const plan = { callId, tool, place, input, options: callOptions, limits };
    const { inputText, context, contextText } = prepareCall(plan);
    const beforeEffect = isHighRisk(tool) ? kept.flush : undefined;
    return {
      callId,
      tool,
      place,
      inputText,
      context,
      contextText,
      options: callOptions,
      limits,
      events,
      beforeEffect,
    };
  };
  const consent = makeConsent({
    approval,
    settings,
    find,
    run: (spec) => runPlaced(spec, machinery),
  });

  const change = (
    plugin: string,
    to: GrantChange['to'],
    permissions: readonly string[],
  ): Promise<void> =>
    closing === undefined
      ? permit({ grants, registry, events }, plugin, to, permissions)
      : Promise.reject(engineClosed());

  let watching: Watching | undefined;
  const close = async (): Promise<void> => {
    await watching?.close();
    machinery.close();
    await Promise.all([registry.close(), remotes.close()]);
    await kept.close();
  };

  const engine: Engine = {
    catalog,
    hooks,
    call: (name, input, callOptions = {}) => {
      // A promise less than an async function would make of it.
      try {
        return consent.run(specOf(name, input, callOptions));
      } catch (error) {
        return Promise.reject(error);
      }
    },
    foresee: (name, input, callOptions = {}) => consent.foresee(specOf(name, input, callOptions)),
    offered: (situation) =>
      catalog.list().filter((tool) => whyRefused(tool, situation, settings) === undefined),
    rules,
    grant: (plugin, ...permissions) => change(plugin, 'granted', permissions),
    revoke: (plugin, ...permissions) => change(plugin, 'revoked', permissions),
    spindle: makeSpindleHost(extensions),
    jwks: () => remotes.jwks(),
    accept: (id, digest) => remotes.accept(id, digest),
    replay: async (record, replayOptions) => replay(parseRecord(record), machinery, replayOptions),
    plugins: () => status(),
    listing: () => registry.listing(),
    audit: kept.audit,
    guarantees: () => machinery.guarantees(),
    on: (listener) => events.on(listener),
    setEnabled: (plugin, enabled) => registry.setEnabled(plugin, enabled),
    reload: async ({ plugins: directories } = {}) => {
      await Promise.all([registry.reload(directories), remotes.load()]);
    },
    close: () => (closing ??= close()),
    [Symbol.asyncDispose]: () => engine.close(),
  };

  try {
    const { require } = settings.walls;
    if (require.length > 0) requireWalls(require, await machinery.guarantees());
    await Promise.all([registry.reload(), remotes.load()]);
    if (settings.watch === true) {
      const paths = [...settings.plugins, ...(settings.defaultPlugins ?? [])];
      watching = watchPlugins({ paths, watch: watchDirectories, reload: () => registry.reload() });
      await watching.ready;
    }
  } catch (error) {
    await engine.close();
    throw error;
  }
  return engine;
}

/** The host's own power of that name comes before the engine's. */
function withRpcPool(
  options: EngineOptions,
  extensions: () => readonly Extension[],
): EngineOptions {
  const { powers = [] } = options;
  const own = rpcPower(extensions);
  return powers.some(({ name }) => name === own.name)
    ? options
    : { ...options, powers: [...powers, own] };
}

function engineClosed(): BulkheadError {
  return new BulkheadError('ENGINE_CLOSED', 'The engine was closed: it runs nothing more.', {});
}

/** What is not to happen unless it is on the disk that it was about to. */
function isHighRisk({ risk, asks }: CatalogTool): boolean {
  return risk === 'high' || asks !== undefined;
}
