import { makeApproval } from '../approval/approval.js';
import { openApprovalStore } from '../approval/store.js';
import { formatUnmatched, unmatchedRules } from '../approval/unmatched.js';
import { makeRuleBook } from '../approval/rule-book.js';
import { makeMountUse } from '../brokers/filesystem/mount-use.js';
import { makeWrittenFiles } from '../brokers/written-files.js';
import { type CatalogTool, makeCatalog } from '../catalog/catalog.js';
import { isBulkheadError, messageOf } from '../errors.js';
import { makeEventBus } from '../events.js';
import { makeApprovals } from './approvals.js';
import { openAudit } from './audit.js';
import { makeDenialLog } from './plugins/denial-log.js';
import { makeCallAdmission, whyRefused } from './call/admission.js';
import type { CallServices, CallSpec } from './call/call.js';
import { makeRunAdmitted } from './call/admitted.js';
import { type CallCarrier, makeRun } from './call/carried.js';
import { explainMissing } from './call/missing.js';
import { makeOpenCalls } from './call/open-calls.js';
import { makeCallId, prepareCall } from './call/prepare-call.js';
import { proveRead, ruleThatClears } from './call/read-proof.js';
import { streamCall } from './call/stream.js';
import { runPlaced } from './call/run.js';
import type { Engine } from './engine-api.js';
import { perPlugin } from './per-plugin.js';
import type { OpenEngine } from './open-engine.js';
import { makeOpenState } from './open-state.js';
import { filesOf } from './files.js';
import { makeHooks } from './hooks/hooks.js';
import { makeLifecycles } from './hooks/lifecycle.js';
import { makeHookTexts } from './hooks/transport.js';
import type { EngineServices } from './instance/instance.js';
import { makeLiveMode } from './instance/request-modes.js';
import { listen } from './logger.js';
import { openApprovalFilesOrMemory } from './node/approval-files.js';
import { openOfferPins } from './instance/offer-pins.js';
import { requireNode } from './node/require-node.js';
import { openPinFiles } from './node/text-cache.js';
import { watchDirectories } from './node/watcher.js';
import { makeGrants } from './plugins/grants.js';
import { explainGuestOptions } from './plugins/guest-option-warnings.js';
import { makePluginTable } from './plugins/installed.js';
import { lockedPins } from './plugins/lock.js';
import { permit } from './plugins/permit.js';
import { makeToolTable, type Placed } from './plugins/placement.js';
import { makeRegistry, type RegistrySpec } from './plugins/registry.js';
import { makeRemotes } from './plugins/remotes.js';
import { watchPlugins } from './plugins/watching.js';
import { makeNestedCalls } from './programs/nested-calls.js';
import { makePrograms, type ProgramRunner } from './programs/programs.js';
import { makeProgramTools, PROGRAM_TOOL_IDS } from './programs/program-tools.js';
import { findBundle, makeProgramPlacer } from './programs/saved-programs.js';
import { replayRecorded } from './recording/replay-recorded.js';
import { announceRecording, recordCall } from './recording/run.js';
import { openEngineRuntime, requireWalls } from './runtime.js';
import { shareSignal } from '../shared-signal.js';
import { checkDirectories, readSettings } from './settings.js';
import { openEngineStops } from './stops.js';
import { checkEngineOptions, checkNamedIds } from './types/check-options.js';
import { isolationOf } from './types/guest-options.js';
import { checkCallOptions } from './types/options-table.js';
import { openServers, openSystems, withSystemPowers } from './systems.js';
import type { CallOptions, EngineOptions } from './types/options.js';
import type { PackageSettings } from './types/package-options.js';
import type { PluginStatus } from './types/status.js';

/**
 * Finds the plugins, asks them for their contributions, and returns the engine that runs them. A
 * plugin that cannot be used is listed in `plugins()` with its problems; the others run.
 *
 * Throws `INVALID_OPTIONS`, and `WALL_MISSING` if a wall that `walls.require` names is missing.
 */
