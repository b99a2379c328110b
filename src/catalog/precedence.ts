/**
 * The source of a tool (Vellum tools, "Resolution order"): the host itself, its workspace's files, a
 * tool server, a plugin shipped with the host, or an installed plugin.
 */
export type ToolSource = 'core' | 'workspace' | 'mcp' | 'default' | 'plugin';

/** The members of a tool that decide its name. */
export interface Claim {
  readonly plugin: string;
  readonly tool: string;
  /** Default: `plugin`. */
  readonly source?: ToolSource;
  /** The plugin's system calls the tool by its bare name, without the plugin's name. */
  readonly bare?: boolean;
}

/** A tool that is left out because another tool has its name. */
export interface Collision {
  readonly plugin: string;
  readonly tool: string;
  /** The id of the tool that has the name; `undefined` if the workspace removed that tool. */
  readonly holder: string | undefined;
  /** `skipped`: precedence decides, a warning. `failed`: precedence does not decide. */
  readonly outcome: 'skipped' | 'failed';
  readonly message: string;
}

export interface Precedence {
  /** If two installed plugins collide, the later plugin loses all its tools, not only one. */
  readonly strict: boolean;
  /** Names of core tools that the workspace removed. They stay reserved. */
  readonly removed: readonly string[];
}

/**
 * Decides which tools the catalog has. Only tools with bare names can collide. `tools` are in the order
 * of their registration, grouped by plugin.
 */
export function resolveNames<Tool extends Claim>(
  tools: readonly Tool[],
  { strict, removed }: Precedence,
): { readonly tools: readonly Tool[]; readonly collisions: readonly Collision[] } {
  if (!tools.some(({ bare }) => bare === true)) return { tools, collisions: [] };
  const accepted: Tool[] = [];
  const collisions: Collision[] = [];
  const holders = new Map<string, Claim | undefined>(removed.map((name) => [name, undefined]));
  for (const batch of batchesOf(tools)) {
    const refused = batch.flatMap((tool) => collide(tool, holders));
    const failed = refused.some(({ outcome }) => outcome === 'failed');
    const lost = new Set(strict && failed ? batch : refused.map(({ incoming }) => incoming));
    for (const tool of batch) {
      if (lost.has(tool)) continue;
      accepted.push(tool);
      if (tool.bare === true) holders.set(tool.tool, tool);
    }
    for (const { incoming: _, ...collision } of refused) collisions.push(collision);
    if (strict && failed) collisions.push(...lostWith(batch, refused));
  }
  return { tools: accepted, collisions };
}

/** The tools of each plugin, by precedence: the workspace first, then core, then the others. */
function batchesOf<Tool extends Claim>(tools: readonly Tool[]): readonly (readonly Tool[])[] {
  const batches = new Map<string, Tool[]>();
  for (const tool of tools) {
    const batch = batches.get(tool.plugin) ?? [];
    batch.push(tool);
    batches.set(tool.plugin, batch);
  }
  const rankOf = ([first]: readonly Claim[]): number =>
    first?.source === 'workspace' ? 0 : first?.source === 'core' ? 1 : 2;
  // Sorting is stable: the others stay in the order in which they were registered.
  return [...batches.values()].toSorted((a, b) => rankOf(a) - rankOf(b));
}

type Refused = Collision & { readonly incoming: Claim };

function collide(incoming: Claim, holders: ReadonlyMap<string, Claim | undefined>): Refused[] {
  const { plugin, tool, source = 'plugin' } = incoming;
  // guard: host-tool-name-reserved
  if (incoming.bare !== true || !holders.has(tool)) return [];
  const holder = holders.get(tool);
  const about = { incoming, plugin, tool, holder: holder && `${holder.plugin}:${holder.tool}` };
  // The workspace may override or remove core tools.
  if (source === 'core')
    return [{ ...about, outcome: 'skipped', message: overridden(tool, holder) }];
  const holding = holder?.source ?? 'plugin';
  if (holder !== undefined && source === 'plugin' && holding === 'plugin') {
    const message = `Plugin tool ${JSON.stringify(tool)} is already registered by plugin ${JSON.stringify(holder.plugin)}, which was installed first. Rename the tool in one plugin, or remove one plugin.`;
    return [{ ...about, outcome: 'failed', message }];
  }
  const message = `The tool ${JSON.stringify(tool)} of ${plugin} is skipped, because the name belongs to ${takenBy(holder)}. Rename the tool.`;
  return [{ ...about, outcome: 'skipped', message }];
}

const OWNERS: Readonly<Record<ToolSource, string>> = {
  core: 'a core tool',
  workspace: 'a workspace tool',
  mcp: 'a server’s tool',
  default: 'a default plugin',
  plugin: 'another plugin',
};

function takenBy(holder: Claim | undefined): string {
  if (holder === undefined) return 'a core tool that the workspace removed';
  return `${OWNERS[holder.source ?? 'plugin']} (${holder.plugin})`;
}

function overridden(tool: string, holder: Claim | undefined): string {
  return holder === undefined
    ? `The core tool ${JSON.stringify(tool)} is removed by the workspace.`
    : `The core tool ${JSON.stringify(tool)} is overridden by ${holder.plugin}.`;
}

/** The other tools that the plugin loses. */
function lostWith(batch: readonly Claim[], refused: readonly Refused[]): Collision[] {
  const collided = new Set(refused.map(({ incoming }) => incoming));
  return batch
    .filter((tool) => !collided.has(tool))
    .map(({ plugin, tool }) => ({
      plugin,
      tool,
      holder: undefined,
      outcome: 'failed',
      message: `The tool ${JSON.stringify(tool)} is not registered, because another tool of ${plugin} collides. Resolve that collision.`,
    }));
}
