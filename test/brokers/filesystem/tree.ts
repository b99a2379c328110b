import type { FilesystemRecord } from '../../../src/brokers/record.js';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEachTest } from '../../tidying.js';
import {
  type FileContent,
  type FilesystemBroker,
  makeFilesystemBroker,
} from '../../../src/brokers/filesystem/broker.js';
import type { FilesystemLimits } from '../../../src/brokers/limits.js';

const made = new Set<string>();
afterEachTest(async () => {
  await Promise.all([...made].map((root) => rm(root, { recursive: true, force: true })));
  made.clear();
});

/** A directory of these files, until the end of the test; the plugin's own is `plugin` in it. */
export async function makeTree(
  files: Readonly<Record<string, string>>,
): Promise<{ readonly root: string; readonly plugin: string }> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'bulkhead-files-')));
  made.add(root);
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  return { root, plugin: join(root, 'plugin') };
}

export interface TestBroker extends FilesystemBroker {
  readonly records: FilesystemRecord[];
  read(path: string, signal?: AbortSignal): Promise<FileContent>;
}

/** The broker of a plugin `weather` in this directory that is granted these prefixes. */
export function brokerIn(
  directory: string,
  granted: readonly string[],
  limits: Partial<FilesystemLimits> = {},
): TestBroker {
  const records: FilesystemRecord[] = [];
  const broker = makeFilesystemBroker({
    plugin: { id: 'weather', manifest: 'pandora.manifest.json' },
    directory,
    granted,
    limits,
    onEvent: (record) => records.push(record),
  });
  return {
    ...broker,
    get active() {
      return broker.active;
    },
    records,
    read: (path, signal = new AbortController().signal) => broker.readFile({ path }, signal),
  };
}

export async function textOf(content: Promise<FileContent>): Promise<string> {
  const { body } = await content;
  const chunks: Uint8Array[] = [];
  for (let chunk = await body.pull(); chunk !== undefined; chunk = await body.pull()) {
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
