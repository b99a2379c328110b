import type { JsonObject } from '../../sandbox/wire/messages.js';
import { effectiveRisk } from '../approval/risk.js';
import { whyItAsks } from '../approval/tolerance.js';
import { byPlugin, type CatalogByPlugin } from '../catalog/by-plugin.js';
import type { Catalog, UnnamedTool } from '../catalog/catalog.js';
import { BulkheadError } from '../errors.js';
import type { EventBus } from '../events.js';
import { makeIdentity } from '../remotes/identity.js';
import { REMOTE_LIMITS } from '../remotes/limits.js';
import { openRemotes } from '../remotes/open.js';
import type { PinStore } from '../remotes/pins.js';
import type { Remote, RemoteListing, RemoteTool } from '../remotes/remote.js';
import { makeReconciler } from './entry/reconciler.js';
import type { PlacedTool } from './call/placed-elsewhere.js';
import type { Settings } from './options/settings.js';
import type { PluginStatus } from './plugins/status.js';

/** The servers of tools that an engine has, and what they offer. */
export interface Remotes {
  /** Asks all of them what they offer. One that does not answer keeps no other from being used. */
  load(): Promise<void>;
  /** The tools, and where they are, but for servers whose id is a plugin's: that one counts. */
  placed(plugins: ReadonlySet<string>): readonly PlacedTool[];
  /** Of all servers, or of those whose ids are `about`. */
  status(
    catalog: Catalog,
    plugins: ReadonlySet<string>,
    about?: (id: string) => boolean,
  ): readonly PluginStatus[];
  /** The public keys by which our tokens are verified. */
  jwks(): Promise<JsonObject>;
  /** Takes what a server offers now for reviewed. Throws `INVALID_OPTIONS` where there is none. */
  accept(id: string, digest?: string): Promise<void>;
  close(): Promise<void>;
}

export interface RemotesSpec {
  readonly settings: Settings;
  readonly events: EventBus;
  readonly pins: PinStore;
  readonly onChange: () => void;
}

interface Known {
  readonly remote: Remote;
  readonly load: { underWay: number };
  listing: RemoteListing | undefined;
  /** What is on that listing. */
  placed: readonly PlacedTool[];
}

/** Throws `INVALID_OPTIONS` for servers that cannot be registered. */
export function makeRemotes({ settings, events, pins, onChange }: RemotesSpec): Remotes {
  const identity = makeIdentity(settings.identity ?? { issuer: 'http://127.0.0.1' });
  const end = new AbortController();
  const { overrides, ca, proxy } = settings.network;
  const known = openRemotes(settings.remotes ?? [], {
    identity,
    pins,
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
  }).map((remote): Known => ({ remote, load: { underWay: 0 }, listing: undefined, placed: [] }));

  const ask = async (one: Known): Promise<void> => {
    const before = one.listing;
    const { tools, version } = (one.listing = await one.remote.load(end.signal));
    one.placed = tools.map((tool) => ({
      tool: listTool(one.remote, tool, settings),
      place: { remote: tool, hash: tool.hash, version, load: one.load, format: undefined },
    }));
    tell(one.remote, before, one.listing, events);
  };
  const again = (ones: readonly Known[]): void => {
    if (end.signal.aborted) return;
    void Promise.all(ones.map(ask)).then(() => (end.signal.aborted ? undefined : onChange()));
  };
  for (const one of known) {
    // A server may say so in a loop: each time is a listing to fetch, and a catalog to make.
    const { notice } = makeReconciler({
      ask: async () => (end.signal.aborted ? undefined : ask(one).then(() => one.listing)),
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
    load: async () => {
      await Promise.all(known.map(ask));
      if (known.length > 0) onChange();
    },
    placed: (plugins) =>
      end.signal.aborted
        ? []
        : known.flatMap(({ remote, placed }) => (plugins.has(remote.id) ? [] : placed)),
    status: (catalog, plugins, about = () => true) => {
      const told = known.filter(({ remote }) => about(remote.id));
      if (told.length === 0) return [];
      const sorted = byPlugin(catalog);
      return told.map((one) => statusOf(one, sorted, plugins));
    },
    jwks: () => identity.jwks(),
    accept: async (id, digest) => {
      const one = known.find(({ remote }) => remote.id === id);
      if (one === undefined) throw unknown(id, known);
      await one.remote.accept(digest);
      await ask(one);
      onChange();
    },
    close: async () => {
      end.abort();
      clearInterval(timer);
      await Promise.all(known.map(({ remote }) => remote.close()));
    },
  };
}

/** A tool of a server as the catalog shows it. */
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
    annotations,
    timeoutMs: settings.limits.timeoutMs,
    declaredRisk,
    ...risk,
    ...(tool.category === undefined ? {} : { category: tool.category }),
    source: 'mcp',
    requireApproval,
    ...(asks === undefined ? {} : { asks }),
    background: annotations.readOnlyHint === true && band === 'low' && asks === undefined,
    confinement: remote.local ? 'host' : 'remote',
  };
}

function statusOf(
  { remote, listing }: Known,
  catalog: CatalogByPlugin,
  plugins: ReadonlySet<string>,
): PluginStatus {
  const { id, kind, where } = remote;
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

/** Says what is new: a server that is down for a day is told of once. */
function tell(
  { id, where }: Remote,
  before: RemoteListing | undefined,
  after: RemoteListing,
  events: EventBus,
): void {
  if (before === undefined) events.emit({ type: 'plugin-found', plugin: id, directory: where });
  const told = new Set((before?.problems ?? []).map(({ message }) => message));
  for (const { code, message } of after.problems) {
    if (told.has(message)) continue;
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
