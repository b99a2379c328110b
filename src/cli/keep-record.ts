import type { CallRecord } from '../index.js';
import type { CliPowers } from './powers.js';
import { visible } from './visible.js';

/** Writes the record of a call where somebody wants it. */
export async function keepRecord(
  record: CallRecord,
  file: string,
  { writeFile, stderr }: Pick<CliPowers, 'writeFile' | 'stderr'>,
): Promise<void> {
  await writeFile(file, `${JSON.stringify(record)}\n`);
  const cut = record.complete ? '' : ' (cut: more happened than it has room for)';
  await stderr.write(
    `recorded ${record.frames.length} frames into ${visible(file)}${cut}. It holds what the plugin was given, variables included.\n`,
  );
}
