import type { BulkheadEvent } from '../events.js';
import type { PermissionName } from '../permissions/kind.js';

export interface LogLine {
  readonly atMs: number;
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  /** The plugin's words. */
  readonly text: string;
}

/** A use of a permission, with its number. */
export interface CountedUse {
  readonly permission: PermissionName | 'builtin';
  readonly wanted: string;
  readonly count: number;
}

/** What one plugin did since the console started. */
export interface PluginActivity {
  readonly calls: number;
  readonly failed: number;
  /** Calls in each of the last 60 minutes, oldest first. */
  readonly perMinute: readonly number[];
  readonly denied: readonly CountedUse[];
  /** Uses of each kind of permission. */
  readonly used: ReadonlyMap<string, number>;
  /** Requests to each host. */
  readonly hosts: ReadonlyMap<string, number>;
  readonly pids: readonly number[];
}

export interface PluginActivities {
  readonly listener: (event: BulkheadEvent) => void;
  of(plugin: string): PluginActivity;
  /** The last log lines of a plugin, oldest first. */
  logsOf(plugin: string): readonly LogLine[];
}

const MINUTES = 60;
const MAX_LINES = 500;
const MAX_LINE_CHARACTERS = 4_000;
const MAX_DENIED = 50;
/** A wildcard lets the plugin choose hosts. */
const MAX_HOSTS = 200;
const MAX_DRY_RUNS = 1_000;
/** Plugins are few, but ids in events may come from a remote. */
const MAX_PLUGINS = 2_000;

interface Kept {
  calls: number;
  failed: number;
  readonly minutes: Map<number, number>;
  readonly denied: Map<string, CountedUse>;
  readonly used: Map<string, number>;
  readonly hosts: Map<string, number>;
  readonly pids: Set<number>;
  readonly lines: LogLine[];
}

export function watchActivity(now: () => number): PluginActivities {
  const plugins = new Map<string, Kept>();
  /** Open dry runs. What one asks for is no use and no denial. */
  const dryRuns = new Set<string>();
  const of = (id: string): Kept => {
    const known = plugins.get(id);
    if (known !== undefined) return known;
    const fresh: Kept = {
      calls: 0,
      failed: 0,
      minutes: new Map(),
      denied: new Map(),
      used: new Map(),
      hosts: new Map(),
      pids: new Set(),
      lines: [],
    };
    if (plugins.size < MAX_PLUGINS) plugins.set(id, fresh);
    return fresh;
  };

  return {
    listener: (event) => {
      if ('call' in event && event.call !== undefined && dryRuns.has(event.call)) {
        if (event.type === 'call-ended') dryRuns.delete(event.call);
        return;
      }
      switch (event.type) {
        case 'call-started': {
          if (event.mode === 'dry-run' && dryRuns.size < MAX_DRY_RUNS) {
            dryRuns.add(event.call);
            return;
          }
          const one = of(event.plugin);
          const minute = Math.floor(event.atMs / 60_000);
          one.calls += 1;
          one.minutes.set(minute, (one.minutes.get(minute) ?? 0) + 1);
          for (const old of one.minutes.keys()) {
            if (old <= minute - MINUTES) one.minutes.delete(old);
          }
          return;
        }
        case 'call-ended':
          if (event.outcome === 'error') of(event.plugin).failed += 1;
          return;
        case 'capability-used': {
          const { used, hosts } = of(event.plugin);
          used.set(event.permission, (used.get(event.permission) ?? 0) + 1);
          const host = event.permission === 'network' ? hostIn(event.wanted) : undefined;
          if (host !== undefined && (hosts.has(host) || hosts.size < MAX_HOSTS))
            hosts.set(host, (hosts.get(host) ?? 0) + 1);
          return;
        }
        case 'capability-denied': {
          const { denied } = of(event.plugin);
          const { permission, wanted } = event;
          const key = `${permission} ${wanted.slice(0, MAX_LINE_CHARACTERS)}`;
          const count = (denied.get(key)?.count ?? 0) + 1;
          if (denied.has(key) || denied.size < MAX_DENIED) {
            denied.set(key, { permission, wanted: wanted.slice(0, MAX_LINE_CHARACTERS), count });
          }
          return;
        }
        case 'guest-started':
          of(event.plugin).pids.add(event.pid);
          return;
        case 'guest-ended':
          of(event.plugin).pids.delete(event.pid);
          return;
        case 'log': {
          const { lines } = of(event.plugin);
          const { atMs, level, text } = event;
          lines.push({ atMs, level, text: text.slice(0, MAX_LINE_CHARACTERS) });
          // guard: console-log-lines-capped
          if (lines.length > MAX_LINES) lines.shift();
          return;
        }
        default:
      }
    },
    of: (id) => {
      const { calls, failed, minutes, denied, used, hosts, pids } = of(id);
      const last = Math.floor(now() / 60_000);
      return {
        calls,
        failed,
        perMinute: Array.from(
          { length: MINUTES },
          (_, index) => minutes.get(last - MINUTES + 1 + index) ?? 0,
        ),
        denied: [...denied.values()],
        used,
        hosts,
        pids: [...pids],
      };
    },
    logsOf: (id) => of(id).lines,
  };
}

/** The host of `GET https://api.example.com/path`. */
function hostIn(wanted: string): string | undefined {
  const url = wanted.slice(wanted.indexOf(' ') + 1);
  return URL.canParse(url) ? new URL(url).hostname : undefined;
}
