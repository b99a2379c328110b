import { isRecord } from '../../wire/json.js';
import type { DatabaseParams, StorageArea } from '../../wire/storage.js';
import type { HostCapability } from '../endowment.js';

/** The state of a database file. Equal stamps mean equal content. */
export interface DatabaseState {
  readonly stamp: string;
  readonly bytes: number;
}

/** The changes of one transaction. */
export interface DatabaseChanges {
  readonly stamp: string;
  readonly token: string;
  /** The file's size afterwards. */
  readonly size: number;
  /** Bytes of the file before that stay, unless they are in `runs`. */
  readonly kept: number;
  /** Offsets and lengths of the changed parts. */
  readonly runs: readonly (readonly [offset: number, length: number])[];
  /** Their content, one after the other. */
  readonly content: Uint8Array;
}

/**
 * One database file in the plugin's storage, by synchronous requests. Each throws the host's refusal;
 * `EBUSY` if another guest changed the file.
 */
export interface HostDatabase {
  state(): DatabaseState;
  /** Makes an empty file. */
  create(): DatabaseState;
  read(stamp: string, offset: number, length: number): Uint8Array;
  /** Makes this the only writer. Returns the token of its turn. */
  reserve(stamp: string): string;
  /** Returns when the changes are on the disk, all of them. Ends the turn. */
  commit(changes: DatabaseChanges): DatabaseState;
  release(token: string): void;
}

export function makeHostDatabase(
  { requestNow }: Pick<HostCapability, 'requestNow'>,
  { area, path }: { readonly area: StorageArea; readonly path: string },
): HostDatabase {
  const ask = (params: DatabaseParams, body?: Uint8Array) =>
    requestNow('storage', { ...params, area, path }, body);
  const stateIn = (value: unknown): DatabaseState => {
    const { stamp, bytes } = isRecord(value) ? value : {};
    return { stamp: typeof stamp === 'string' ? stamp : '', bytes: Number(bytes) };
  };
  return {
    state: () => stateIn(ask({ op: 'db-state' }).value),
    create: () => stateIn(ask({ op: 'db-create' }).value),
    read: (stamp, offset, length) => ask({ op: 'db-read', stamp, offset, length }).body,
    reserve: (stamp) => {
      const { value } = ask({ op: 'db-reserve', stamp });
      const token = isRecord(value) ? value['token'] : undefined;
      return typeof token === 'string' ? token : '';
    },
    commit: ({ content, runs, ...changes }) => {
      const params: DatabaseParams = { op: 'db-commit', ...changes, runs, body: 1 };
      return stateIn(ask(params, content).value);
    },
    release: (token) => void ask({ op: 'db-release', token }),
  };
}
