import type { Claim } from './precedence.js';

/** A tool as far as it is called by anything. */
export interface Spelled extends Claim {
  readonly name: string;
  readonly id: string;
  readonly aliases?: readonly string[];
  /** There for an extension's. */
  readonly council?: object;
}

/** Tools by everything that they may be called. */
export interface Spellings<Tool extends Spelled> {
  add(tool: Tool): void;
  delete(tool: Tool): void;
  find(spelling: string): Tool | undefined;
}

/**
 * Exported names win over ids, these over bare names, and all over other spellings. What several claim
 * is nobody's, and neither is a bare name that looks like the exported name of a tool that may not be
 * there.
 */
export function makeSpellings<Tool extends Spelled>(): Spellings<Tool> {
  const byName = new Map<string, Tool>();
  const byId = new Map<string, Tool>();
  const byBareName = makeClaims<Tool>();
  const byOther = makeClaims<Tool>();
  return {
    add: (tool) => {
      byName.set(tool.name, tool);
      byId.set(tool.id, tool);
      if (hasBareName(tool)) byBareName.add(tool.tool, tool);
      for (const spelling of spellingsOf(tool)) byOther.add(spelling, tool);
    },
    delete: (tool) => {
      // Another may have taken its place by now.
      if (byName.get(tool.name) === tool) byName.delete(tool.name);
      if (byId.get(tool.id) === tool) byId.delete(tool.id);
      if (hasBareName(tool)) byBareName.delete(tool.tool, tool);
      for (const spelling of spellingsOf(tool)) byOther.delete(spelling, tool);
    },
    find: (spelling) =>
      byName.get(spelling) ??
      byId.get(spelling) ??
      byBareName.ownerOf(spelling) ??
      byOther.ownerOf(spelling),
  };
}

/** Names that each belong to the one who claims it alone, or before all others. */
interface Claims<Tool> {
  add(name: string, tool: Tool): void;
  delete(name: string, tool: Tool): void;
  ownerOf(name: string): Tool | undefined;
}

function makeClaims<Tool extends Spelled>(): Claims<Tool> {
  /** Most names have one claimant, and need no set. */
  const claimants = new Map<string, Tool | Set<Tool>>();
  return {
    add: (name, tool) => {
      const others = claimants.get(name);
      if (others === undefined || others === tool) claimants.set(name, tool);
      else if (others instanceof Set) others.add(tool);
      else claimants.set(name, new Set([others, tool]));
    },
    delete: (name, tool) => {
      const found = claimants.get(name);
      if (found instanceof Set) {
        found.delete(tool);
        if (found.size === 0) claimants.delete(name);
      } else if (found === tool) claimants.delete(name);
    },
    ownerOf: (name) => {
      const found = claimants.get(name);
      return found instanceof Set ? ownerAmong(found) : found;
    },
  };
}

/** An extension's tool comes before a server's (Lumiverse, tool listing); nobody else before anybody. */
function ownerAmong<Tool extends Spelled>(claimants: ReadonlySet<Tool>): Tool | undefined {
  if (claimants.size === 1) return [...claimants][0];
  let owner: Tool | undefined;
  for (const tool of claimants) {
    if (tool.source === 'mcp') continue;
    if (owner !== undefined || tool.council === undefined) return undefined;
    owner = tool;
  }
  return owner;
}

function hasBareName({ tool }: Spelled): boolean {
  return !tool.includes('__');
}

/**
 * `plugin__tool` as it is written, where that can be nobody's exported name; what its own system calls
 * it besides; and Lumiverse's name for a server's.
 */
function spellingsOf({ plugin, tool, name, aliases = [], source }: Spelled): readonly string[] {
  const written = `${plugin}__${tool}`;
  const servers = source === 'mcp' ? [`mcp:${plugin.slice(0, 8)}:${tool}`] : [];
  const others = written === name || EXPORTED.test(written) ? [] : [written];
  return [...others, ...aliases, ...servers];
}

/** What looks like an exported name is one or nobody's: else a plugin could answer for one that is gone. */
const EXPORTED = /^[a-zA-Z0-9_-]{1,64}$/;
