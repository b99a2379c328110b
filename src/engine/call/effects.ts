import type { Approval } from '../../approval/approval.js';
import type { HeldRequest } from '../../approval/approver.js';
import type { EffectMode } from '../../approval/effect-mode.js';
import type { Question } from '../../approval/question.js';
import type { HoldRequest, LeavingRequest } from '../../brokers/network/leaving.js';
import type { CatalogTool } from '../../catalog/catalog.js';
import { BulkheadError, isBulkheadError } from '../../errors.js';
import type { EventBus } from '../../events.js';
import { visible, visibleLines } from '../../visible.js';
import type { Flight, Flights } from './calls-under-way.js';

/** Looks at requests before they leave, and knows what the tools had announced. */
export interface Effects {
  /** What holds the requests of a guest that has these calls under way; nothing where none is held. */
  holdFor(flights: Flights, about: EffectSource): HoldRequest | undefined;
}

/** Whose code it is. */
export interface EffectSource {
  readonly plugin: string;
  readonly version: string | undefined;
  readonly bundle: string;
  /** Its code has business of its own besides calls: hooks, or work in the background. */
  readonly worksUnasked: boolean;
}

export interface EffectsSpec {
  readonly mode: EffectMode;
  readonly approval: Approval;
  readonly events: EventBus;
}

/**
 * Holds what was not announced. Several calls in one guest cannot be told apart by its word, so the
 * one counts that announced least: where any of them only reads, a change is asked about. So is one
 * that comes after such a call, while nothing else is under way.
 */
export function makeEffects({ mode, approval, events }: EffectsSpec): Effects {
  /** Calls for which nobody answered: their deadlines do not stand still a second time. */
  const unanswered = new WeakSet<Flight>();
  return {
    holdFor: ({ underWay, last }, about) => {
      if (mode === 'off') return undefined;
      const called = last === undefined ? underWay : [last];
      // What runs while it is loaded, before any call, announced nothing at all.
      const candidates = called.length > 0 || about.worksUnasked ? called : [uncalled(about)];
      const reader = candidates.find(({ tool }) => saysItReads(tool));
      if (reader === undefined) return undefined;
      return async (leaving, signal) => {
        if (mode === 'audit') {
          events.emit(unannounced(reader, candidates, leaving));
          return;
        }
        if (candidates.some((flight) => unanswered.has(flight))) {
          throw effectDenied(
            reader,
            leaving,
            new Error('Nobody answered when it was asked before.'),
          );
        }
        for (const { deadline } of candidates) deadline.pause();
        try {
          await approval.ask(questionOf(reader, candidates, leaving, signal));
        } catch (error) {
          if (isBulkheadError(error, 'APPROVAL_TIMEOUT')) {
            for (const flight of candidates) unanswered.add(flight);
          }
          throw effectDenied(reader, leaving, error);
        } finally {
          for (const { deadline } of candidates) deadline.resume();
        }
      };
    },
  };
}

/** Stands for code that no call made run. */
function uncalled({ plugin, version, bundle }: EffectSource): Flight {
  const tool: CatalogTool = {
    name: '',
    id: `${plugin}:(while it is loaded)`,
    plugin,
    tool: '(while it is loaded)',
    title: '(while it is loaded)',
    description: '',
    inputSchema: {},
    annotations: { readOnlyHint: true },
    timeoutMs: 0,
    declaredRisk: 'low',
    risk: 'low',
    riskWhy: '',
    requireApproval: false,
    background: false,
    confinement: 'compartment',
  };
  const deadline = { pause: () => {}, resume: () => {} };
  return { callId: '', tool, version, bundle, inputText: 'null', options: {}, deadline };
}

function saysItReads({ declaredRisk, annotations }: CatalogTool): boolean {
  return declaredRisk === 'low' || annotations.readOnlyHint === true;
}

function questionOf(
  { callId, tool, version, bundle, inputText, options }: Flight,
  candidates: readonly Flight[],
  leaving: LeavingRequest,
  signal: AbortSignal,
): Question {
  const alone = candidates.length === 1;
  const conversationId = options.context?.['conversationId'];
  const others = alone
    ? ''
    : `; of the ${candidates.length} calls under way any may be the one that sends it`;
  return {
    kind: 'effect',
    callId,
    plugin: tool.plugin,
    version,
    tool: tool.tool,
    id: tool.id,
    title: tool.title,
    bundle,
    inputText,
    // What deletes is asked about each time, and so is what may be somebody else's.
    risk: leaving.method === 'DELETE' || !alone ? 'high' : 'medium',
    riskWhy: 'it changes something elsewhere, and was not announced to',
    why: `it declares that it only reads, and is about to send what changes something${others}`,
    effect: heldOf(leaving),
    ...(alone ? { tenant: options.tenant, approve: options.approve } : {}),
    ...(alone && typeof conversationId === 'string' ? { conversationId } : {}),
    attended: candidates.every(
      (flight) =>
        flight.options.unattended !== true && flight.options.context?.['isInteractive'] !== false,
    ),
    signal: options.signal === undefined ? signal : AbortSignal.any([options.signal, signal]),
  };
}

/** Characters of a body that are shown. */
const MAX_SHOWN = 64 * 1024;

export function heldOf({ method, url, headers, body, whole }: LeavingRequest): HeldRequest {
  const shown = body === undefined ? undefined : new TextDecoder().decode(body);
  return {
    method,
    url: url.href,
    headers: headers.map(([name, value]) => [visible(name), visible(value)] as const),
    ...(shown === undefined
      ? {}
      : {
          body: `${visibleLines(shown.slice(0, MAX_SHOWN))}${shown.length > MAX_SHOWN ? '…' : ''}`,
        }),
    ...(body === undefined || !whole ? {} : { bodyBytes: body.byteLength }),
  };
}

function unannounced(
  reader: Flight,
  candidates: readonly Flight[],
  { method, url }: LeavingRequest,
) {
  const [first, ...more] = candidates.map(({ callId }) => callId);
  return {
    type: 'effect-unannounced' as const,
    plugin: reader.tool.plugin,
    tool: reader.tool.tool,
    ...(more.length === 0 && first !== undefined
      ? { call: first }
      : { among: candidates.slice(0, 16).map(({ callId }) => callId) }),
    effect: `${method} ${url.origin}${url.pathname}${url.search === '' ? '' : '?…'}`,
  };
}

function effectDenied(
  { tool }: Flight,
  { method, url }: LeavingRequest,
  cause: unknown,
): BulkheadError<'EFFECT_DENIED'> {
  const wanted = `${method} ${url.origin}`;
  const why = cause instanceof Error ? cause.message : String(cause);
  return new BulkheadError(
    'EFFECT_DENIED',
    `${tool.id} declares that it only reads, and was kept from sending ${wanted}. ${why}`,
    { plugin: tool.plugin, wanted },
    { cause },
  );
}
