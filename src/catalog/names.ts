import { hash } from 'node:crypto';
import type { Claim } from './precedence.js';

/**
 * The names that tools are shown under, in their order: `plugin__tool`, or the tool's own where that
 * is what its system calls it by, with every character that some model's API refuses replaced.
 *
 * A name that several claim is nobody's: whoever asks for it must not get another tool than the one
 * that had it before a plugin was added. Each of them, like those whose name would be too long, ends
 * in characters of its id's hash, as many as it takes to be alone.
 */
export function exportedNames(tools: readonly Claim[]): string[] {
  const candidates = tools.map(candidatesOf);
  const claims = new Map<string, number>();
  for (const name of candidates.flat()) claims.set(name, (claims.get(name) ?? 0) + 1);
  const taken = new Set(
    candidates.flatMap(([first = ''], at) => (isHosts(tools[at]) ? [first] : [])),
  );
  return candidates.map((names, at) => {
    if (isHosts(tools[at])) return names[0] ?? '';
    const free = names.find((name) => claims.get(name) === 1 && !taken.has(name));
    return free ?? names.at(-1) ?? '';
  });
}

function isHosts(tool: Claim | undefined): boolean {
  return tool?.source === 'core' || tool?.source === 'workspace';
}

/** Names every model's API accepts. */
const EXPORTED = /^[a-zA-Z0-9_-]{1,64}$/;
const MAX_LENGTH = 64;

/** Characters of the hash. Six can be met by trying, for whom that is worth it; 26 cannot. */
const HASH_LENGTHS = [6, 12, 26];

function candidatesOf(named: Claim): readonly string[] {
  const qualified = qualifiedNames(named);
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

function qualifiedNames({ plugin, tool }: Claim): readonly string[] {
  const name = `${clean(plugin)}__${clean(tool)}`;
  const digits = hashOf(`${plugin}:${tool}`);
  const hashed = HASH_LENGTHS.map(
    (length) => `${name.slice(0, MAX_LENGTH - length - 1)}_${digits.slice(0, length)}`,
  );
  return EXPORTED.test(name) ? [name, ...hashed] : hashed;
}

function clean(text: string): string {
  return text.replace(/^@/, '').replace(/[^a-zA-Z0-9_-]/g, '_');
}

const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';

function hashOf(id: string): string {
  const digest = hash('sha256', id, 'buffer');
  return Array.from(digest, (byte) => BASE32[byte & 31]).join('');
}
