import { type InputPolicy, noteContent, type NotedContent } from '../audit/note.js';
import type { BulkheadEvent, EventOf } from '../events.js';
import type { RiskBand } from '../plugin/risk.js';

/** The caps on the calls that are kept in memory. */
export interface RecentOptions {
  readonly calls: number;
  readonly bytes: number;
  /** The age after which a call is forgotten. */
  readonly hours: number;
}

export const RECENT: RecentOptions = { calls: 1_000, bytes: 64 * 1024 * 1024, hours: 24 };

/** What happened during a call, in order. Texts may come from the plugin. */
export interface CallStep {
  readonly atMs: number;
  readonly kind: 'request' | 'denied' | 'approval' | 'secret' | 'effect';
  /** In plain words, without the plugin's part. */
  readonly text: string;
  /** The plugin's part: a URL, path or name. */
  readonly wanted: string;
  /** The kind of permission, with `request` and `denied`. */
  readonly permission?: string;
  readonly durationMs?: number;
  /** The position in the plugin's source. Unverified. */
  readonly at?: string;
  /** Several calls ran in the guest, and the request was of one of them. */
  readonly isPerhaps?: true;
}

/** One call, as far as it is kept. */
export interface RecentCall {
  readonly id: string;
  readonly plugin: string;
  readonly tool: string;
  readonly risk: RiskBand;
  readonly bundle: string;
  readonly startedAtMs: number;
  /** The program or call that made this call. */
  readonly parent?: string;
  readonly tenant?: string;
  readonly isDryRun: boolean;
  /** The input as the audit policy allows it: JSON text. */
  readonly input: NotedContent;
  /** What the caller got, as the audit policy allows it. Absent while the call runs. */
  readonly answer?: NotedContent;
  /** Whether its recording is kept: see `recordingOf`. */
  readonly isRecorded: boolean;
  readonly steps: readonly CallStep[];
  /** Steps that are not kept. */
  readonly dropped: number;
  /** Absent while it runs. */
  readonly end?: {
    readonly outcome: 'ok' | 'error';
    readonly code?: string;
    readonly durationMs: number;
  };
}

/** The last calls of an engine, in memory alone. */
export interface RecentCalls {
  readonly listener: (event: BulkheadEvent) => void;
  /** Newest first. */
  list(filter?: {
    readonly plugin?: string | undefined;
    readonly tenant?: string | undefined;
  }): readonly RecentCall[];
  find(id: string): RecentCall | undefined;
  /** The calls that name this one as their parent, oldest first. */
  childrenOf(id: string): readonly RecentCall[];
  /** The recording of a call, for `engine.replay`. It holds secrets, and no page shows it. */
  recordingOf(id: string): string | undefined;
  /** Forgets the calls of a tenant. Returns how many there were. */
  forget(tenant: string): number;
  /** Forgets every call. */
  clear(): void;
}

/** The events that `RecentCalls.listener` reads. */
export const RECENT_EVENTS: readonly BulkheadEvent['type'][] = [
  'call-started',
  'call-ended',
  'call-answered',
  'call-recorded',
  'capability-used',
  'capability-denied',
  'approval-given',
  'approval-refused',
  'secret-inserted',
  'secret-withheld',
  'secret-scrubbed',
  'effect-undeclared',
];

/** Steps of one call. A plugin can send thousands of requests. */
const MAX_STEPS = 200;

/** Calls whose approval is kept until they start. */
const MAX_AWAITED = 1_000;

/** The part of all memory that one recording may take. */
const RECORDING_PART = 0.25;

interface Kept {
  call: Omit<RecentCall, 'steps' | 'dropped' | 'isRecorded'>;
  recording?: string;
  readonly steps: CallStep[];
  dropped: number;
  bytes: number;
}

interface Attributed {
  readonly call?: string;
  readonly among?: readonly string[];
}

