import { hash } from '../hash.js';
import type { Claim } from './precedence.js';

/** Assigns exported names to tools. */
interface Names<Tool extends Claim> {
  /**
   * Removes and adds tools. Returns the tools whose name may have changed: all added tools, and those
   * that contend for a name with an added or removed tool.
   */
  change(removed: readonly Tool[], added: readonly Tool[]): ReadonlySet<Tool>;
  /** The name of an added tool. */
  of(tool: Tool): string;
}

/** A tool with its candidate names, in order of preference. */
interface Named<Tool> {
  readonly tool: Tool;
  readonly candidates: string[];
  /** The index of its current name. The tool claims this candidate and all before it. */
  at: number;
  hashed: boolean;
}

/**
 * Names tools `plugin__tool`, or by their bare name if their system does. Replaces every character that
 * a model's API refuses.
 *
 * If several tools claim a name, no tool gets it: otherwise an added plugin could take another's calls.
 * Each of them, and each tool with a too long name, gets a suffix of its id's hash that makes it unique.
 * The names do not depend on the order of changes. The time of a change depends only on its size.
 */
export function makeNames<Tool extends Claim>(): Names<Tool> {
  const all = new Map<Tool, Named<Tool>>();
  const claimants = new Map<string, Named<Tool> | Set<Named<Tool>>>();

  const claim = (name: string, named: Named<Tool>): readonly Named<Tool>[] => {
    const before = claimants.get(name);
    if (before === undefined) {
      claimants.set(name, named);
      return [];
    }
    // If several claim the name already, they use later candidates.
    if (before instanceof Set) {
      before.add(named);
      return [named];
    }
    claimants.set(name, new Set([before, named]));
    return [before, named];
  };

  /** Iterative, because a long chain of names may each collide with the next. */
  const settle = (first: Named<Tool>, changed: Set<Tool>): void => {
    const unsettled = [first];
    for (let named = unsettled.pop(); named !== undefined; named = unsettled.pop()) {
      changed.add(named.tool);
      const name = nameOf(named);
      for (const one of claim(name, named)) {
        // guard: tool-name-not-reassigned
        if (nameOf(one) === name && advance(one)) unsettled.push(one);
      }
    }
  };

  const unclaim = (named: Named<Tool>): void => {
    for (const name of claimedBy(named)) {
      const found = claimants.get(name);
      if (!(found instanceof Set)) claimants.delete(name);
      else {
        found.delete(named);
        const [left] = found;
        if (left !== undefined && found.size === 1) claimants.set(name, left);
      }
    }
  };

  /** The removed tools, and all tools whose names can depend on them. */
  const contending = (removed: readonly Tool[]): ReadonlySet<Named<Tool>> => {
    const found = new Set<Named<Tool>>();
    for (const tool of removed) {
      const named = all.get(tool);
      if (named !== undefined) found.add(named);
    }
    for (const named of found) {
      for (const name of claimedBy(named)) {
        const others = claimants.get(name);
        if (others instanceof Set) for (const other of others) found.add(other);
      }
    }
    return found;
  };

  return {
    change: (removed, added) => {
      const changed = new Set<Tool>();
      const affected = contending(removed);
      for (const named of affected) unclaim(named);
      for (const tool of removed) all.delete(tool);
      for (const named of affected) {
        if (!all.has(named.tool)) continue;
        named.at = 0;
        settle(named, changed);
      }
      for (const tool of added) {
        const named = { tool, candidates: namesOf(tool), at: 0, hashed: false };
        all.set(tool, named);
        settle(named, changed);
      }
      return changed;
    },
    of: (tool) => {
      const named = all.get(tool);
      return named === undefined ? '' : nameOf(named);
    },
  };
}

function nameOf<Tool extends Claim>(named: Named<Tool>): string {
  const { candidates, at, tool } = named;
  // Computed on demand, because few tools need a hash.
  if (at >= candidates.length && !named.hashed) {
    candidates.push(...hashedNames(tool));
    named.hashed = true;
  }
  return candidates[at] ?? '';
}

function claimedBy({ candidates, at }: Named<unknown>): readonly string[] {
  return candidates.slice(0, at + 1);
}

/** Moves to the next candidate, if there is one. The host's own tools always keep their name. */
function advance<Tool extends Claim>(named: Named<Tool>): boolean {
  if (isHostTool(named.tool)) return false;
  named.at += 1;
  if (nameOf(named) !== '') return true;
  named.at -= 1;
  return false;
}

