import { isRecord } from '../../../sandbox/wire/json.js';
import type { Semaphore } from '../../../sandbox/wire/semaphore.js';
import type { StorageRecord } from '../record.js';
import type { ChangeEnd } from '../written-files.js';
import type { Content } from './changes.js';
import {
  commitDatabase,
  createDatabase,
  databaseState,
  type DatabaseState,
  readDatabase,
  releaseDatabase,
  reserveDatabase,
} from './databases.js';
import type { Refusals } from './refusals.js';
import type { DatabaseRequest, StorageRequest } from './request.js';
import type { AreaContext } from './walk.js';

export interface DatabaseStep {
  /** The changes of a commit, as they arrive. */
  readonly content: Content | undefined;
  readonly ended: AbortSignal;
  readonly stopped: () => Error | undefined;
  /** The content of a commit is in memory until it is written: one at a time. */
  readonly commits: Semaphore;
  /** Notes a commit before it changes the file. The result ends it. */
  readonly note: () => (end: ChangeEnd) => void;
}

/** `content` of a read; `written`: the bytes that a commit changed. */
export type DatabaseAnswer =
  | { readonly content: Uint8Array }
  | {
      readonly value: DatabaseState | { readonly token: string } | null;
      readonly written?: number;
    };

/** Runs one step on a database. */
export async function runDatabaseStep(
  context: AreaContext,
  request: DatabaseRequest,
  { content: next, ended, stopped, commits, note }: DatabaseStep,
): Promise<DatabaseAnswer> {
  const { store, refusals } = context;
  switch (request.op) {
    case 'db-read':
      return { content: await readDatabase(context, request) };
    case 'db-state':
      return { value: await databaseState(context, request) };
    case 'db-reserve':
      return { value: await reserveDatabase(context, request, ended) };
    case 'db-release':
      return { value: releaseDatabase(context, request) };
    case 'db-create': {
      const value = await store.exclusively((usage) => createDatabase(context, request, usage));
      store.generation += 1;
      return { value };
    }
    default: {
      if (next === undefined) throw refusals.malformed('comes without its content');
      const release = await commits.acquire(ended);
      try {
        const content = await collect(next, request, refusals);
        const value = await store.exclusively(async (usage) => {
          const late = stopped();
          if (late !== undefined) throw late;
          return commitDatabase(context, request, usage, content, note);
        });
        store.generation += 1;
        return { value, written: content.length };
      } finally {
        release();
      }
    }
  }
}

/** The content of a commit: as many bytes as its parts have. */
async function collect(
  next: Content,
  { runs, maxFileBytes }: DatabaseRequest,
  refusals: Refusals,
): Promise<Uint8Array> {
  const wanted = runs.reduce((sum, [, length]) => sum + length, 0);
  // guard: database-commit-cap
  if (wanted > maxFileBytes) throw refusals.limit('maxFileBytes', 'a transaction is too large');
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for (let chunk = await next(); chunk !== undefined; chunk = await next()) {
    bytes += chunk.length;
    if (bytes > wanted) break;
    chunks.push(chunk);
  }
  if (bytes !== wanted) throw refusals.malformed('has changes without their content');
  return Buffer.concat(chunks);
}

export function isDatabaseOp(op: StorageRequest['op']): boolean {
  return op.startsWith('db-');
}

/** The receiver of the record of an operation. Routine steps have a record only if they are denied. */
export function recordsOf(params: unknown, onEvent: RecordListener): RecordListener {
  if (!isRecord(params) || !ROUTINE_STEPS.has(params['op'])) return onEvent;
  return (record) => {
    if (record.outcome === 'denied') onEvent?.(record);
  };
}

type RecordListener = ((record: StorageRecord) => void) | undefined;

/** Each read transaction has one of these: their records would hide the others. */
const ROUTINE_STEPS: ReadonlySet<unknown> = new Set(['db-state', 'db-reserve', 'db-release']);
