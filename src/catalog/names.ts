import { hash } from 'node:crypto';
import type { Claim } from './precedence.js';

/** The names that tools are shown under. */
export interface Names<Tool extends Claim> {
  /**
   * Takes tools away and adds others. Answers with those whose name may be another than before: all that
   * were added, and those of the others that these were in the way of, or no longer are.
   */
  change(gone: readonly Tool[], come: readonly Tool[]): ReadonlySet<Tool>;
  /** The name of a tool that was added. */
  of(tool: Tool): string;
}

/** A tool with the names that it would have, the ones that it has given up first. */
interface Named<Tool> {
  readonly tool: Tool;
  readonly candidates: string[];
  /** Which of them it goes by. It has claimed that and all before it. */
  at: number;
  hashed: boolean;
}

/**
 * Names tools `plugin__tool`, or as they call themselves where that is what their system calls them by,
 * with every character that some model's API refuses replaced.
 *
 * A name that several claim is nobody's: whoever asks for it must not get another tool than the one
 * that had it before a plugin was added. Each of them, like those whose name would be too long, ends
 * in characters of its id's hash, as many as it takes to be alone. Which names these are does not
 * depend on the order in which tools come and go, and a change takes as long as it is large, however
 * many tools there are.
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
    // Where several claim it already, those who went by it have gone on to their next.
    if (before instanceof Set) {
      before.add(named);
      return [named];
    }
    claimants.set(name, new Set([before, named]));
    return [before, named];
  };

  /** Without recursion: each of a long row of names may be in the way of the next. */
  const settle = (first: Named<Tool>, changed: Set<Tool>): void => {
    const unsettled = [first];
    for (let named = unsettled.pop(); named !== undefined; named = unsettled.pop()) {
      changed.add(named.tool);
      const name = nameOf(named);
      for (const one of claim(name, named)) {
        if (nameOf(one) === name && goesOn(one)) unsettled.push(one);
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

  /** All whose names can depend on those that go, these among them. */
  const contending = (gone: readonly Tool[]): ReadonlySet<Named<Tool>> => {
    const found = new Set<Named<Tool>>();
    for (const tool of gone) {
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
    change: (gone, come) => {
      const changed = new Set<Tool>();
      const anew = contending(gone);
      for (const named of anew) unclaim(named);
      for (const tool of gone) all.delete(tool);
      for (const named of anew) {
        if (!all.has(named.tool)) continue;
        named.at = 0;
        settle(named, changed);
      }
      for (const tool of come) {
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
  // Made when it is needed: of thousands of tools a few need a hash.
  if (at >= candidates.length && !named.hashed) {
    candidates.push(...hashedNames(tool));
    named.hashed = true;
  }
  return candidates[at] ?? '';
}

function claimedBy({ candidates, at }: Named<unknown>): readonly string[] {
  return candidates.slice(0, at + 1);
}

/** To its next name, if it has one. What the host calls a tool of its own is what it is called. */
function goesOn<Tool extends Claim>(named: Named<Tool>): boolean {
  if (isHosts(named.tool)) return false;
  named.at += 1;
  if (nameOf(named) !== '') return true;
  named.at -= 1;
  return false;
}

function isHosts({ source }: Claim): boolean {
  return source === 'core' || source === 'workspace';
}

/** Names every model's API accepts. */
const EXPORTED = /^[a-zA-Z0-9_-]{1,64}$/;
const MAX_LENGTH = 64;

/** Characters of the hash. Six can be met by trying, for whom that is worth it; 26 cannot. */
const HASH_LENGTHS = [6, 12, 26];

/** All but those that end in a hash. */
function namesOf(named: Claim): string[] {
  const plain = qualifiedName(named);
  const qualified = EXPORTED.test(plain) ? [plain] : [];
  return named.bare === true ? [...bareNames(named), ...qualified] : qualified;
}

/**
 * The tool's own name, or what Vellum makes of one that no model's API takes. One that looks like
 * another plugin's tool is only for the host to give.
 */
function bareNames(named: Claim): readonly string[] {
  const { tool } = named;
  if (!EXPORTED.test(tool)) {
    const digest = hash('sha256', tool, 'hex').slice(0, 12);
    return [`${clean(tool).slice(0, MAX_LENGTH - digest.length - 2)}__${digest}`];
  }
  return tool.includes('__') && !isHosts(named) ? [] : [tool];
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
