import { setTimeout } from 'node:timers/promises';
import type { JetStreamManager } from '@nats-io/jetstream';
import { linkOf, type Sealed, START } from '../audit/chain.js';
import type { Head } from '../audit/record.js';
import { auditFailed, type AuditStore, type StoredLine } from '../audit/store.js';
import { BulkheadError } from '../errors.js';
import type { Cell } from './connection.js';
import { MAX_MESSAGE_BYTES } from './envelope.js';

/** The stream with the audit logs of the runners of a cell. Each runner has a subject of its own. */
export function auditStreamOf(cell: string): string {
  return `bh-${cell}-audit`;
}

/** Only a gateway may create the stream. If it is there, it stays as the operator configured it. */
export async function createAuditStream(cell: Cell): Promise<void> {
  const { nats, connection, subjects } = cell;
  const manager = await nats.jetstream.jetstreamManager(connection, { checkAPI: false });
  const name = auditStreamOf(cell.cell);
  if (await isThere(manager, name)) return;
  const { DiscardPolicy, StorageType } = nats.jetstream;
  try {
    await manager.streams.add({
      name,
      subjects: [subjects.audit('*')],
      storage: StorageType.File,
      // A full stream refuses records, and calls with effects then do not run.
      discard: DiscardPolicy.New,
      deny_delete: true,
      deny_purge: true,
      allow_direct: true,
    });
  } catch (error) {
    // Another gateway may have created it in the meantime.
    if (!(await isThere(manager, name))) throw error;
  }
}

/** Waits until a gateway has created the stream. Throws `FLEET_FAILED`. */
export async function waitForAuditStream(cell: Cell, maxWaitMs: number): Promise<void> {
  const { nats, connection } = cell;
  const manager = await nats.jetstream.jetstreamManager(connection, { checkAPI: false });
  const until = performance.now() + maxWaitMs;
  while (!(await isThere(manager, auditStreamOf(cell.cell)))) {
    if (performance.now() > until) {
      throw new BulkheadError(
        'FLEET_FAILED',
        `No gateway has prepared the cell ${cell.cell}: there is no stream for the audit log of ${cell.name}. Start a gateway first, and give the user of this runner the permissions of docs/fleet.md.`,
        { reason: 'transport' },
      );
    }
    await setTimeout(POLL_MS);
  }
}

const POLL_MS = 250;

async function isThere(manager: JetStreamManager, stream: string): Promise<boolean> {
  try {
    await manager.streams.info(stream);
    return true;
  } catch {
    return false;
  }
}

/** Milliseconds until a message that the stream did not confirm counts as failed. */
const ACK_TIMEOUT_MS = 2_000;

/** JetStream's error: the last message of the subject is another one than expected. */
const WRONG_LAST_SEQUENCE = 10_071;

/** Says in a message which record was the last checkpoint. */
const CHECKPOINT_HEADER = 'Bulkhead-Checkpoint';

interface Last {
  /** The number of the message in the stream; 0: there is none. */
  readonly message: number;
  readonly lines: readonly string[];
  readonly checkpoint: number;
}

/**
 * Stores a runner's audit log in the stream. Each message has some records, and names the message before it
 * as JetStream's expected sequence: no other writer can put records between them. `read` has the records of
 * the last message alone: a runner may not read the whole stream.
 */
export function makeAuditStore(cell: Cell): AuditStore {
  const { nats, connection, subjects, name: runner } = cell;
  const stream = auditStreamOf(cell.cell);
  const subject = subjects.audit(runner);
  const client = nats.jetstream.jetstream(connection);
  const label = `${stream} of NATS`;
  let last: Last = { message: 0, lines: [], checkpoint: 0 };
  let head: Head = START;

  const readLast = async (): Promise<Last> => {
    const manager = await client.jetstreamManager(false);
    const found = await manager.direct.getMessage(stream, { last_by_subj: subject });
    if (found === null) return { message: 0, lines: [], checkpoint: 0 };
    return {
      message: found.seq,
      lines: found.string().split('\n'),
      checkpoint: Number(found.header.get(CHECKPOINT_HEADER) || 0),
    };
  };

  /** Stores records in one message. */
  const publish = async (records: readonly Sealed[]): Promise<void> => {
    const [final] = records.slice(-1);
    if (final === undefined) return;
    const lines = records.map(({ line }) => line);
    const checkpoint =
      records.findLast(({ record }) => record.type === 'checkpoint')?.record.seq ?? last.checkpoint;
    const headers = nats.headers();
    headers.set(CHECKPOINT_HEADER, String(checkpoint));
    const { seq: message } = await client.publish(subject, lines.join('\n'), {
      // A second message with the same last record is the same message.
      msgID: `${runner}-${final.record.hash}`,
      // guard: fleet-audit-sequence-expected
      expect: { streamName: stream, lastSubjectSequence: last.message },
      timeout: ACK_TIMEOUT_MS,
      headers,
    });
    last = { message, lines, checkpoint };
    head = final.record;
  };

  /** Whether the message of an earlier attempt is there, whose confirmation was lost. */
  const catchUp = async (records: readonly Sealed[]): Promise<boolean> => {
    const found = await readLast();
    const hash = linkOf(found.lines.at(-1) ?? '')?.hash;
    const own = records.find(({ record }) => record.hash === hash);
    if (own === undefined) return false;
    last = found;
    head = own.record;
    return true;
  };

  return {
    name: label,
    open: async () => {
      try {
        last = await readLast();
      } catch (error) {
        throw auditFailed(label, 'cannot be read', error);
      }
      if (last.message === 0) return { head: START, torn: undefined };
      const link = linkOf(last.lines.at(-1) ?? '');
      if (link === undefined) return { head: START, torn: undefined, unsound: true };
      head = link;
      return { head, torn: undefined, lastCheckpoint: last.checkpoint };
    },
    append: async (records) => {
      if (!cell.isConnected()) throw auditFailed(label, 'cannot be reached');
      let caughtUp = false;
      for (;;) {
        const left = records.filter(({ record }) => record.seq > head.seq);
        if (left.length === 0) return;
        try {
          await publish(firstOf(left));
        } catch (error) {
          const isOther = isApiError(error) && error.code === WRONG_LAST_SEQUENCE;
          // Once: after that, another process has the runner's name.
          if (!isOther || caughtUp) throw auditFailed(label, 'cannot be written', error);
          caughtUp = true;
          if (!(await catchUp(left).catch(() => false))) {
            throw auditFailed(label, `has records of another process with the name ${runner}`);
          }
        }
      }
    },
    expired: () => Promise.resolve(undefined),
    remove: () => Promise.resolve(),
    read: async function* read() {
      for (const [at, line] of last.lines.entries()) yield lineOf(line, label, at + 1);
    },
    close: () => Promise.resolve(),
  };

  function isApiError(error: unknown): error is Error & { readonly code: number } {
    return error instanceof nats.jetstream.JetStreamApiError;
  }
}

/** As many of the records as one message may have, at least one. */
function firstOf(records: readonly Sealed[]): readonly Sealed[] {
  let bytes = 0;
  const end = records.findIndex(({ line }, at) => {
    bytes += Buffer.byteLength(line) + 1;
    return at > 0 && bytes > MAX_MESSAGE_BYTES;
  });
  return end === -1 ? records : records.slice(0, end);
}

export function lineOf(line: string, file: string, number: number): StoredLine {
  return { line, file, number };
}
