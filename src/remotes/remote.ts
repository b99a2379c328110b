import type { JsonObject } from '../../sandbox/wire/messages.js';
import type { ErrorCode } from '../errors.js';
import type { ToolAnswer } from '../plugin/answer.js';
import type { RiskBand } from '../plugin/risk.js';

/** A server of tools that we do not confine: what it does, it does where it is. */
export interface Remote {
  /** Stands where a plugin's id stands: the tools are `id:tool`. */
  readonly id: string;
  readonly kind: RemoteKind;
  /** Its URL, or the command that it is. */
  readonly where: string;
  /** Whether it is a process of this machine, that may do what its user may. */
  readonly local: boolean;
  /**
   * Asks what it offers, or whether that is still so. Never rejects: a server that does not answer
   * has a problem, and goes on with what it offered before.
   */
  load(signal: AbortSignal): Promise<RemoteListing>;
  /**
   * Takes what it offered last for reviewed; with the digest that its problems name, only where it is
   * still that. Rejects `INVALID_OPTIONS` where it is something else.
   */
  accept(digest?: string): Promise<void>;
  /** Calls the listener when the server says that it offers something else; returns how to stop. */
  onChange(listener: () => void): () => void;
  close(): Promise<void>;
}

export type RemoteKind = 'vertesia' | 'mcp';

/** What a server offers. */
export interface RemoteListing {
  readonly name: string;
  readonly description: string | undefined;
  readonly version: string | undefined;
  readonly tools: readonly RemoteTool[];
  readonly problems: readonly RemoteProblem[];
}

export interface RemoteProblem {
  readonly code: ErrorCode;
  readonly message: string;
  readonly toolId?: string;
}

/** One tool of a server, as far as its server's word goes. */
export interface RemoteTool {
  readonly tool: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly annotations: RemoteHints;
  readonly declaredRisk: RiskBand;
  /** Whether its server wants every call confirmed. */
  readonly requireApproval: boolean;
  readonly category?: string;
  /** Of its definition and of where it is: what is approved is this tool, not its name. */
  readonly hash: string;
  /** Rejects with a `BulkheadError`. Everything that the tool itself has to say is an answer. */
  run(call: RemoteCall): Promise<ToolAnswer>;
}

/** MCP's hints. */
export interface RemoteHints {
  readonly title?: string;
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

export interface RemoteCall {
  readonly callId: string;
  readonly input: JsonObject;
  /** Aborted at the call's deadline, and where its caller gives up. */
  readonly signal: AbortSignal;
  /** Milliseconds until then. */
  readonly timeoutMs: number;
  /** What the caller tells of the run. */
  readonly metadata: JsonObject;
  readonly maxResultBytes: number;
  readonly onOutput?: (chunk: string) => void;
}
