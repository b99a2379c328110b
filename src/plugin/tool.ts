import type { ErrorCode } from '../errors.js';
import type { Permissions } from '../permissions/kind.js';
import type { JsonSchemaDocument } from '../schema/check.js';
import type { Registrations } from './registrations.js';
import type { RiskBand } from './risk.js';

/** One tool as its plugin describes it, read from what the guest answered: checked, capped, plain. */
export interface ToolDefinition {
  /** `pluginId:toolId`. */
  readonly id: string;
  /** Unique in the plugin's entry. Never holds a `:`. */
  readonly toolId: string;
  /** Key of the entry that has it. */
  readonly entry: string;
  /** `resolved`: made by the plugin's code from configuration and environment. */
  readonly origin: 'static' | 'resolved';
  readonly name: string;
  readonly description: string;
  /** What an input has to fit. A tool without any takes an object. */
  readonly parameters: JsonSchemaDocument;
  readonly annotations: ToolAnnotations;
  /** Its author's word, as the format's document reads it. */
  readonly declaredRisk: RiskBand;
  /** The label by which policies group tools; absent where its author gave none. */
  readonly category?: string;
  /** Where its author wants it to run: `host` is outside of any compartment. */
  readonly executionTarget?: ExecutionTarget;
  /** Not to run beside other calls of one turn. */
  readonly exclusive?: boolean;
  /** The surface of its entry that it is, where it is one. */
  readonly surface?: string;
  /** Whole milliseconds, at least 1 and at most what the host allows. */
  readonly timeoutMs: number;
  /**
   * What the tool says it needs, never more than its entry declared. It is there to be read: tools
   * of one entry share a compartment, so what a call can use is what the entry was granted.
   */
  readonly permissions: Permissions;
  /** Only on Spindle's. */
  readonly council?: CouncilUse;
}

/** Whether members of a council may be given a tool, and whether models may call it inline. */
export interface CouncilUse {
  readonly eligible: boolean;
  readonly inline: boolean;
}

export type ExecutionTarget = 'sandbox' | 'host';

/** MCP's hints: claims of the plugin's author. */
export interface ToolAnnotations {
  readonly title?: string;
  readonly readOnlyHint: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
}

/** A tool that cannot be offered, and why. */
export interface RefusedTool {
  /** Where it could be read. */
  readonly toolId: string | undefined;
  readonly code: ErrorCode;
  readonly message: string;
}

/** What the plugin's code wants its operator to know. */
export interface PluginAlert {
  readonly level: 'info' | 'warning';
  readonly message: string;
}

/** What one entry offers. One bad tool never costs the others. */
export interface Offer {
  /** In the plugin's order; ids are unique. */
  readonly tools: readonly ToolDefinition[];
  readonly refused: readonly RefusedTool[];
  readonly alerts: readonly PluginAlert[];
  /** What was read otherwise than it was written, as sentences for the operator. */
  readonly problems: readonly string[];
  /** Only of Spindle's extensions: what they registered besides tools. */
  readonly registrations?: Registrations;
}
