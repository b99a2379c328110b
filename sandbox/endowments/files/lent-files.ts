import { isRecord } from '../../wire/parse.js';
import type { LookFileParams } from '../../wire/storage.js';
import type { EndowmentPowers } from '../endowment.js';
import { gather } from '../gather.js';
import { toPluginError } from '../from-host.js';
import { makeTurnstile } from '../turnstile.js';
import type { FileEntry } from './tree.js';

/** What the filesystem permission lends: reading below the granted paths, by asking the host. */
export interface LentFiles {
  read(path: string): Promise<Uint8Array>;
  stat(path: string): Promise<FileEntry | undefined>;
  list(path: string): Promise<readonly FileEntry[]>;
  /** Those of the plugin's own that are granted by name, each named by its path. */
  roots(): Promise<readonly FileEntry[]>;
}

const MAX_READS = 32;

export function makeLentFiles(powers: EndowmentPowers): LentFiles {
  const { host, limits } = powers;
  const turnstile = makeTurnstile(MAX_READS);
  const ask = async <Answer>(path: string, work: () => Promise<Answer>): Promise<Answer> => {
    const turn = turnstile.enter();
    try {
      await turn.come;
      if (!powers.grant.filesystem) throw powers.denial('filesystem', path);
      const answer = await work();
      if (!powers.grant.filesystem) throw powers.denial('filesystem', path);
      return answer;
    } catch (error) {
      throw toPluginError(error, 'FILESYSTEM_FAILED', `${path} cannot be read.`);
    } finally {
      turn.leave();
    }
  };
  const look = (op: LookFileParams['op'], path: string): Promise<unknown> =>
    ask(path, () => host.request('lookFile', { op, path }));
  const entryOf = (value: unknown): FileEntry => {
    const entry = isRecord(value) ? value : {};
    return {
      name: String(entry['name']),
      kind: entry['kind'] === 'directory' ? 'directory' : 'file',
      bytes: Number(entry['bytes']),
      // A file that something else just wrote would tell the time.
      modifiedMs: powers.grant.time ? Number(entry['modifiedMs']) : 0,
    };
  };
  const entriesOf = (answer: unknown): readonly FileEntry[] =>
    Array.isArray(answer) ? answer.map(entryOf) : [];
  return {
    read: (path) =>
      ask(path, async () => {
        const answer = await host.request('readFile', { path });
        const body = isRecord(answer) ? answer['body'] : undefined;
        if (typeof body !== 'number') throw new TypeError('The host answered with no file');
        const tooLarge = (): Error => new TypeError('The file is too large');
        return gather(host.acceptStream(body), limits.maxBodyBytes, tooLarge);
      }),
    stat: async (path) => {
      const answer = await look('stat', path);
      return answer === null ? undefined : entryOf(answer);
    },
    list: async (path) => entriesOf(await look('list', path)),
    roots: async () => entriesOf(await look('roots', '.')),
  };
}
