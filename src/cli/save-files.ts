import { join } from 'node:path';
import type { PluginFiles } from '../engine/files.js';
import { visible } from '../visible.js';
import type { CliCapabilities } from './capabilities.js';
import { reasonOf, usageError } from './failure.js';

/** A file that a tool made, and where the command saved it. */
export interface SavedFile {
  /** The path as the plugin sees it. */
  readonly path: string;
  readonly bytes: number;
  readonly saved: string;
}

/** Before the tool runs: its effects cannot be undone if its files cannot be saved. */
export async function checkFilesPath(
  directory: string,
  { makeEmptyDirectory }: Pick<CliCapabilities, 'makeEmptyDirectory'>,
): Promise<void> {
  await makeEmptyDirectory(directory).catch((error: unknown) => {
    throw usageError(
      '--files',
      `--files cannot use ${visible(directory)}: ${reasonOf(error)}; name a new or an empty directory`,
    );
  });
}

/** Saves all files below one directory, under names of their own. */
export async function saveFiles(
  files: PluginFiles,
  directory: string,
  { saveNewFile, stderr }: Pick<CliCapabilities, 'saveNewFile' | 'stderr'>,
): Promise<readonly SavedFile[]> {
  const saved: SavedFile[] = [];
  const taken = new Set<string>();
  for (const { id, name, path } of files.list()) {
    const opened = await files.open(id);
    if (opened === undefined) continue;
    const to = join(directory, freeName(name, taken));
    await saveNewFile(to, opened.content);
    saved.push({ path, bytes: opened.bytes, saved: to });
  }
  const lines = saved.map(
    (one) => `${visible(one.path)} -> ${visible(one.saved)} (${one.bytes} bytes)`,
  );
  await stderr.write(`${lines.length === 0 ? 'the tool made no files' : lines.join('\n')}\n`);
  return saved;
}

/** A name that is never a path, never hidden, and differs from the others on every disk. */
function freeName(written: string, taken: Set<string>): string {
  // guard: saved-file-name-plain
  const plain = written
    .normalize('NFC')
    .replace(/[^\p{L}\p{N}._-]/gu, '_')
    .replace(/^[.-]+/, '_');
  const dot = plain.lastIndexOf('.');
  const cut = dot > 0 && plain.length - dot <= 16 ? dot : plain.length;
  const [stem, extension] = [plain.slice(0, cut).slice(0, 60) || 'file', plain.slice(cut)];
  for (let count = 1; ; count += 1) {
    const name = `${stem}${count === 1 ? '' : `-${count}`}${extension}`;
    const folded = name.toLowerCase();
    if (taken.has(folded)) continue;
    taken.add(folded);
    return name;
  }
}
