import type { JsonObject } from '../../sandbox/wire/messages.js';
import type { ErrorCode } from '../errors.js';
import type { Permissions } from '../permissions/kind.js';
import type { JsonSchemaDocument } from '../schema/check.js';
import type { McpOffers } from './mcp-source.js';
import type { RiskBand } from './risk.js';

/** A tool as its plugin describes it, read from the guest's answer: checked, capped, plain data. */
export interface ToolDefinition {
  /** `pluginId:toolId`. */
  readonly id: string;
  /** Unique in the plugin's entry. Never contains a `:`. */
  readonly toolId: string;
  /** Key of its entry. */
  readonly entry: string;
  /** `resolved`: created by the plugin's code from configuration and environment. */
  readonly origin: 'static' | 'resolved';
  readonly name: string;
  readonly description: string;
  /** The schema of its input. A tool without a schema accepts any object. */
  readonly parameters: JsonSchemaDocument;
  /** The schema of its structured results, if it has one. */
  readonly outputSchema?: JsonObject;
  readonly annotations: ToolAnnotations;
  /** The risk that its author declared, by the rules of its format. */
  readonly declaredRisk: RiskBand;
  /** The label by which policies group tools; absent if its author gave none. */
  readonly category?: string;
  /** Where its author wants it to run. `host` is outside any compartment. */
  readonly executionTarget?: ExecutionTarget;
  /** Whether it must not run at the same time as other calls of a turn. */
  readonly exclusive?: boolean;
  /** The stem of its surface, if its entry has surfaces. */
  readonly surface?: string;
  /** Whole milliseconds, at least 1 and at most what the host allows. */
  readonly timeoutMs: number;
  /**
   * The permissions that the tool declares, never more than its entry. For information only: tools
   * of an entry share a compartment, so a call can use everything granted to the entry.
   */
  readonly permissions: Permissions;
  /** Only on Spindle's tools. */
  readonly council?: CouncilUse;
}

/** Whether members of a council may use a tool, and whether models may call it inline. */
export interface CouncilUse {
  readonly eligible: boolean;
  readonly inline: boolean;
}

export type ExecutionTarget = 'sandbox' | 'host';

/** MCP's hints: unverified claims of the plugin's author. */
export interface ToolAnnotations {
  readonly title?: string;
  readonly readOnlyHint: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
}

/** A tool that was refused, and why. */
export interface RefusedTool {
  /** `undefined` if it could not be read. */
  readonly toolId: string | undefined;
  readonly code: ErrorCode;
  readonly message: string;
}

/** A message of the plugin's code to the operator. */
export interface PluginAlert {
  readonly level: 'info' | 'warning';
  readonly message: string;
}

/** The contributions of an entry. A refused tool does not affect the others. */
export interface Contributions {
  /** In the plugin's order; ids are unique. */
  readonly tools: readonly ToolDefinition[];
  readonly refused: readonly RefusedTool[];
  readonly alerts: readonly PluginAlert[];
  /** Values that were not read as written, as sentences for the operator. */
  readonly problems: readonly string[];
  /** Only of an entry of agents that exports one. */
  readonly agent?: AgentDefinition;
  /** Only of Spindle's extensions: registrations other than tools. */
  readonly registrations?: Registrations;
  /** Only of MCP servers: what they offer besides tools. */
  readonly offers?: McpOffers;
}

/** An agent as its plugin describes it: checked, capped, plain data. Its texts are for a model. */
export interface AgentDefinition {
  readonly agentId: string;
  readonly name: string;
  readonly description: string;
  readonly instructions: string;
}

/** A Spindle extension's registrations other than tools: checked, capped, plain data. */
export interface Registrations {
  /** Names of the events that it handles. */
  readonly events: readonly string[];
  /** Its handlers of running generations, by kind: `interceptor`, `contextHandler` … */
  readonly hooks: Readonly<Record<string, RegisteredHook>>;
  /** Its macros. Their names are in lower case. */
  readonly macros: readonly RegisteredMacro[];
  /**
   * Its endpoints of the shared RPC pool, with the permissions that each requires of the caller.
   * Absent: those of the extension itself.
   */
  readonly endpoints: readonly {
    readonly endpoint: string;
    readonly requires?: readonly string[];
  }[];
  /** As the extension wrote them: untrusted data. */
  readonly commands: readonly JsonObject[];
  readonly providers: readonly { readonly kind: string; readonly id: string }[];
}

export interface RegisteredHook {
  /** Lower runs first. */
  readonly priority: number;
  /** The timeout that the extension requests; the host has its own bounds. */
  readonly timeoutMs?: number;
  /** Only of interceptors: the generations that it is for. Absent: all. */
  readonly match?: JsonObject;
}

export interface RegisteredMacro {
  readonly name: string;
  readonly category?: string;
  readonly description?: string;
}

// oxlint-disable-next-line no-control-regex -- these characters are refused
const TOOL_NAME = /^[^:\u0000-\u001f\u007f]{1,128}$/u;

/** Whether a tool may have that name or id. A colon separates the plugin's id from it. */
export function isToolName(name: unknown): name is string {
  return typeof name === 'string' && TOOL_NAME.test(name);
}
