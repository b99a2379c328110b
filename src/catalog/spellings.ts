import type { Claim } from './precedence.js';

/** A tool as far as it is called by anything. */
export interface Spelled extends Claim {
  readonly name: string;
  readonly id: string;
  readonly aliases?: readonly string[];
  /** There for an extension's. */
  readonly council?: object;
}

/**
 * The tools by everything that they may be called: exported names win over ids, these over bare names,
 * and all over other spellings. What several claim is nobody's, and neither is a bare name that looks
 * like the exported name of a tool that may not be there.
 */
export function indexSpellings<Tool extends Spelled>(tools: readonly Tool[]): Map<string, Tool> {
  const all = new Map<string, Tool>();
  for (const [name, tool] of unclaimed(tools, spellingsOf)) all.set(name, tool);
  for (const [name, tool] of unclaimed(tools, bareNameOf)) all.set(name, tool);
  for (const tool of tools) all.set(tool.id, tool);
  for (const tool of tools) all.set(tool.name, tool);
  return all;
}

/** The names that one tool claims alone, or before all others. */
function unclaimed<Tool extends Spelled>(
  tools: readonly Tool[],
  namesOf: (tool: Tool) => readonly string[],
): ReadonlyMap<string, Tool> {
  const owners = new Map<string, Tool>();
  const contested = new Map<string, Set<Tool>>();
  for (const tool of tools) {
    for (const name of namesOf(tool)) {
      const first = owners.get(name);
      const claimants = contested.get(name);
      if (first === undefined) owners.set(name, tool);
      else if (claimants !== undefined) claimants.add(tool);
      else if (first !== tool) contested.set(name, new Set([first, tool]));
    }
  }
  for (const [name, claimants] of contested) {
    const owner = ownerAmong([...claimants]);
    if (owner === undefined) owners.delete(name);
    else owners.set(name, owner);
  }
  return owners;
}

/** An extension's tool comes before a server's (Lumiverse, tool listing); nobody else before anybody. */
function ownerAmong<Tool extends Spelled>(claimants: readonly Tool[]): Tool | undefined {
  const [first, ...others] = claimants.filter(({ source }) => source !== 'mcp');
  return first?.council !== undefined && others.length === 0 ? first : undefined;
}

function bareNameOf({ tool }: Spelled): readonly string[] {
  return tool.includes('__') ? [] : [tool];
}

/**
 * `plugin__tool` as it is written, where that can be nobody's exported name; what its own system calls
 * it besides; and Lumiverse's name for a server's.
 */
function spellingsOf({ plugin, tool, aliases = [], source }: Spelled): readonly string[] {
  const written = `${plugin}__${tool}`;
  const servers = source === 'mcp' ? [`mcp:${plugin.slice(0, 8)}:${tool}`] : [];
  return [...(EXPORTED.test(written) ? [] : [written]), ...aliases, ...servers];
}

/** What looks like an exported name is one or nobody's: else a plugin could answer for one that is gone. */
const EXPORTED = /^[a-zA-Z0-9_-]{1,64}$/;
