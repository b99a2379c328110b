import type { JsonObject } from '../../sandbox/wire/messages.js';
import { type ToolPolicy, whyWithheld } from '../approval/policy.js';
import { modelSchema, modelText } from '../model-text.js';
import type { RiskBand } from '../plugin/risk.js';
import type { CouncilUse, ExecutionTarget } from '../plugin/tool.js';
import { makeAliases, makeNames } from './names.js';
import { type Collision, type ToolSource, resolveNames } from './precedence.js';

/** One tool, as hosts list it and models call it. */
export interface CatalogTool {
  /** The name to show a model: `[a-zA-Z0-9_-]{1,64}`, unique in the catalog. */
  readonly name: string;
  /** `pluginId:toolId`. */
  readonly id: string;
  readonly plugin: string;
  /** The tool's id within its plugin. */
  readonly tool: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  /** The schema of its structured results, if its author declares one. */
  readonly outputSchema?: JsonObject;
  readonly annotations: ToolAnnotations;
  readonly timeoutMs: number;
  /** The band that the author declares. */
  readonly declaredRisk: RiskBand;
  /** The effective band: at least what the granted permissions make possible. */
  readonly risk: RiskBand;
  /** The reason for `risk`, for people. */
  readonly riskWhy: string;
  /** The label by which policies select tools. */
  readonly category?: string;
  /** Where the author wants the tool to run. See `confinement` for where it runs. */
  readonly executionTarget?: ExecutionTarget;
  /** The tool's source, which decides name collisions. Default: `plugin`. */
  readonly source?: ToolSource;
  /** The plugin's system calls the tool by its bare name, without the plugin's name. */
  readonly bare?: boolean;
  /** The tool does not run in parallel with other calls of a turn. */
  readonly exclusive?: boolean;
  /** The tool's surface, if the plugin has one file for each tool. */
  readonly surface?: string;
  /** Other names of the tool in the plugin's own system. */
  readonly aliases?: readonly string[];
  /** Only for Spindle: how the author lets councils and models use the tool. */
  readonly council?: CouncilUse;
  /** Whether the manifest or the configuration requires approval. */
  readonly requireApproval: boolean;
  /** Why a call needs approval; absent if it does not. A rule may still require approval. */
  readonly asks?: string;
  /** Whether the tool may run unattended: it declares that it is read-only, and does not need approval. */
  readonly background: boolean;
  /**
   * `remote`: on a tool server, which Bulkhead neither confines nor checks. `sandbox-runtime`: in a command that
   * this package confines.
   */
  readonly confinement: 'compartment' | 'host' | 'remote' | 'sandbox-runtime';
}

