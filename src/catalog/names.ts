import { createHash } from 'node:crypto';

/** Names every model's API accepts. */
const EXPORTED = /^[a-zA-Z0-9_-]{1,64}$/;
const KEPT = 57;

/**
 * The name a tool is shown under: `plugin__tool`, with every character that some model's API
 * refuses replaced. Names that would be too long, or that another tool has, end in six characters
 * of their id's hash: the same id always gets the same one of its two names.
 */
export function exportedName(
  plugin: string,
  tool: string,
  taken: (name: string) => boolean,
): string {
  const name = `${clean(plugin)}__${clean(tool)}`;
  if (EXPORTED.test(name) && !taken(name)) return name;
  return `${name.slice(0, KEPT)}_${shortHash(`${plugin}:${tool}`)}`;
}

function clean(text: string): string {
  return text.replace(/^@/, '').replace(/[^a-zA-Z0-9_-]/g, '_');
}

const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';

function shortHash(id: string): string {
  const digest = createHash('sha256').update(id).digest();
  let text = '';
  for (const byte of digest.subarray(0, 6)) text += BASE32[byte & 31] ?? '';
  return text;
}
