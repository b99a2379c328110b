import type { JsonObject } from '../../sandbox/wire/messages.js';
import { type ToolPolicy, whyWithheld } from '../approval/policy.js';
import type { RiskBand } from '../plugin/risk.js';
import type { CouncilUse, ExecutionTarget } from '../plugin/tool.js';
import { makeNames } from './names.js';
import { type Collision, resolveNames, type ToolSource } from './precedence.js';
import { makeSpellings } from './spellings.js';

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
  const named = new Map<UnnamedTool, CatalogTool>();
  const names = makeNames<UnnamedTool>();
  const spellings = makeSpellings<CatalogTool>();
  const listeners = new Set<() => void>();

  /** What is the same tool as before keeps its place: a change among thousands touches few. */
  const become = (tools: readonly UnnamedTool[]): void => {
    const next = new Set(tools);
    const gone = [...named.keys()].filter((tool) => !next.has(tool));
    const come = tools.filter((tool) => !named.has(tool));
    const changed = names.change(gone, come);
    const dropped = new Set<CatalogTool>();
    const fresh: CatalogTool[] = [];
    for (const tool of [...gone, ...changed]) {
      const before = named.get(tool);
      const name = next.has(tool) ? names.of(tool) : undefined;
      if (before?.name === name) continue;
      if (before !== undefined) {
        dropped.add(before);
        spellings.delete(before);
        named.delete(tool);
      }
      if (name === undefined) continue;
      // In this order: what is added after a spread costs several times as much.
      const made = { id: `${tool.plugin}:${tool.tool}`, name, ...tool };
      named.set(tool, made);
      fresh.push(made);
    }
    // All that go have gone: what they were called may be another's now.
    for (const tool of fresh) spellings.add(tool);
    const kept = dropped.size === 0 ? sorted : sorted.filter((tool) => !dropped.has(tool));
    sorted = merge(kept, fresh.toSorted(byName));
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
      become(tools);
      for (const listener of listeners) listener();
    },
  };
}

/** Two sorted lists as one. */
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
