import { createHash } from 'node:crypto';
import { isRecord } from '../../../sandbox/wire/json.js';
import type { Approval } from '../../approval/approval-api.js';
import type { HeldRequest } from '../../approval/approver.js';
import type { EffectMode } from '../../approval/policy.js';
import type { Question } from '../../approval/question.js';
import type {
  OutboundRequest,
  RequestGate as OutboundGate,
} from '../../brokers/network/outbound-request.js';
import type { Peer } from '../../../sandbox/wire/peer.js';
import type { CatalogTool } from '../../catalog/catalog.js';
import { BulkheadError, isBulkheadError } from '../../errors.js';
import type { EventBus } from '../../events.js';
import { waitForPerson } from '../../guests/host-waits.js';
import type { RiskBand } from '../../plugin/risk.js';
import { visible, visibleText } from '../../visible.js';
import type { OpenCall, OpenCalls } from './in-flight.js';
import type { ModeSubject, RequestModeFactory } from './request-mode.js';

export interface LiveModeSpec {
  readonly effects: EffectMode;
  readonly approval: Approval;
  readonly events: EventBus;
  /** Whether the operator trusts the hints of a plugin's author. Its requests are then not held. */
  readonly trusts: (plugin: string) => boolean;
  /** What an effect of that risk waits for, so that its record is written first; `undefined`: nothing. */
  readonly beforeEffect: (risk: RiskBand) => (() => Promise<void>) | undefined;
}

/**
 * The mode of live calls. It holds a writing request if a call that declares to only read may have
 * sent it. A guest's word cannot separate its calls, so one read-only call among the running calls
 * is enough. The same applies to a request after such a call, while no other call runs.
 */
export function makeLiveMode({
  effects,
  approval,
  events,
  trusts,
  beforeEffect,
}: LiveModeSpec): RequestModeFactory {
  /** Calls whose approver did not answer. Their deadlines are not paused a second time. */
  const unanswered = new WeakSet<OpenCall>();

  /** Rejects with `EFFECT_DENIED` if the record of an effect of that risk cannot be written. */
  const recorded = async (risk: RiskBand, plugin: string, wanted: string): Promise<void> => {
    try {
      await beforeEffect(risk)?.();
    } catch (cause) {
      throw notRecorded(plugin, wanted, cause);
    }
  };

  const holdFor = (
    peer: Peer,
    { underWay, last }: OpenCalls,
    subject: ModeSubject,
  ): OutboundGate | undefined => {
    // An author's hint alone never exempts: the operator trusts it.
    if (effects === 'off' || trusts(subject.plugin)) return undefined;
    const called = last === undefined ? underWay : [last];
    // Code that runs at load, before any call, declared nothing.
    const candidates = called.length > 0 || subject.actsUncalled ? called : [uncalled(subject)];
    // guard: undeclared-write-by-any-open-call
    const reader = candidates.find(({ tool }) => saysItReads(tool));
    if (reader === undefined) return undefined;
    return async (leaving, signal) => {
      if (effects === 'audit') {
        events.emit(undeclared(reader, candidates, leaving));
        // guard: undeclared-write-recorded-first
        await recorded('medium', subject.plugin, wantedOf(leaving));
        return;
      }
      if (candidates.some((flight) => unanswered.has(flight))) {
        throw effectDenied(
          reader,
          leaving,
          new Error('An earlier request for approval in this call was not answered.'),
        );
      }
      for (const { deadline } of candidates) deadline.pause();
      const answered = waitForPerson(peer);
      try {
        const question = questionOf(reader, candidates, leaving, signal);
        await approval.ask({ ...question, terms: subject.terms() });
        // guard: held-write-recorded-first
        await recorded(question.risk, subject.plugin, wantedOf(leaving));
      } catch (error) {
        // The record could not be written: that is not the approver's answer.
        if (isBulkheadError(error, 'EFFECT_DENIED')) throw error;
        if (isBulkheadError(error, 'APPROVAL_TIMEOUT')) {
          // guard: unanswered-approval-pauses-once
          for (const flight of candidates) unanswered.add(flight);
        }
        throw effectDenied(reader, leaving, error);
      } finally {
        answered();
        for (const { deadline } of candidates) deadline.resume();
      }
    };
  };
  /**
   * Whether no admitted call announced an effect: code that runs outside of calls, or a call that
   * declares to only read, has it. A call of medium or high risk waited for its record when it began.
   */
  const isUnannounced = (peer: Peer, { calls }: ModeSubject): boolean => {
    const { underWay, last } = calls.openCallsOf(peer);
    const called = last === undefined ? underWay : [last];
    return called.length === 0 || !called.every(({ tool }) => isRecordedFirst(tool));
  };
  return (subject) => ({
    name: 'live',
    outbound: (peer) =>
      holdFor(peer, subject.calls.openCallsOf(peer), subject) ??
      // guard: unannounced-write-recorded-first
      (isUnannounced(peer, subject)
        ? (leaving) => recorded('medium', subject.plugin, wantedOf(leaving))
        : undefined),
    beforeEffect: ({ peer, method, params }) => {
      const wanted = effectOf(subject, method, params);
      // guard: unannounced-effect-recorded-first
      return wanted === undefined || !isUnannounced(peer, subject)
        ? undefined
        : recorded('medium', subject.plugin, wanted);
    },
  });
}

