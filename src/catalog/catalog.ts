import type { JsonObject } from '../../sandbox/wire/messages.js';

/** One tool as hosts list it and models call it. */
export interface CatalogTool {
  /** The name to show a model: `[a-zA-Z0-9_-]{1,64}`, unique in the catalog. */
  readonly name: string;
  /** `pluginId:toolId`, as the plugin's own system names it. */
  readonly id: string;
  readonly plugin: string;
  /** The tool's id within its plugin. */
  readonly tool: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly annotations: ToolAnnotations;
  readonly timeoutMs: number;
  readonly requireApproval: boolean;
  /** Whether it may run unattended: it says that it only reads, and does not ask. */
  readonly background: boolean;
  readonly confinement: 'compartment' | 'host';
}

/** MCP's hints: claims of the plugin's author. */
export interface ToolAnnotations {
  readonly title?: string;
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

/** The tools of all active plugins under one set of names. */
export interface Catalog {
  /** Sorted by name. */
  list(): readonly CatalogTool[];
  /** By exported name, id, or bare tool name where only one plugin has it. */
  find(name: string): CatalogTool | undefined;
  /** Calls the listener after each change; returns how to stop. */
  on(event: 'change', listener: () => void): () => void;
}
