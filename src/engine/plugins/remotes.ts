import type { JsonObject } from '../../../sandbox/wire/messages.js';
import { effectiveRisk } from '../../approval/risk.js';
import { whyItAsks } from '../../approval/policy.js';
import {
  type Catalog,
  type CatalogByPlugin,
  type UnnamedTool,
  byPlugin,
} from '../../catalog/catalog.js';
import { BulkheadError } from '../../errors.js';
import type { EventBus } from '../../events.js';
import type { McpSource } from '../../plugin/mcp-source.js';
import { isDoneWithin } from '../../waiting.js';
import { openLoginFiles } from '../node/login-files.js';
import { makeIdentity } from '../../remotes/identity.js';
import { REMOTE_LIMITS } from '../../remotes/limits.js';
import { openRemotes } from '../../remotes/open.js';
import type { PinStore } from '../../remotes/pins.js';
import type { Remote, RemoteListing, RemoteLogin, RemoteTool } from '../../remotes/remote.js';
import type { PlacedTool } from '../types/place.js';
import type { Settings } from '../types/settings.js';
import type { PluginStatus } from '../types/status.js';
import { makeRefreshDebouncer } from './refresh-debouncer.js';

/** The remote servers of an engine, with their tools. */
export interface Remotes {
  /**
   * Queries the tools of all servers. A server that does not answer does not affect the others. Waits at most
   * `waitMs` (default: for all); the tools of the others are added when they answer.
   */
  load(waitMs?: number): Promise<void>;
  /** The tools with their places. Servers with the id of a plugin are left out. */
  placed(plugins: ReadonlySet<string>): readonly PlacedTool[];
  /** The status of all servers, or of those whose ids match `about`. */
  status(
    catalog: Catalog,
    plugins: ReadonlySet<string>,
    about?: (id: string) => boolean,
  ): readonly PluginStatus[];
  /** What the servers offer besides tools. Servers with the id of a plugin are left out. */
  sources(plugins: ReadonlySet<string>): readonly McpSource[];
  /** The public keys that verify the engine's tokens. */
  jwks(): Promise<JsonObject>;
  /**
   * Accepts a server's current tools as reviewed. Throws `INVALID_OPTIONS` if there is no such
   * server.
   */
  accept(id: string, digest?: string): Promise<void>;
  /** Throws `INVALID_OPTIONS` if there is no such server, or it has no login. */
  logIn(id: string, login: RemoteLogin): Promise<void>;
  logOut(id: string): Promise<void>;
  /** Calls the listener when the tools of a server have changed. */
  onChange(listener: () => void): void;
  close(): Promise<void>;
}

export interface RemotesSpec {
  readonly settings: Settings;
  readonly events: EventBus;
  readonly pins: PinStore;
}

interface Known {
  readonly remote: Remote;
  readonly load: { underWay: number };
  /** Lists the tools again. */
  readonly refresh: () => Promise<void>;
  listing: RemoteListing | undefined;
  /** The placed tools of the listing. */
  placed: readonly PlacedTool[];
}

/** Throws `INVALID_OPTIONS` for servers that cannot be registered. */
export function makeRemotes({ settings, events, pins }: RemotesSpec): Remotes {
  const listeners: (() => void)[] = [];
  const onChange = (): void => {
    for (const listener of listeners) listener();
  };
  const identity = makeIdentity(settings.identity ?? { issuer: 'http://127.0.0.1' });
  const end = new AbortController();
  const { overrides, ca, proxy } = settings.network;
  const list = async (one: Known): Promise<void> => {
    const before = one.listing;
    const { tools, version } = (one.listing = await one.remote.load(end.signal));
    one.placed = tools.map((tool) => ({
      tool: listTool(one.remote, tool, settings),
      place: { remote: tool, hash: tool.hash, version, load: one.load, format: undefined },
    }));
    emitChanges(one.remote, before, one.listing, events);
  };
  const known = openRemotes(settings.remotes ?? [], {
    identity,
    pins,
    logins: openLoginFiles(settings.storageDirectory, settings.enclaveKeyFile),
    network: {
      ...(overrides === undefined ? {} : { overrides }),
      ...(ca === undefined ? {} : { ca }),
      ...(proxy === undefined ? {} : { proxy }),
    },
    onRequest: (plugin, { url, method, outcome, status, bytesIn, bytesOut, durationMs }) =>
      events.emit({
        type: outcome === 'denied' ? 'capability-denied' : 'capability-used',
        plugin,
        permission: 'network',
        wanted: `${method} ${url}`,
        outcome: status === undefined ? outcome : String(status),
        bytesIn,
        bytesOut,
        durationMs,
      }),
  }).map((remote): Known => {
    const one: Known = {
      remote,
      load: { underWay: 0 },
      listing: undefined,
      placed: [],
      refresh: oneAtATime(() => list(one)),
    };
    return one;
  });

  const named = (id: string): Known => {
    const one = known.find(({ remote }) => remote.id === id);
    if (one === undefined) throw unknown(id, known);
    return one;
  };
  const again = (ones: readonly Known[]): void => {
    if (end.signal.aborted) return;
    void Promise.all(ones.map((one) => one.refresh())).then(() =>
      end.signal.aborted ? undefined : onChange(),
    );
  };
  for (const one of known) {
    // A server may report changes in a loop, and each report costs a listing and a catalog.
    const { notice } = makeRefreshDebouncer({
      ask: async () => (end.signal.aborted ? undefined : one.refresh().then(() => one.listing)),
      take: () => (end.signal.aborted ? undefined : onChange()),
      now: () => performance.now(),
      intervalMs: REMOTE_LIMITS.changedMs,
    });
    one.remote.onChange(notice);
  }
  const timer = setInterval(() => again(known), REMOTE_LIMITS.refreshMs);
  timer.unref();
  if (known.length === 0) clearInterval(timer);

  return {
    load: async (waitMs) => {
      if (known.length === 0) return;
      // Each server's tools are added when it answers: a silent one delays no other.
      const listed = Promise.all(
        known.map((one) => one.refresh().then(() => (end.signal.aborted ? undefined : onChange()))),
      );
      if (waitMs === undefined) await listed;
      else await isDoneWithin(listed, waitMs);
    },
    placed: (plugins) =>
      end.signal.aborted
        ? []
        : known.flatMap(({ remote, placed }) => (plugins.has(remote.id) ? [] : placed)),
    status: (catalog, plugins, about = () => true) => {
      const updated = known.filter(({ remote }) => about(remote.id));
      if (updated.length === 0) return [];
      const sorted = byPlugin(catalog);
      return updated.map((one) => statusOf(one, sorted, plugins));
    },
    sources: (plugins) =>
      known.flatMap(({ remote: { id, source } }) =>
        source === undefined || plugins.has(id) ? [] : [source],
      ),
    onChange: (listener) => {
      listeners.push(listener);
    },
    jwks: () => identity.jwks(),
    accept: async (id, digest) => {
      const one = named(id);
      await one.remote.accept(digest);
      await one.refresh();
      onChange();
    },
    logIn: async (id, login) => {
      const one = named(id);
      if (one.remote.logIn === undefined) throw withoutLogin(id);
      await one.remote.logIn(login);
      await one.refresh();
      onChange();
    },
    logOut: async (id) => {
      const { remote } = named(id);
      if (remote.logOut === undefined) throw withoutLogin(id);
      await remote.logOut();
    },
    close: async () => {
      end.abort();
      clearInterval(timer);
      await Promise.all(known.map(({ remote }) => remote.close()));
    },
  };
}

