import type { Directory } from './directory.js';
import type { StorageLimits } from './limits.js';
import type { Refusals } from './refusals.js';

/** What a plugin's storage holds. Directories count as files: they cost as much. */
export interface Usage {
  bytes: number;
  files: number;
}

/** Counts by more, or throws a refusal and counts nothing. Less is always allowed. */
export function spend(usage: Usage, more: Usage, limits: StorageLimits, refusals: Refusals): void {
  if (more.files > 0 && usage.files + more.files > limits.maxFiles) {
    throw refusals.limit('maxFiles', 'it holds as many files and directories as it may');
  }
  if (more.bytes > 0 && usage.bytes + more.bytes > limits.maxBytes) {
    throw refusals.limit('maxBytes', `it would hold ${usage.bytes + more.bytes} bytes`);
  }
  usage.files += more.files;
  usage.bytes += more.bytes;
}

/** Counts what lies below a directory: at most so many entries, so deep. Links are not followed. */
export async function measure(
  directory: Directory,
  most: { files: number; depth: number },
): Promise<Usage & { readonly height: number }> {
  const usage = { bytes: 0, files: 0, height: 0 };
  for (const name of await directory.names()) {
    if (usage.files >= most.files) break;
    const stats = await directory.look(name);
    if (stats === undefined) continue;
    usage.files += 1;
    usage.height = Math.max(usage.height, 1);
    if (stats.isFile()) usage.bytes += stats.size;
    if (!stats.isDirectory() || most.depth <= 0) continue;
    await using child = await directory.child(name);
    const below = await measure(child, { files: most.files - usage.files, depth: most.depth - 1 });
    usage.bytes += below.bytes;
    usage.files += below.files;
    usage.height = Math.max(usage.height, below.height + 1);
  }
  return usage;
}
