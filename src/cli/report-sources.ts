import type { AuditRecord, PluginStatus, SuggestedItem } from '../index.js';
import { usageError } from './failure.js';
import type { CliPowers } from './powers.js';

/**
 * The plugins that are installed: in the directories that were named, or else where the log last saw
 * them. They are looked at with nothing granted: what they have is in the log and the lock file.
 */
export async function findInstalled(
  named: readonly string[],
  records: readonly AuditRecord[],
  powers: Pick<CliPowers, 'createEngine' | 'environment' | 'listDirectory'>,
): Promise<readonly PluginStatus[]> {
  const directories = named.length > 0 ? named : await lastSeen(records, powers);
  if (directories.length === 0) return [];
  await using engine = await powers.createEngine({
    plugins: directories,
    grant: 'declared',
    env: powers.environment,
    limits: { pool: 0 },
    logger: SILENT,
  });
  return engine.plugins();
}

const SILENT = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

async function lastSeen(
  records: readonly AuditRecord[],
  { listDirectory }: Pick<CliPowers, 'listDirectory'>,
): Promise<string[]> {
  const seen = new Map<string, string>();
  for (const record of records) {
    if (record.type === 'plugin-found') seen.set(record.plugin, record.directory);
  }
  const there = await Promise.all(
    [...new Set(seen.values())].map(async (directory) =>
      (await listDirectory(directory).catch(() => undefined)) === undefined ? [] : [directory],
    ),
  );
  return there.flat();
}

/** By plugin, what its code was read to need. Code that cannot be read tells nothing. */
export async function readCode(
  plugins: readonly PluginStatus[],
  { suggestPermissions }: Pick<CliPowers, 'suggestPermissions'>,
): Promise<ReadonlyMap<string, readonly SuggestedItem[]>> {
  const read = plugins.map(async ({ id, directory }) => {
    const suggestion = await suggestPermissions(directory).catch(() => undefined);
    return [id, suggestion?.items ?? []] as const;
  });
  return new Map(await Promise.all(read));
}

/** A file of JSON that may be there; `undefined` where it is not, or holds no JSON. */
export async function readOptional(
  path: string,
  { readFile }: Pick<CliPowers, 'readFile'>,
): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path));
  } catch {
    return undefined;
  }
}

export async function readWanted(
  path: string,
  option: string,
  { readFile }: Pick<CliPowers, 'readFile'>,
): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw usageError(option, `${option} cannot read ${path}: ${why}`);
  }
}