/**
 * Runs one call at a time. All calls that arrive during a run share the run after it. Two lists of one server
 * at once would both count as its first list, and both would be pinned.
 */
function oneAtATime(run: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  const start = (): Promise<void> => {
    next = undefined;
    running = run().finally(() => (running = undefined));
    return running;
  };
  return () => {
    if (running === undefined && next === undefined) return start();
    return (next ??= Promise.allSettled([running]).then(start));
  };
}

/** A server's tool as the catalog shows it. */
function listTool(remote: Remote, tool: RemoteTool, settings: Settings): UnnamedTool {
  const { annotations, declaredRisk, requireApproval } = tool;
  const { band, why } = effectiveRisk({
    declared: declaredRisk,
    reach: 'remote',
    trusted: settings.trustHints.includes(remote.id),
    policy: settings.riskPolicy,
  });
  const risk = { risk: band, riskWhy: why };
  const asks = whyItAsks({ ...risk, requireApproval, byFlagAlone: false }, settings.tolerance);
  return {
    plugin: remote.id,
    tool: tool.tool,
    title: tool.title,
    description: tool.description,
    inputSchema: tool.inputSchema,
    ...(tool.outputSchema === undefined ? {} : { outputSchema: tool.outputSchema }),
    annotations,
    timeoutMs: settings.limits.timeoutMs,
    declaredRisk,
    ...risk,
    ...(tool.category === undefined ? {} : { category: tool.category }),
    source: 'mcp',
    requireApproval,
    ...(asks === undefined ? {} : { asks }),
    background: annotations.readOnlyHint === true && band === 'low' && asks === undefined,
    confinement: remote.confinement,
  };
}

function statusOf(
  { remote, listing }: Known,
  catalog: CatalogByPlugin,
  plugins: ReadonlySet<string>,
): PluginStatus {
  const { id, kind, where, confinement } = remote;
  const taken = plugins.has(id);
  const problems = taken
    ? [
        {
          code: 'NAME_COLLISION' as const,
          message: `The server at ${where} is not used: its id ${id} belongs to a plugin. Register it with another.`,
        },
      ]
    : (listing?.problems ?? []);
  const offers = (listing?.tools.length ?? 0) > 0;
  return {
    id,
    format: kind,
    directory: where,
    confinement,
    name: listing?.name ?? id,
    version: listing?.version,
    description: listing?.description,
    state: taken || (!offers && problems.length > 0) ? 'failed' : 'active',
    problems,
    alerts: [],
    entries: [],
    tools: taken ? [] : catalog.tools(id),
  };
}

/** Emits changes of a server's state. A server that stays down is reported once. */
function emitChanges(
  { id, where }: Remote,
  before: RemoteListing | undefined,
  after: RemoteListing,
  events: EventBus,
): void {
  if (before === undefined) events.emit({ type: 'plugin-found', plugin: id, directory: where });
  const reported = new Set((before?.problems ?? []).map(({ message }) => message));
  for (const { code, message } of after.problems) {
    if (reported.has(message)) continue;
    events.emit({ type: 'plugin-refused', plugin: id, directory: where, code, message });
  }
}

function unknown(id: string, known: readonly Known[]): BulkheadError {
  const ids = known.map(({ remote }) => remote.id).join(', ');
  return new BulkheadError(
    'INVALID_OPTIONS',
    `There is no server ${id}. There ${known.length === 0 ? 'is none' : `are ${ids}`}.`,
    { option: 'remotes' },
  );
}

function withoutLogin(id: string): BulkheadError {
  return new BulkheadError(
    'INVALID_OPTIONS',
    `The server ${id} has no login. To log in at an MCP server, add "oauth": true to the remote ${id}.`,
    { option: 'remotes' },
  );
}