function wantedOf({ method, url }: OutboundRequest): string {
  return `${method} ${url.origin}`;
}

/** The change that a request may make; `undefined` for a power that only reads. The broker checks it later. */
function effectOf(
  { riskOfPower }: ModeSubject,
  method: string,
  params: unknown,
): string | undefined {
  const read = isRecord(params) ? params : {};
  if (method !== 'power') return `${textOf(read['op'])} of ${textOf(read['path'])}`;
  const name = textOf(read['name']);
  return riskOfPower(name) === 'low' ? undefined : name;
}

/** Whether the engine writes the record of each call of the tool before the call begins. */
function isRecordedFirst({ risk, asks }: CatalogTool): boolean {
  return risk !== 'low' || asks !== undefined;
}

/** A placeholder call for code that runs outside of calls. */
function uncalled({ plugin, version, bundle }: ModeSubject): OpenCall {
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
  return {
    callId: '',
    request: 0,
    tool,
    version,
    bundle,
    inputText: 'null',
    options: {},
    deadline,
  };
}

function saysItReads({ declaredRisk, annotations }: CatalogTool): boolean {
  return declaredRisk === 'low' || annotations.readOnlyHint === true;
}

function questionOf(
  { callId, tool, version, bundle, inputText, options }: OpenCall,
  candidates: readonly OpenCall[],
  leaving: OutboundRequest,
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
    // A deletion needs approval each time. So does a request that may belong to another call.
    risk: leaving.method === 'DELETE' || !alone ? 'high' : 'medium',
    riskWhy: 'it changes something on another system, and was not declared',
    why: `it declares that it only reads, and is about to send what changes something${others}`,
    effect: heldOf(leaving),
    ...(isSame(candidates.map((flight) => flight.options.tenant))
      ? { tenant: options.tenant }
      : {}),
    ...(alone ? { approve: options.approve } : {}),
    ...(alone && typeof conversationId === 'string' ? { conversationId } : {}),
    attended: candidates.every(
      (flight) =>
        flight.options.unattended !== true && flight.options.context?.['isInteractive'] !== false,
    ),
    signal: options.signal === undefined ? signal : AbortSignal.any([options.signal, signal]),
  };
}

function isSame(tenants: readonly (string | undefined)[]): boolean {
  return tenants.every((tenant) => tenant === tenants[0]);
}

/** Characters of a body that the approver sees. */
const MAX_SHOWN = 64 * 1024;

/** Names of headers that carry keys, tokens, passwords and sessions. */
const CREDENTIAL = /auth|cookie|key|token|secret|passw|session|credential|signature|jwt/i;

function isCredential(header: string): boolean {
  return CREDENTIAL.test(header);
}

/** Replaces a credential. The hash distinguishes it from another one, also in the digest of the question. */
function hidden(value: string): string {
  const hash = createHash('sha256').update(value).digest('hex').slice(0, 8);
  // guard: credential-headers-hidden
  return `(hidden: ${value.length} characters, sha256 ${hash}…)`;
}

export function heldOf({ method, url, headers, body, whole }: OutboundRequest): HeldRequest {
  const shown = body === undefined ? undefined : new TextDecoder().decode(body);
  return {
    method,
    url: url.href,
    headers: headers.map(
      ([name, value]) =>
        [visible(name), isCredential(name) ? hidden(value) : visible(value)] as const,
    ),
    ...(shown === undefined
      ? {}
      : {
          body: `${visibleText(shown.slice(0, MAX_SHOWN))}${shown.length > MAX_SHOWN ? '…' : ''}`,
        }),
    ...(body === undefined || !whole ? {} : { bodyBytes: body.byteLength }),
  };
}

function undeclared(
  reader: OpenCall,
  candidates: readonly OpenCall[],
  { method, url }: OutboundRequest,
) {
  const [first, ...more] = candidates.map(({ callId }) => callId);
  return {
    type: 'effect-undeclared' as const,
    plugin: reader.tool.plugin,
    tool: reader.tool.tool,
    ...(more.length === 0 && first !== undefined
      ? { call: first }
      : { among: candidates.slice(0, 16).map(({ callId }) => callId) }),
    effect: `${method} ${url.origin}${url.pathname}${url.search === '' ? '' : '?…'}`,
  };
}

function effectDenied(
  { tool }: OpenCall,
  leaving: OutboundRequest,
  cause: unknown,
): BulkheadError<'EFFECT_DENIED'> {
  const wanted = wantedOf(leaving);
  const why = cause instanceof Error ? cause.message : String(cause);
  return new BulkheadError(
    'EFFECT_DENIED',
    `${tool.id} declares that it only reads, and may not send ${wanted}. ${why}`,
    { plugin: tool.plugin, wanted },
    { cause },
  );
}

/** The guest does not learn the path of the log. */
function notRecorded(
  plugin: string,
  wanted: string,
  cause: unknown,
): BulkheadError<'EFFECT_DENIED'> {
  return new BulkheadError(
    'EFFECT_DENIED',
    `${plugin} may not do this now: ${visible(wanted)}. The audit log of the host could not be written, and an effect needs its record first. The host's log has the reason.`,
    { plugin, wanted },
    { cause },
  );
}

/** Text from a guest, cut to the length of a path. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, 4096) : '';
}
