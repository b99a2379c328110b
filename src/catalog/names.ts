import { createHash } from 'node:crypto';

/** What names a tool: its plugin's id and its own. */
export interface Named {
  readonly plugin: string;
  readonly tool: string;
}

/**
 * The names that tools are shown under, in their order: `plugin__tool`, with every character that
 * some model's API refuses replaced.
 *
 * A name that several claim is nobody's: whoever asks for it must not get another tool than the one
 * that had it before a plugin was added. Each of them, like those whose name would be too long, ends
 * in characters of its id's hash, as many as it takes to be alone.
 */
export function exportedNames(tools: readonly Named[]): string[] {
  const candidates = tools.map(candidatesOf);
  const claims = new Map<string, number>();
  for (const name of candidates.flat()) claims.set(name, (claims.get(name) ?? 0) + 1);
  return candidates.map(
    (names) => names.find((name) => claims.get(name) === 1) ?? names.at(-1) ?? '',
  );
}

/** Names every model's API accepts. */
const EXPORTED = /^[a-zA-Z0-9_-]{1,64}$/;
const MAX_LENGTH = 64;

/** Characters of the hash. Six can be met by trying, for whom that is worth it; 26 cannot. */
const HASH_LENGTHS = [6, 12, 26];

function candidatesOf({ plugin, tool }: Named): readonly string[] {
  const name = `${clean(plugin)}__${clean(tool)}`;
  const hash = hashOf(`${plugin}:${tool}`);
  const hashed = HASH_LENGTHS.map(
    (length) => `${name.slice(0, MAX_LENGTH - length - 1)}_${hash.slice(0, length)}`,
  );
  return EXPORTED.test(name) ? [name, ...hashed] : hashed;
}

function clean(text: string): string {
  return text.replace(/^@/, '').replace(/[^a-zA-Z0-9_-]/g, '_');
}

const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';

function hashOf(id: string): string {
  const digest = createHash('sha256').update(id).digest();
  return Array.from(digest, (byte) => BASE32[byte & 31]).join('');
}
