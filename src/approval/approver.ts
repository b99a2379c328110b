import type { Json } from '../../sandbox/wire/messages.js';
import type { RiskBand } from '../plugin/risk.js';
import type { Condition } from './rule.js';

/** What somebody is asked before something happens. All of it is the host's own data, by copy. */
export interface ApprovalRequest {
  /** Names this question; no two have the same. */
  readonly approvalId: string;
  /** `call`: a tool is to run. `effect`: a tool that runs wants to send what it did not announce. */
  readonly kind: 'call' | 'effect';
  readonly callId: string;
  readonly plugin: string;
  readonly version?: string;
  /** Hash of the bundle that would run. */
  readonly bundle: string;
  /** The tool as its plugin names it. */
  readonly tool: string;
  /** `plugin:tool`. */
  readonly id: string;
  /** Words of the plugin's author: show them as such. */
  readonly title: string;
  /** The very input that will run. */
  readonly input: Json;
  /**
   * The same, for people: indented JSON in which everything that steers a terminal or reorders what
   * is read is an escape. Never shortened.
   */
  readonly shown: string;
  readonly risk: RiskBand;
  readonly riskWhy: string;
  /** Why it asks. */
  readonly why: string;
  /** With `effect`: the very request that is held. */
  readonly effect?: HeldRequest;
  /** Binds the answer: sha256 over bundle, tool, canonical input, tenant and effect. */
  readonly digest: string;
  /** For whom the host makes the call, where it told. */
  readonly tenant?: string;
  readonly conversationId?: string;
  /** The verdicts that count here; any other is a no. What is high can only be approved once. */
  readonly offers: readonly Verdict[];
  readonly askedAtMs: number;
  /** When silence becomes a no. */
  readonly expiresAtMs: number;
  /** Aborted when the call is given up, and when the time is over. */
  readonly signal: AbortSignal;
}

/** A request that is about to leave, as the broker holds it. Values of secrets are not in it. */
export interface HeldRequest {
  readonly method: string;
  readonly url: string;
  /** Names and values, made visible. */
  readonly headers: readonly (readonly [string, string])[];
  /** The beginning of its body as visible text; absent where it has none. */
  readonly body?: string;
  /** Bytes of the body, as far as they are known. */
  readonly bodyBytes?: number;
}

/**
 * `once`: this very call. `session`: this tool of this very bundle in this conversation (without
 * one: for as long as the engine lives). `always`: the same, kept as a rule that is shown and can
 * be taken back.
 */
export type Verdict = 'deny' | 'once' | 'session' | 'always';

export interface Answer {
  readonly verdict: Verdict;
  /** Told to whoever called, with a `deny`. */
  readonly reason?: string;
  /** Who answered, for the records. */
  readonly by?: string;
  /** With `always`: what the input has to be for the rule to hold. It has to fit this very call. */
  readonly input?: Readonly<Record<string, Condition>>;
}

/** Answers a request. A throw is a no. */
export type Approver = (request: ApprovalRequest) => Promise<Verdict | Answer> | Verdict | Answer;
