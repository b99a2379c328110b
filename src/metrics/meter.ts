import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { BulkheadEvent, EventListener } from '../events.js';

/** Counts an engine's events: `engine.on(meter.listener)`. */
export interface Meter {
  readonly listener: EventListener;
  /** Counts an answered HTTP request. */
  request(request: MeteredRequest): void;
  /** All metrics in Prometheus' text format, version 0.0.4. */
  text(): Promise<string>;
  /** The content type of that text. */
  readonly contentType: string;
}

/** An HTTP request. `route` is one of the server's own paths, because callers choose their paths. */
export interface MeteredRequest {
  readonly route: string;
  readonly status: number;
  readonly durationMs: number;
}

/** A runner of a fleet, as its last heartbeat describes it. */
export interface MeteredRunner {
  readonly name: string;
  readonly state: string;
  readonly callsUnderWay: number;
  readonly maxCalls: number;
  /** Bytes. */
  readonly freeMemory: number;
}

export interface MeterOptions {
  /** Returns the remote tool servers, and whether each answers, whenever the metrics are read. */
  readonly remotes?: () => readonly { readonly id: string; readonly isUp: boolean }[];
  /** Returns the runners of a fleet, whenever the metrics are read. Default: none. */
  readonly runners?: () => readonly MeteredRunner[];
  /** Adds the metrics of this process (processor time, memory, event loop). Default: false. */
  readonly process?: boolean;
  /** The build, as labels of `bulkhead_build_info`. Default: none. */
  readonly build?: { readonly version: string; readonly node: string };
  /**
   * Series of one metric, at least 1. Stops plugins from filling the host's memory with names: plugins,
   * tools and hooks beyond the limit count together as `_other`. Default: 1,000.
   */
  readonly maxSeries?: number;
}

/** Makes a meter with a registry of its own. No label contains an input, a result, an address or a path. */
export function makeMeter(options: MeterOptions = {}): Meter {
  const { maxSeries = 1_000, remotes = () => [], runners = () => [], build } = options;
  const registry = new Registry();
  const metrics = makeMetrics(registry, Math.max(1, maxSeries));
  if (options.process === true) collectDefaultMetrics({ register: registry });
  if (build !== undefined) metrics.build.set({ ...build }, 1);
  const pending = new Map<string, number>();
  return {
    listener: (event) => count(event, metrics, pending),
    request: ({ route, status, durationMs }) => {
      metrics.requests(route, String(status));
      metrics.requestTime(durationMs, route);
    },
    text: () => {
      metrics.remotes.reset();
      for (const { id, isUp } of remotes()) metrics.remotes.set({ remote: id }, isUp ? 1 : 0);
      showRunners(runners(), metrics, Math.max(1, maxSeries));
      return registry.metrics();
    },
    contentType: registry.contentType,
  };
}

/** Seconds: from a call that only computes to one that waits for another server. */
const CALL_BUCKETS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** Seconds: people answer within seconds, or after lunch. */
const WAIT_BUCKETS = [1, 2.5, 5, 10, 20, 30, 60, 120, 300, 900, 3600];

/** Every metric, in the order of the text. */
function makeMetrics(registry: Registry, maxSeries: number) {
  const registers = [registry];
  const counter = (name: string, help: string, ...labelNames: readonly string[]) => {
    const metric = new Counter({ name: `bulkhead_${name}`, help, labelNames, registers });
    const labelsOf = makeLabels(labelNames, maxSeries);
    return (...values: readonly string[]): void => metric.inc(labelsOf(values));
  };
  const histogram = (name: string, help: string, buckets: number[], ...labelNames: string[]) => {
    const metric = new Histogram({
      name: `bulkhead_${name}`,
      help,
      labelNames,
      buckets,
      registers,
    });
    const labelsOf = makeLabels(labelNames, maxSeries);
    return (milliseconds: number, ...values: readonly string[]): void =>
      metric.observe(labelsOf(values), milliseconds / 1_000);
  };
  const gauge = (name: string, help: string, ...labelNames: readonly string[]): Gauge =>
    new Gauge({ name: `bulkhead_${name}`, help, labelNames, registers });
  return {
    calls: counter('calls_total', 'Calls that ended, by outcome.', 'plugin', 'tool', 'outcome'),
    callTime: histogram('call_seconds', 'Duration of calls.', CALL_BUCKETS, 'plugin', 'tool'),
    reruns: counter('call_reruns_total', 'Calls that ran twice.', 'plugin', 'tool'),
    stateLost: counter('state_lost_total', 'Guests that ended with state.', 'plugin', 'reason'),
    used: counter('used_total', 'Uses of granted permissions.', 'plugin', 'permission'),
    denied: counter('denied_total', 'Denied uses of permissions.', 'plugin', 'permission'),
    prompts: counter('prompts_total', 'Approvals requested from a person.', 'plugin'),
    approvalsPending: gauge('approvals_pending', 'Calls that wait for approval.'),
    approvalWait: histogram('approval_wait_seconds', 'Time to a verdict.', WAIT_BUCKETS, 'verdict'),
    hookTime: histogram('hook_seconds', 'Duration of hooks.', CALL_BUCKETS, 'hook', 'plugin'),
    restarts: counter('sandbox_restarts_total', 'Guests that failed.', 'plugin', 'reason'),
    guests: gauge('sandboxes', 'Guests with a plugin.'),
    standby: gauge('pool_standby', 'Standby guests without a plugin.'),
    queued: gauge('calls_waiting', 'Queued calls.'),
    requests: counter('http_requests_total', 'HTTP requests, by status.', 'route', 'status'),
    requestTime: histogram('http_seconds', 'Duration of HTTP requests.', CALL_BUCKETS, 'route'),
    remotes: gauge('remote_up', 'Whether a remote tool server answers (1) or not (0).', 'remote'),
    runners: gauge('fleet_runners', 'Runners of the fleet, by state.', 'state'),
    runnerCalls: gauge('fleet_runner_calls', 'Calls that run on a runner.', 'runner'),
    runnerMaxCalls: gauge('fleet_runner_max_calls', 'Calls that a runner runs at once.', 'runner'),
    runnerMemory: gauge('fleet_runner_free_bytes', 'Free memory of a runner.', 'runner'),
    build: gauge('build_info', 'The version of Bulkhead and of Node.', 'version', 'node'),
  };
}