export async function createEngine(options: EngineOptions): Promise<Engine> {
  const { engine } = await openEngine(options);
  return engine;
}

/**
 * Opens an engine as `createEngine` does.
 *
 * @param carrier runs the calls that guests of this engine would run. Default: the guests run them
 * @param learning see `RegistrySpec.prepare` and `readSettings`
 */
export async function openEngine(
  options: EngineOptions,
  carrier?: CallCarrier,
  learning: Pick<RegistrySpec, 'prepare'> & { readonly packages?: PackageSettings } = {},
): Promise<OpenEngine> {
  requireNode();
  checkEngineOptions(options);
  const plugins = makePluginTable();
  const openCalls = makeOpenCalls();
  const systems = openSystems(
    plugins,
    () => ({ openCalls, approval, settings }),
    (plugin, message) => settings.logger.warn({ plugin }, message),
  );
  const { prepare, packages } = learning;
  const settings = readSettings(options, (own) => withSystemPowers(own, systems), packages);
  checkDirectories([...settings.plugins, ...(settings.defaultPlugins ?? [])]);
  const { limits } = settings;
  const events = makeEventBus(Date.now);
  listen(settings, events);

  const audit = await openAudit(settings.audit, events, settings.logger);
  const runtime = await openEngineRuntime(settings, events).catch(async (error: unknown) => {
    await audit.close();
    throw error;
  });
  const { catalog, replace } = makeCatalog({ strict: settings.collisions === 'strict' });
  const rules = settings.rules ?? makeRuleBook();
  const store = openApprovalStore(
    openApprovalFilesOrMemory(settings.storageDirectory, (reason) =>
      settings.logger.warn({ reason }, 'approvals cannot be stored: they end with this process'),
    ),
    Date.now,
  );
  const approval = makeApproval({
    approve: settings.approve,
    rules,
    store,
    events,
    timeoutMs: limits.approvalTimeoutMs,
    expiryMs: limits.approvalExpiryMs,
    now: Date.now,
  });
  const stopping = openEngineStops(settings.storageDirectory, events);
  const texts = makeHookTexts();
  const written = perPlugin(makeWrittenFiles);
  const services: EngineServices = {
    settings,
    events,
    guests: runtime.guests,
    stores: runtime.stores,
    written,
    mountUse: perPlugin(makeMountUse),
    notices: plugins.notices,
    pins: openOfferPins(settings),
    live: makeLiveMode({
      effects: settings.effects,
      approval,
      events,
      trusts: (plugin) => settings.trustHints.includes(plugin),
      beforeEffect: audit.beforeEffect,
    }),
    lifecycleOf: makeLifecycles({ texts, settings }),
    stops: stopping.gate,
    now: Date.now,
  };

  const servers = openServers(plugins, services);
  const grants = makeGrants(settings.grant, (plugin) => isolationOf(settings, plugin) !== 'plugin');
  const { contributions, scheduler, build } = runtime;
  const denials = makeDenialLog(events);
  const owned = { plugins, services, grants, contributions, scheduler, denials };
  const registry = makeRegistry({ ...owned, build, ...(prepare === undefined ? {} : { prepare }) });
  const { remotesWaitMs = REMOTES_WAIT_MS } = options;
  const remotes = makeRemotes({
    settings,
    events,
    pins:
      settings.lock === undefined
        ? openPinFiles(settings.storageDirectory)
        : lockedPins(settings.lock),
  });
  const tools = makeToolTable({
    catalog,
    replace,
    plugins,
    remotes,
    core: settings.core,
    // The tools run programs, and programs call tools: the runner is made below.
    derived:
      settings.programs === true
        ? makeProgramTools({ settings, catalog, runner: () => programs })
        : undefined,
    placeProgram: makeProgramPlacer(grants, () => programs),
    events,
  });
  const watching = watchPlugins({
    paths: [...settings.plugins, ...(settings.defaultPlugins ?? [])],
    watch: watchDirectories,
    reload: () => registry.reload(),
    onFailed: (error) => {
      const code = isBulkheadError(error) ? error.code : 'LOAD_FAILED';
      const message = messageOf(error);
      events.emit({ type: 'reload-failed', code, message });
    },
  });
  const open = makeOpenState(async () => {
    stopping.close();
    await programs.close();
    approval.close();
    await watching.close();
    runtime.stop();
    await Promise.all([registry.close().then(services.pins?.settled), remotes.close()]);
    await runtime.close();
    await audit.close();
  });

  const status = (about?: (id: string) => boolean): readonly PluginStatus[] => [
    ...registry.status(catalog, about),
    ...remotes.status(catalog, new Set(registry.ids()), about),
  ];
  const find = (name: string): { readonly tool: CatalogTool; readonly place: Placed } => {
    open.require();
    const tool = catalog.find(name);
    const place = tool === undefined ? undefined : tools.placeOf(tool);
    if (tool === undefined || place === undefined) {
      throw explainMissing(name, catalog, status, stopping.gate);
    }
    return { tool, place };
  };
  const idempotent = new Set(settings.idempotent);
  const recorded = new Set(settings.record);
  const callServices: CallServices = {
    limits,
    events,
    denials,
    openCalls,
    beforeEffect: audit.beforeEffect,
    // guard: idempotent-tools-named
    isIdempotent: ({ name, id }) => idempotent.has(name) || idempotent.has(id),
    clearsReads: (call, host) => ruleThatClears(call, rules.list(), host) !== undefined,
    isRecorded: ({ name, id, confinement }) =>
      confinement === 'compartment' && (recorded.has(name) || recorded.has(id)),
    record: async (call, run) => {
      const { result, recording } = await recordCall(call, runtime.guests, run);
      announceRecording(events, recording);
      // guard: recording-for-who-asked
      return call.options.record === true ? Object.assign(result, { recording }) : result;
    },
  };
  const specOf = (
    name: string,
    input: unknown,
    callOptions: CallOptions,
    callId = makeCallId(),
  ): CallSpec => {
    checkCallOptions(callOptions);
    shareSignal(callOptions.signal);
    const { tool, place } = find(name);
    const plan = { callId, tool, place, input, options: callOptions, limits };
    const { givenText, inputText, context, contextText } = prepareCall(plan);
    return {
      callId,
      tool,
      place,
      givenText,
      inputText,
      context,
      contextText,
      options: callOptions,
      services: callServices,
    };
  };
  const admission = makeCallAdmission({
    approval,
    settings,
    rules,
    find,
    stops: stopping.gate,
    prove: carrier === undefined ? (call) => proveRead(call, settings, rules.list()) : undefined,
    run: makeRun(carrier, { approval, settings }),
  });
  const nested = { catalog, admission, store, settings, specOf, excluded: PROGRAM_TOOL_IDS };
  const programs: ProgramRunner = makePrograms({
    services,
    bundler: runtime.bundler,
    calls: makeNestedCalls(nested),
    withdraw: (id) => void store.end(id, 'withdrawn'),
    findBundle: (id, hash) => findBundle(registry.find(id), hash),
  });
  const change = async (
    plugin: string,
    to: 'granted' | 'revoked',
    permissions: readonly string[],
  ): Promise<void> => {
    open.require();
    await permit({ grants, registry, events }, plugin, to, permissions);
  };

  /** A rule that matches nothing installed is often misspelt: it denies nothing then. */
  const warnAboutRules = (): void => {
    const unmatched = unmatchedRules(rules.list(), catalog.list());
    if (unmatched.length === 0) return;
    settings.logger.warn(
      { rules: unmatched.map(({ rule }) => rule.id) },
      `rules that match no installed tool: ${unmatched.map(formatUnmatched).join(', ')}`,
    );
  };

  const warnAboutGuestOptions = (): void => {
    const sentences = explainGuestOptions(settings, plugins.list(), catalog.list(), options);
    for (const sentence of sentences) settings.logger.warn({ source: 'options' }, sentence);
  };

  const engine: Engine = {
    catalog,
    hooks: makeHooks({
      settings,
      events,
      denials,
      texts,
      installed: plugins.list,
      requireOpen: open.require,
      stops: stopping.gate,
    }),
    call: (name, input, callOptions = {}) => {
      // Not async: this saves one promise per call.
      try {
        return admission.run(specOf(name, input, callOptions));
      } catch (error) {
        return Promise.reject(error);
      }
    },
    stream: (name, input, streamOptions = {}) =>
      streamCall((callOptions) => engine.call(name, input, callOptions), streamOptions),
    runProgram: async (source, programOptions = {}) => programs.start(source, programOptions).done,
    programs,
    previewCall: (name, input, callOptions = {}) =>
      admission.preview(specOf(name, input, callOptions)),
    availableTools: (situation) =>
      catalog
        .list()
        .filter((tool) => stopping.gate.find(tool.plugin) === undefined)
        .filter((tool) => whyRefused(tool, situation, settings) === undefined),
    files: (plugin, filesOptions = {}) =>
      filesOf(plugin, filesOptions, { ids: registry.ids(), written: written(plugin) }),
    rules,
    stops: stopping.stops,
    approvals: makeApprovals({ approval, store, admission, specOf }),
    grant: (plugin, ...permissions) => change(plugin, 'granted', permissions),
    revoke: (plugin, ...permissions) => change(plugin, 'revoked', permissions),
    ...systems.apis,
    mcpSources: () => [...servers(), ...remotes.sources(new Set(registry.ids()))],
    jwks: () => remotes.jwks(),
    accept: (id, digest) => registry.accept(id, digest) ?? remotes.accept(id, digest),
    logIn: (id, login) => remotes.logIn(id, login),
    logOut: (id) => remotes.logOut(id),
    replay: (recording, how = {}) =>
      replayRecorded(recording, how, { ...runtime, ...settings, installed: plugins.list }),
    plugins: () => status(),
    listing: () => registry.listing(),
    audit: audit.audit,
    guarantees: () => runtime.guarantees(),
    on: (listener, only) => events.on(listener, only),
    setEnabled: (plugin, enabled) => registry.setEnabled(plugin, enabled),
    reload: async ({ plugins: directories } = {}) => {
      await Promise.all([registry.reload(directories), remotes.load(remotesWaitMs)]);
      warnAboutRules();
      warnAboutGuestOptions();
    },
    close: open.close,
    [Symbol.asyncDispose]: open.close,
  };

  stopping.connect({
    approval,
    openCalls,
    programs,
    instances: registry.instances,
    onResumed: () => {
      const isMissing = status().some(({ problems }) =>
        problems.some(({ code }) => code === 'STOPPED'),
      );
      if (isMissing) registry.reload().catch(() => undefined);
    },
  });

  try {
    const { require } = settings.walls;
    // guard: required-walls-checked
    if (require.length > 0) requireWalls(require, await runtime.guarantees());
    await Promise.all([registry.reload(), remotes.load(remotesWaitMs)]);
    // A plugin that cannot be read has no id yet: then a grant or a secret may be its own.
    if (!status().some(({ format }) => format === undefined)) {
      const { grant, secrets } = options;
      checkNamedIds({ grant, secrets }, registry.ids());
    }
    warnAboutRules();
    warnAboutGuestOptions();
    if (settings.watch === true) await watching.start();
  } catch (error) {
    await engine.close();
    throw error;
  }
  return {
    engine,
    runAdmitted: makeRunAdmitted({
      settings,
      stops: stopping.gate,
      specOf,
      run: runPlaced,
    }),
    lock: settings.lock,
  };
}

/** Milliseconds that a start waits for remote servers. */
const REMOTES_WAIT_MS = 5_000;