/** MCP's hints, as the plugin's author declares them. */
export interface ToolAnnotations {
  readonly title?: string;
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

/** The tools of all active plugins under one set of names. */
export interface Catalog {
  /** All tools, or those that the policy offers, sorted by name. */
  list(policy?: ToolPolicy): readonly CatalogTool[];
  /** Finds a tool by exported name, id, alias, or by bare name if only one plugin has it. */
  find(name: string): CatalogTool | undefined;
  /** The tools left out because another tool has their name. Default: of all plugins. */
  collisions(plugin?: string): readonly Collision[];
  /** Calls the listener after each change. Returns the function that unsubscribes. */
  on(event: 'change', listener: () => void): () => void;
}

export type UnnamedTool = Omit<CatalogTool, 'name' | 'id'>;

/** A catalog with the function that fills it. */
export interface CatalogOwner {
  readonly catalog: Catalog;
  /**
   * Replaces all tools, given in the order of their registration. Their ids must be unique. `removed`:
   * names of core tools that the workspace removed.
   */
  replace(tools: readonly UnnamedTool[], removed?: readonly string[]): void;
}

export function makeCatalog(options: { readonly strict?: boolean } = {}): CatalogOwner {
  const { strict = false } = options;
  let sorted: readonly CatalogTool[] = [];
  let collided: readonly Collision[] = [];
  const named = new Map<UnnamedTool, CatalogTool>();
  const names = makeNames<UnnamedTool>();
  const spellings = makeAliases<CatalogTool>();
  const listeners = new Set<() => void>();

  /** Updates only what changed: an unchanged tool object keeps its entry. */
  const update = (tools: readonly UnnamedTool[]): void => {
    const next = new Set(tools);
    const removedTools = [...named.keys()].filter((tool) => !next.has(tool));
    const addedTools = tools.filter((tool) => !named.has(tool));
    const changed = names.change(removedTools, addedTools);
    const dropped = new Set<CatalogTool>();
    const fresh: CatalogTool[] = [];
    for (const tool of [...removedTools, ...changed]) {
      const before = named.get(tool);
      const name = next.has(tool) ? names.of(tool) : undefined;
      if (before?.name === name) continue;
      if (before !== undefined) {
        dropped.add(before);
        spellings.delete(before);
        named.delete(tool);
      }
      if (name === undefined) continue;
      // The spread is last: members that follow a spread cost several times as much.
      // guard: tool-text-for-models
      const entry = forModels({ id: `${tool.plugin}:${tool.tool}`, name, ...tool });
      named.set(tool, entry);
      fresh.push(entry);
    }
    // After every deletion, because an old name may belong to another tool now.
    for (const tool of fresh) spellings.add(tool);
    const unchanged = dropped.size === 0 ? sorted : sorted.filter((tool) => !dropped.has(tool));
    sorted = merge(unchanged, fresh.toSorted(byName));
  };

  return {
    catalog: {
      list: (policy) =>
        policy === undefined
          ? sorted
          : sorted.filter((tool) => whyWithheld(policy, tool) === undefined),
      collisions: (plugin) =>
        plugin === undefined ? collided : collided.filter((one) => one.plugin === plugin),
      find: spellings.find,
      on: (_event, listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
    replace: (all, removed = []) => {
      const { tools, collisions } = resolveNames(all, { strict, removed });
      collided = collisions;
      update(tools);
      for (const listener of listeners) listener();
    },
  };
}

/** The tool with its texts as models may see them. Most tools are returned unchanged. */
function forModels(tool: CatalogTool): CatalogTool {
  const title = modelText(tool.title);
  const description = modelText(tool.description);
  const inputSchema = modelSchema(tool.inputSchema);
  if (
    title === tool.title &&
    description === tool.description &&
    inputSchema === tool.inputSchema
  ) {
    return tool;
  }
  const annotations =
    tool.annotations.title === undefined
      ? tool.annotations
      : { ...tool.annotations, title: modelText(tool.annotations.title) };
  return { ...tool, title, description, inputSchema, annotations };
}

/** Merges two sorted lists. */
function merge(
  some: readonly CatalogTool[],
  others: readonly CatalogTool[],
): readonly CatalogTool[] {
  if (others.length === 0) return some;
  const merged: CatalogTool[] = [];
  let at = 0;
  for (const tool of others) {
    for (let one = some[at]; one !== undefined && byName(one, tool) < 0; one = some[at]) {
      merged.push(one);
      at += 1;
    }
    merged.push(tool);
  }
  return [...merged, ...some.slice(at)];
}

function byName(a: CatalogTool, b: CatalogTool): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}

/** The tools and collisions of a catalog, indexed by plugin. */
export interface CatalogByPlugin {
  tools(plugin: string): readonly CatalogTool[];
  collisions(plugin: string): readonly Collision[];
}

export function byPlugin(catalog: Catalog): CatalogByPlugin {
  const tools = grouped(catalog.list());
  const collisions = grouped(catalog.collisions());
  return {
    tools: (plugin) => tools.get(plugin) ?? [],
    collisions: (plugin) => collisions.get(plugin) ?? [],
  };
}

function grouped<Item extends { readonly plugin: string }>(
  items: readonly Item[],
): ReadonlyMap<string, readonly Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const group = groups.get(item.plugin);
    if (group === undefined) groups.set(item.plugin, [item]);
    else group.push(item);
  }
  return groups;
}