type Metrics = ReturnType<typeof makeMetrics>;

/** Replaces the series of runners. Runners beyond the limit are counted by state alone. */
function showRunners(
  runners: readonly MeteredRunner[],
  { runners: states, runnerCalls, runnerMaxCalls, runnerMemory }: Metrics,
  maxSeries: number,
): void {
  for (const metric of [states, runnerCalls, runnerMaxCalls, runnerMemory]) metric.reset();
  for (const { state } of runners) states.inc({ state });
  for (const { name, callsUnderWay, maxCalls, freeMemory } of runners.slice(0, maxSeries)) {
    const runner = name.slice(0, MAX_LABEL);
    runnerCalls.set({ runner }, callsUnderWay);
    runnerMaxCalls.set({ runner }, maxCalls);
    runnerMemory.set({ runner }, freeMemory);
  }
}

/** Replaces the plugin, tool and hook of each series above the limit. */
const OTHER = '_other';

/** Characters. Longer label values are cut. */
const MAX_LABEL = 128;

/** Names values as labels. Plugins choose these values, so a metric has a limit of series. */
function makeLabels(
  names: readonly string[],
  maxSeries: number,
): (values: readonly string[]) => Record<string, string> {
  const known = new Set<string>();
  const label = (values: readonly string[]): Record<string, string> =>
    Object.fromEntries(names.map((name, index) => [name, values[index] ?? '']));
  return (values) => {
    const cut = values.map((value) => value.slice(0, MAX_LABEL));
    const key = JSON.stringify(cut);
    if (!known.has(key)) {
      // guard: metric-series-cap
      if (known.size >= maxSeries) return label(names.map(() => OTHER));
      known.add(key);
    }
    return label(cut);
  };
}

/** Causes of a guest's end that are not failures. */
const ORDINARY: ReadonlySet<string> = new Set(['closed', 'idle', 'replaced', 'revoked']);

function count(event: BulkheadEvent, metrics: Metrics, pending: Map<string, number>): void {
  switch (event.type) {
    case 'call-ended': {
      const { plugin, tool, durationMs, code, outcome } = event;
      metrics.calls(plugin, tool, code ?? outcome);
      metrics.callTime(durationMs, plugin, tool);
      break;
    }
    case 'call-rerun':
      metrics.reruns(event.plugin, event.tool);
      break;
    case 'state-lost':
      metrics.stateLost(event.plugin, event.cause);
      break;
    case 'capability-used':
      metrics.used(event.plugin, event.permission);
      break;
    case 'capability-denied':
      metrics.denied(event.plugin, event.permission);
      break;
    case 'approval-asked':
      metrics.prompts(event.plugin);
      pending.set(event.approval, event.atMs);
      metrics.approvalsPending.set(pending.size);
      break;
    case 'approval-answered':
    case 'approval-given':
    case 'approval-refused': {
      // A verdict without a pending request came from a rule or from an earlier verdict.
      const { approval = '' } = event;
      const sinceMs = pending.get(approval);
      pending.delete(approval);
      metrics.approvalsPending.set(pending.size);
      const refused =
        event.type === 'approval-refused' ||
        (event.type === 'approval-answered' && event.verdict === 'deny');
      const verdict = refused ? 'refused' : 'given';
      if (sinceMs !== undefined) metrics.approvalWait(event.atMs - sinceMs, verdict);
      break;
    }
    case 'hook-ended':
      metrics.hookTime(event.durationMs, event.hook, event.plugin);
      break;
    case 'guest-started':
      metrics.guests.inc();
      break;
    case 'guest-ended':
      metrics.guests.dec();
      if (!ORDINARY.has(event.cause)) metrics.restarts(event.plugin, event.cause);
      break;
    case 'pool-changed':
      metrics.standby.set(event.standby);
      break;
    case 'queue-changed':
      metrics.queued.set(event.calls);
      break;
    default:
  }
}
