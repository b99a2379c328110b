import type { Json } from '../../sandbox/wire/messages.js';

/** What somebody is asked before a tool runs. All of it is the host's own data, by copy. */
export interface ApprovalRequest {
  readonly callId: string;
  readonly plugin: string;
  /** The tool as its plugin names it. */
  readonly tool: string;
  readonly title: string;
  /** The very input that will run. */
  readonly input: Json;
  /** Why this call asks. */
  readonly why: string;
  /** Binds the answer: sha256 over bundle, tool and input. */
  readonly digest: string;
  /** Aborted when the call is given up. */
  readonly signal: AbortSignal;
}

export type Verdict = 'deny' | 'once' | 'session' | 'always';

/** Answers a request. A throw is a no. */
export type Approver = (
  request: ApprovalRequest,
) => Promise<Verdict | { readonly verdict: Verdict; readonly reason?: string }> | Verdict;
