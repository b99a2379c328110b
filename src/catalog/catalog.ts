import type { JsonObject } from '../../sandbox/wire/messages.js';
import { type ToolPolicy, whyWithheld } from '../approval/policy.js';
import type { RiskBand } from '../plugin/risk.js';
import type { CouncilUse, ExecutionTarget } from '../plugin/tool.js';
import { exportedNames } from './names.js';
import { indexSpellings } from './spellings.js';
import { type Collision, resolveNames, type ToolSource } from './precedence.js';

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
  /** Its author's word. */
  readonly declaredRisk: RiskBand;
  /** The band that counts: never below what its granted permissions prove possible. */
  readonly risk: RiskBand;
  /** What made it that band, for a person. */
  readonly riskWhy: string;
  /** The label by which policies group tools. */
  readonly category?: string;
  /** Where its author wants it to run; where it does run is `confinement`. */
  readonly executionTarget?: ExecutionTarget;
  /** Where it comes from, as far as that decides whose a name is. Absent: a plugin's. */
  readonly source?: ToolSource;
  /** Its system calls it by its own name, without its plugin's. */
  readonly bare?: boolean;
  /** Not to run beside other calls of one turn. */
  readonly exclusive?: boolean;
  /** The surface of its plugin that it is, where the plugin has one file for each tool. */
  readonly surface?: string;
  /** What its own system calls it besides, where that is anything. */
  readonly aliases?: readonly string[];
  /** Only on Spindle's: what its author lets councils and models do with it. */
  readonly council?: CouncilUse;
  /** What its manifest or its configuration says. */
  readonly requireApproval: boolean;
  /** Why a call of it asks before it runs; absent where it does not, unless a rule says otherwise. */
  readonly asks?: string;
  /** Whether it may run unattended: it says that it only reads, and does not ask. */
  readonly background: boolean;
  /** `remote`: at a server of somebody else's, where nothing of it is confined or checked. */
  readonly confinement: 'compartment' | 'host' | 'remote';
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
  /** Sorted by name: all, or those that a policy admits. */
  list(policy?: ToolPolicy): readonly CatalogTool[];
  /** By exported name, id, bare tool name where only one plugin has it, or another spelling. */
  find(name: string): CatalogTool | undefined;
  /** The tools that are not there because another has their name, of one plugin or of all. */
  collisions(plugin?: string): readonly Collision[];
  /** Calls the listener after each change; returns how to stop. */
  on(event: 'change', listener: () => void): () => void;
}

export type UnnamedTool = Omit<CatalogTool, 'name' | 'id'>;

/** A catalog and the one who fills it. */
export interface CatalogOwner {
  readonly catalog: Catalog;
  /**
   * Replaces all tools at once, given in the order in which they were registered. Ids are unique
   * among them. `removed` are names of core tools that the workspace removed.
   */
  replace(tools: readonly UnnamedTool[], removed?: readonly string[]): void;
}

export function makeCatalog(options: { readonly strict?: boolean } = {}): CatalogOwner {
  const { strict = false } = options;
  let sorted: readonly CatalogTool[] = [];
  let collided: readonly Collision[] = [];
  let byName = new Map<string, CatalogTool>();
  const listeners = new Set<() => void>();

  return {
    catalog: {
      list: (policy) =>
        policy === undefined
          ? sorted
          : sorted.filter((tool) => whyWithheld(policy, tool) === undefined),
      collisions: (plugin) =>
        plugin === undefined ? collided : collided.filter((one) => one.plugin === plugin),
      find: (name) => byName.get(name),
      on: (_event, listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
    replace: (all, removed = []) => {
      const { tools, collisions } = resolveNames(all, { strict, removed });
      collided = collisions;
      sorted = nameTools(tools);
      byName = indexSpellings(sorted);
      for (const listener of listeners) listener();
    },
  };
}

function nameTools(tools: readonly UnnamedTool[]): readonly CatalogTool[] {
  const names = exportedNames(tools);
  return tools
    .map((tool, at) => ({ ...tool, id: `${tool.plugin}:${tool.tool}`, name: names[at] ?? '' }))
    .toSorted((a, b) => compare(a.name, b.name));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