export function keepRecentCalls(
  policy: InputPolicy,
  {
    calls: maxCalls = RECENT.calls,
    bytes: maxBytes = RECENT.bytes,
    hours = RECENT.hours,
  }: Partial<RecentOptions> = {},
  now: () => number = Date.now,
): RecentCalls {
  const kept = new Map<string, Kept>();
  /** Approvals of calls that have not started. */
  const awaited = new Map<string, CallStep>();
  let total = 0;

  const drop = (id: string, { bytes }: Kept): void => {
    kept.delete(id);
    total -= bytes;
  };
  const trim = (): void => {
    const oldest = now() - hours * 3_600_000;
    for (const [id, one] of kept) {
      // guard: recent-calls-capped
      if (kept.size <= maxCalls && total <= maxBytes && one.call.startedAtMs >= oldest) return;
      drop(id, one);
    }
  };
  const grow = (one: Kept, bytes: number): void => {
    one.bytes += bytes;
    total += bytes;
    trim();
  };
  /** Adds it to its call; if the host knows only that it was of one of several, to each of those. */
  const addTo = ({ call, among }: Attributed, step: CallStep): void => {
    if (call !== undefined) return add(call, step);
    for (const one of among ?? []) add(one, { ...step, isPerhaps: true });
  };
  const add = (call: string, step: CallStep): void => {
    const one = kept.get(call);
    if (one === undefined) return;
    if (one.steps.length >= MAX_STEPS) {
      one.dropped += 1;
      return;
    }
    // In a dry run, a request is not denied: it is only not sent.
    const isHeld = one.call.isDryRun && step.kind === 'denied';
    const text = `not sent: ${step.permission ?? ''}`;
    one.steps.push(isHeld ? { ...step, kind: 'effect', text } : step);
    grow(one, sizeOf(step.text, step.wanted, step.at));
  };
  const keepUntilStart = (call: string, step: CallStep): void => {
    awaited.set(call, step);
    const [oldest] = awaited.keys();
    if (awaited.size > MAX_AWAITED && oldest !== undefined) awaited.delete(oldest);
  };
  const started = (event: EventOf<'call-started'>): void => {
    const { call: id, plugin, tool, risk, bundle, atMs, parent, tenant, mode } = event;
    // guard: recent-inputs-as-audit
    const input = noteContent(event.input, policy);
    const one: Kept = {
      call: {
        id,
        plugin,
        tool,
        risk,
        bundle,
        startedAtMs: atMs,
        ...(parent === undefined ? {} : { parent }),
        ...(tenant === undefined ? {} : { tenant }),
        isDryRun: mode === 'dry-run',
        input,
      },
      steps: [],
      dropped: 0,
      bytes: 0,
    };
    kept.set(id, one);
    grow(one, sizeOf(id, plugin, tool, bundle, input.text, parent) + 500);
    const approval = awaited.get(id);
    awaited.delete(id);
    if (approval !== undefined) add(id, approval);
  };

  const listener = (event: BulkheadEvent): void => {
    switch (event.type) {
      case 'call-started':
        return started(event);
      case 'call-ended': {
        const one = kept.get(event.call);
        if (one === undefined) return;
        const { outcome, code, durationMs } = event;
        one.call = {
          ...one.call,
          end: { outcome, durationMs, ...(code === undefined ? {} : { code }) },
        };
        return;
      }
      case 'call-answered': {
        const one = kept.get(event.call);
        if (one === undefined) return;
        // guard: recent-answers-as-audit
        const answer = noteContent(event.answer, policy);
        one.call = { ...one.call, answer };
        return grow(one, sizeOf(answer.text) + 100);
      }
      case 'call-recorded': {
        const one = kept.get(event.call);
        const bytes = sizeOf(event.recording);
        // guard: recent-recordings-capped
        if (one === undefined || bytes > maxBytes * RECORDING_PART) return;
        one.recording = event.recording;
        return grow(one, bytes);
      }
      case 'capability-used':
      case 'capability-denied': {
        const { atMs, wanted, permission, durationMs, at, type, outcome } = event;
        const denied = type === 'capability-denied';
        return addTo(event, {
          atMs,
          kind: denied ? 'denied' : 'request',
          text: denied ? `denied: ${permission}` : permission,
          wanted: outcome === undefined || denied ? wanted : `${wanted} → ${outcome}`,
          permission,
          ...(durationMs === undefined ? {} : { durationMs }),
          ...(at === undefined ? {} : { at }),
        });
      }
      case 'approval-given':
      case 'approval-refused': {
        const { atMs, call, by, approver } = event;
        const how =
          event.type === 'approval-given' ? `approved (${event.verdict})` : 'not approved';
        const step: CallStep = {
          atMs,
          kind: 'approval',
          text: `${how}${approver === undefined ? '' : ` by ${approver}`}${by === undefined ? '' : `: ${by}`}`,
          wanted: '',
        };
        if (kept.has(call)) return add(call, step);
        if (event.type === 'approval-given') keepUntilStart(call, step);
        return undefined;
      }
      case 'secret-inserted':
      case 'secret-withheld':
      case 'secret-scrubbed':
        return addTo(event, {
          atMs: event.atMs,
          kind: 'secret',
          text: event.type.replace('-', ' '),
          wanted: `${event.secret} → ${event.host}`,
        });
      case 'effect-undeclared':
        return addTo(event, {
          atMs: event.atMs,
          kind: 'effect',
          text: 'undeclared effect',
          wanted: event.effect,
        });
      default:
    }
  };
  const shown = ({ call, steps, dropped, recording }: Kept): RecentCall => ({
    ...call,
    steps,
    dropped,
    isRecorded: recording !== undefined,
  });

  return {
    listener,
    list: ({ plugin, tenant } = {}) => {
      trim();
      return [...kept.values()]
        .filter(({ call }) => plugin === undefined || call.plugin === plugin)
        .filter(({ call }) => tenant === undefined || call.tenant === tenant)
        .map(shown)
        .toReversed();
    },
    forget: (tenant) => {
      const theirs = [...kept].filter(([, { call }]) => call.tenant === tenant);
      for (const [id, one] of theirs) drop(id, one);
      return theirs.length;
    },
    find: (id) => {
      trim();
      const one = kept.get(id);
      return one === undefined ? undefined : shown(one);
    },
    childrenOf: (id) => [...kept.values()].filter(({ call }) => call.parent === id).map(shown),
    recordingOf: (id) => kept.get(id)?.recording,
    clear: () => {
      kept.clear();
      awaited.clear();
      total = 0;
    },
  };
}

/** Bytes in memory, at most: two for each UTF-16 code unit. */
function sizeOf(...texts: readonly (string | undefined)[]): number {
  return texts.reduce((sum, text) => sum + 2 * (text?.length ?? 0), 0);
}