function isHostTool({ source }: Claim): boolean {
  return source === 'core' || source === 'workspace';
}

/** Names that every model's API accepts. */
const EXPORTED = /^[a-zA-Z0-9_-]{1,64}$/;
const MAX_LENGTH = 64;

/** Characters of the hash. An attacker can find a collision of 6 characters, but not of 26. */
const HASH_LENGTHS = [6, 12, 26];

/** The candidates without a hash. */
function namesOf(named: Claim): string[] {
  const plain = qualifiedName(named);
  const qualified = EXPORTED.test(plain) ? [plain] : [];
  return named.bare === true ? [...bareNames(named), ...qualified] : qualified;
}

/**
 * The bare name, or Vellum's replacement if a model's API refuses it. Only the host's own tools may have
 * a bare name that looks like `plugin__tool`.
 */
function bareNames(named: Claim): readonly string[] {
  const { tool } = named;
  if (!EXPORTED.test(tool)) {
    const digest = hash('sha256', tool, 'hex').slice(0, 12);
    return [`${clean(tool).slice(0, MAX_LENGTH - digest.length - 2)}__${digest}`];
  }
  // guard: tool-name-without-separator
  return tool.includes('__') && !isHostTool(named) ? [] : [tool];
}

function qualifiedName({ plugin, tool }: Claim): string {
  const written = `${plugin}__${tool}`;
  return EXPORTED.test(written) ? written : `${clean(plugin)}__${clean(tool)}`;
}

function hashedNames(named: Claim): string[] {
  const name = qualifiedName(named);
  const digits = hashOf(`${named.plugin}:${named.tool}`);
  return HASH_LENGTHS.map(
    (length) => `${name.slice(0, MAX_LENGTH - length - 1)}_${digits.slice(0, length)}`,
  );
}

function clean(text: string): string {
  return text.replace(/^@/, '').replace(/[^a-zA-Z0-9_-]/g, '_');
}

const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';

function hashOf(id: string): string {
  const digest = hash('sha256', id, 'buffer');
  return Array.from(digest, (byte) => BASE32[byte & 31]).join('');
}

/** The members of a tool that decide its aliases. */
interface AliasOwner extends Claim {
  readonly name: string;
  readonly id: string;
  readonly aliases?: readonly string[];
  /** Present for a tool of a Spindle extension. */
  readonly council?: object;
}

/** Tools by all their names. */
interface Aliases<Tool extends AliasOwner> {
  add(tool: Tool): void;
  delete(tool: Tool): void;
  find(spelling: string): Tool | undefined;
}

/**
 * Exported names win over ids, ids over bare names, and bare names over other aliases. A name that
 * several tools claim finds none of them. A bare name that looks like an exported name is not an alias.
 */
export function makeAliases<Tool extends AliasOwner>(): Aliases<Tool> {
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
      // Another tool may have the name now.
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

/** Names with their claimants. A name belongs to its only claimant, or to the one with precedence. */
interface Claims<Tool> {
  add(name: string, tool: Tool): void;
  delete(name: string, tool: Tool): void;
  ownerOf(name: string): Tool | undefined;
}

function makeClaims<Tool extends AliasOwner>(): Claims<Tool> {
  /** Most names have one claimant, which saves the set. */
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

/** An extension's tool precedes a server's (Lumiverse, tool listing). No other tool has precedence. */
function ownerAmong<Tool extends AliasOwner>(claimants: ReadonlySet<Tool>): Tool | undefined {
  if (claimants.size === 1) return [...claimants][0];
  let owner: Tool | undefined;
  for (const tool of claimants) {
    if (tool.source === 'mcp') continue;
    if (owner !== undefined || tool.council === undefined) return undefined;
    owner = tool;
  }
  return owner;
}

function hasBareName({ tool }: AliasOwner): boolean {
  return !tool.includes('__');
}

/**
 * Other names: `plugin__tool` if it cannot be an exported name, the aliases of the plugin's own system,
 * and Lumiverse's name for a server's tool.
 */
function spellingsOf({ plugin, tool, name, aliases = [], source }: AliasOwner): readonly string[] {
  const written = `${plugin}__${tool}`;
  const servers = source === 'mcp' ? [`mcp:${plugin.slice(0, 8)}:${tool}`] : [];
  // Otherwise a plugin could answer for a removed tool with that exported name.
  // guard: exported-alias-skipped
  const others = written === name || EXPORTED.test(written) ? [] : [written];
  return [...others, ...aliases, ...servers];
}
