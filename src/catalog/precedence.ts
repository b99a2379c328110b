/**
 * Where a tool comes from, by who wins where two have one name (Vellum tools, "Resolution order"):
 * the host's own, the files of its workspace, a server, a plugin that came with the host, a plugin
 * that somebody installed.
 */
export type ToolSource = 'core' | 'workspace' | 'mcp' | 'default' | 'plugin';

/** A tool as far as it lays claim to a name. */
export interface Claim {
  readonly plugin: string;
  readonly tool: string;
  /** Absent: a plugin's. */
  readonly source?: ToolSource;
  /** Its system calls it by its own name, without its plugin's. */
  readonly bare?: boolean;
}

/** A tool that is not offered because another has its name. */
export interface Collision {
  readonly plugin: string;
  readonly tool: string;
  /** The id of the tool that has the name, or `undefined` where the workspace removed it. */
  readonly holder: string | undefined;
  /** `skipped`: precedence says so, a warning. `failed`: nothing says which of the two it should be. */
  readonly outcome: 'skipped' | 'failed';
  readonly message: string;
}

export interface Precedence {
  /** One collision of two installed plugins costs the later one all of its tools. */
  readonly strict: boolean;
  /** Names of core tools that the workspace removed. They stay taken. */
  readonly removed: readonly string[];
}

/**
 * Decides which tools there are. Only those that are called by their bare name can be in each other's
 * way. `tools` are in the order in which they were registered, each owner's together.
 */
export function resolveNames<Tool extends Claim>(
  tools: readonly Tool[],
  { strict, removed }: Precedence,
): { readonly tools: readonly Tool[]; readonly collisions: readonly Collision[] } {
  if (!tools.some(({ bare }) => bare === true)) return { tools, collisions: [] };
  const kept: Tool[] = [];
  const collisions: Collision[] = [];
  const holders = new Map<string, Claim | undefined>(removed.map((name) => [name, undefined]));
  for (const batch of batchesOf(tools)) {
    const refused = batch.flatMap((tool) => collide(tool, holders));
    const failed = refused.some(({ outcome }) => outcome === 'failed');
    const lost = new Set(strict && failed ? batch : refused.map(({ incoming }) => incoming));
    for (const tool of batch) {
      if (lost.has(tool)) continue;
      kept.push(tool);
      if (tool.bare === true) holders.set(tool.tool, tool);
    }
    for (const { incoming: _, ...collision } of refused) collisions.push(collision);
    if (strict && failed) collisions.push(...costsOf(batch, refused));
  }
  return { tools: kept, collisions };
}

/** Each owner's tools, in order of precedence: the workspace's first, as they stand before core's. */
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
  if (incoming.bare !== true || !holders.has(tool)) return [];
  const holder = holders.get(tool);
  const about = { incoming, plugin, tool, holder: holder && `${holder.plugin}:${holder.tool}` };
  // An override is what it is there for; a core tool that was removed is not there, and that is all.
  if (source === 'core')
    return [{ ...about, outcome: 'skipped', message: overridden(tool, holder) }];
  const holding = holder?.source ?? 'plugin';
  if (holder !== undefined && source === 'plugin' && holding === 'plugin') {
    const message = `Plugin tool ${JSON.stringify(tool)} is already registered by plugin ${JSON.stringify(holder.plugin)}, which was installed before. Rename it in one of them, or remove one.`;
    return [{ ...about, outcome: 'failed', message }];
  }
  const message = `The tool ${JSON.stringify(tool)} of ${plugin} is skipped: the name is ${takenBy(holder)}.`;
  return [{ ...about, outcome: 'skipped', message }];
}

const OWNERS: Readonly<Record<ToolSource, string>> = {
  core: 'a core tool’s',
  workspace: 'a workspace tool’s',
  mcp: 'a server’s tool’s',
  default: 'a default plugin’s',
  plugin: 'another plugin’s',
};

function takenBy(holder: Claim | undefined): string {
  if (holder === undefined) return 'that of a core tool which the workspace removed';
  return `${OWNERS[holder.source ?? 'plugin']} (${holder.plugin})`;
}

function overridden(tool: string, holder: Claim | undefined): string {
  return holder === undefined
    ? `The core tool ${JSON.stringify(tool)} is removed by the workspace.`
    : `The core tool ${JSON.stringify(tool)} is overridden by ${holder.plugin}.`;
}

/** The tools that a plugin loses with the one that collided. */
function costsOf(batch: readonly Claim[], refused: readonly Refused[]): Collision[] {
  const collided = new Set(refused.map(({ incoming }) => incoming));
  return batch
    .filter((tool) => !collided.has(tool))
    .map(({ plugin, tool }) => ({
      plugin,
      tool,
      holder: undefined,
      outcome: 'failed',
      message: `The tool ${JSON.stringify(tool)} is not registered, as another tool of ${plugin} collides.`,
    }));
}
