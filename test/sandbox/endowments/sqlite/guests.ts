/** SQLite in "guests" of one host, all in this process: a host in memory, whose failures tests choose. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { EndowmentCapabilities } from '../../../../sandbox/endowments/endowment.js';
import { withCode } from '../../../../sandbox/endowments/errors.js';
import type { SqliteConnection } from '../../../../sandbox/endowments/sqlite/connection.js';
import { makeSqlite, type SqliteFace } from '../../../../sandbox/endowments/sqlite/sqlite.js';
import { makeWebCapabilities } from '../../../../sandbox/node/web-capabilities.js';
import type { DatabaseParams, StorageParams } from '../../../../sandbox/wire/storage.js';
import { SQLITE_CODE } from '../../../../sandbox/wire/sync.js';

type Asked = DatabaseParams & Pick<StorageParams, 'area' | 'path'>;

interface Stored {
  content: Buffer;
  version: number;
  turn?: string | undefined;
}

export interface TestHost {
  /** The files, by area and path. */
  readonly files: Map<string, Stored>;
  /** The steps of all guests, without reads. */
  readonly steps: string[];
  /** Called before each step: it may throw a host's refusal. */
  before: (asked: Asked) => void;
  /** SQLite of a new guest. */
  guest(): SqliteFace;
  /** The content of the only file. */
  content(): Buffer;
}

export const DATABASE = '/workspace/plugins/sample/data/a.db';

export function busy(): Error {
  return withCode(new Error('EBUSY: a.db is used by another guest.'), 'STORAGE_FAILED');
}

export function full(): Error {
  return withCode(new Error('There is no room for a.db: limits.maxStorageBytes.'), 'STORAGE_LIMIT');
}

export function makeTestHost(): TestHost {
  const files = new Map<string, Stored>();
  const steps: string[] = [];
  let turns = 0;
  const stateOf = ({ content, version }: Stored) => ({
    stamp: String(version),
    bytes: content.length,
  });
  const answer = (asked: Asked, body: Uint8Array): { value?: unknown; body?: Uint8Array } => {
    const key = `${asked.area}:${asked.path}`;
    if (asked.op === 'db-create') files.set(key, { content: Buffer.alloc(0), version: 1 });
    const file = files.get(key);
    if (file === undefined) {
      throw withCode(new Error('ENOENT: a.db does not exist.'), 'STORAGE_FAILED');
    }
    const demand = (isRight: boolean): void => {
      if (!isRight) throw busy();
    };
    switch (asked.op) {
      case 'db-read': {
        demand(asked.stamp === String(file.version));
        return { body: file.content.subarray(asked.offset, asked.offset + asked.length) };
      }
      case 'db-reserve':
        demand(file.turn === undefined && asked.stamp === String(file.version));
        turns += 1;
        file.turn = `turn ${turns}`;
        return { value: { token: file.turn } };
      case 'db-release':
        if (file.turn === asked.token) file.turn = undefined;
        return { value: null };
      case 'db-commit': {
        demand(asked.stamp === String(file.version));
        demand(file.turn === undefined || file.turn === asked.token);
        const content = Buffer.alloc(asked.size);
        file.content.subarray(0, asked.kept).copy(content);
        let from = 0;
        for (const [offset, length] of asked.runs) {
          content.set(body.subarray(from, from + length), offset);
          from += length;
        }
        files.set(key, { content, version: file.version + 1 });
        return { value: stateOf({ content, version: file.version + 1 }) };
      }
      default:
        return { value: stateOf(file) };
    }
  };
  const host: TestHost = {
    files,
    steps,
    before: () => {},
    guest: () =>
      makeSqlite({
        ...makeWebCapabilities(globalThis),
        plugin: { id: 'sample', manifest: 'pandora.manifest.json' },
        grant: { storage: true, time: true, random: true },
        denial: (permission: string) => new Error(`denied: ${permission}`),
        host: {
          requestNow: (method: string, params: Asked | null, body?: Uint8Array) => {
            if (method === SQLITE_CODE) return { value: null, body: CODE };
            if (params === null) throw new Error('no params');
            if (params.op !== 'db-read') steps.push(params.op);
            host.before(params);
            const { value = null, body: content = NO_BYTES } = answer(params, body ?? NO_BYTES);
            return { value, body: Uint8Array.from(content) };
          },
        },
      } as unknown as EndowmentCapabilities),
    content: () => {
      const [file] = files.values();
      if (file === undefined || files.size !== 1) throw new Error('there is not one file');
      return file.content;
    },
  };
  return host;
}

const NO_BYTES = new Uint8Array(0);
const CODE = readFileSync(
  createRequire(import.meta.url).resolve('@sqlite.org/sqlite-wasm/sqlite3.wasm'),
);

/** Runs all statements of a text. Answers the rows of the last one. */
export function run(connection: SqliteConnection, sql: string): unknown[][] {
  let rows: unknown[][] = [];
  for (let rest = sql; rest.trim() !== '';) {
    const prepared = connection.prepare(rest);
    rest = prepared.rest;
    const { statement } = prepared;
    if (statement === undefined) continue;
    rows = [];
    try {
      while (statement.step()) rows.push([...statement.row(false)]);
    } finally {
      statement.finalize();
    }
  }
  return rows;
}

/** The code of an error of SQLite, or the rows. */
export function outcome(connection: SqliteConnection, sql: string): unknown {
  return attempt(() => run(connection, sql));
}

export function attempt(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error instanceof Error && 'errcode' in error ? error.errcode : String(error);
  }
}
