import { isBulkheadError } from '../errors.js';
import type { EventListener } from '../events.js';
import { type AnchoringSpec, lastAnchor, makeAnchoring } from './anchoring.js';
import { type Sealed, START, seal } from './chain.js';
import { type Signer, textToSign } from './checkpoint.js';
import { inspectLog } from './inspect.js';
import { auditFailed, type Expired, type Opened } from './store.js';
import { AUDIT_LIMITS, type AuditRecord, type Head, isRecorded } from './record.js';
import type { InputPolicy } from './note.js';
import { makeQueue } from './queue.js';

export interface AuditLogSpec extends AnchoringSpec {
  readonly policy: InputPolicy;
  /**
   * When writes are flushed to the disk. `always`: with every write; `second` (the default): once a
   * second; `never`: when the operating system does it. `flush` always waits for the disk.
   */
  readonly sync: 'always' | 'second' | 'never';
  readonly pid: number;
  /** Default: `AUDIT_LIMITS.maxQueuedRecords`. */
  readonly maxQueuedRecords?: number;
  /** Default: `AUDIT_LIMITS.maxQueuedBytes`. */
  readonly maxQueuedBytes?: number;
  /** Signs checkpoints. Default: none. */
  readonly signer?: Signer | undefined;
  /** Records between two checkpoints, and between two anchors. Default: 1,000. */
  readonly checkpointEvery?: number;
  /** Settings of the host that weaken its defaults, for the first record. Default: none. */
  readonly exceptions?: readonly string[];
  /** Called after a log of format version 1 was renamed to `file` and a new log was started. */
  readonly onOlder?: (file: string) => void;
  /** Called after a log that is not intact was renamed to `file` and a new log was started. */
  readonly onBroken?: (found: { readonly file: string; readonly why: string }) => void;
  /**
   * Called if the last record of an intact log does not close it: its writer died, or its last records were cut
   * off. Only an anchor distinguishes them.
   */
  readonly onUnclosed?: () => void;
  /** Called when a write, a signature or an anchor failed. The log retries it. */
  readonly onFailure: (error: Error) => void;
}

/** A log that is open for writing. */
export interface AuditLog {
  /** Queues an event. The log writes it after the current task, or 10 ms after the last write. */
  readonly listener: EventListener;
  /** Resolves when every queued event is on the disk. Throws `AUDIT_FAILED`. */
  flush(): Promise<void>;
  /**
   * Resolves when every event so far is in the log: on the disk with `durable`, otherwise written. Throws
   * `AUDIT_FAILED`, also if the queue was full and events were lost that no write has counted yet.
   */
  recorded(durable: boolean): Promise<void>;
  /** Signs all records so far. Resolves at once without a signer. Throws `AUDIT_FAILED`. */
  checkpoint(): Promise<void>;
  /** Calls `listener` with each record after it is written. Returns the function that unsubscribes. */
  onRecord(listener: (record: AuditRecord) => void): () => void;
  /** The last written record. */
  readonly head: Head;
  close(): Promise<void>;
}

/**
 * Records of one write. Garbage collections copy queued records: batches of 1,000 take 20 % more of
 * the host's time.
 */
const BATCH = 100;
const SECOND_MS = 1_000;

/** The least time between two writes: a write for every call would cost more than the call. */
const WRITE_INTERVAL_MS = 10;

const DEFAULT_CHECKPOINT_EVERY = 1_000;

/** Longest wait for the last anchors at the close, in milliseconds. */
const LAST_ANCHORS_MS = 5_000;

/** Opens the store and begins to write. Throws `AUDIT_FAILED`. */
export async function openAuditLog(spec: AuditLogSpec): Promise<AuditLog> {
  const { store, policy, now, signer } = spec;
  const { maxQueuedRecords, maxQueuedBytes } = { ...AUDIT_LIMITS, ...spec };
  const { checkpointEvery = DEFAULT_CHECKPOINT_EVERY, anchors = [] } = spec;
  const { opened, segment, lastCheckpoint } = await openIntact(spec);
  const listeners = new Set<(record: AuditRecord) => void>();
  let { head } = opened;
  /** The first record that the next checkpoint signs. Records of earlier writers are never among them. */
  let since = head.seq + 1;
  let unsigned = 0;
  let unanchored = 0;
  const anchoring = makeAnchoring(spec);
  const queue = makeQueue({ policy, head: () => head, maxQueuedRecords, maxQueuedBytes });
  let lost = 0;
  /** Lost events that no written record counts yet. */
  let uncounted = 0;
  let scheduled = false;
  let closed = false;
  let syncedMs = -Infinity;
  let startedMs = -Infinity;
  let unsynced: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  const written = (sealed: readonly Sealed[]): void => {
    head = sealed.at(-1)?.record ?? head;
    unsigned += sealed.length;
    unanchored += sealed.length;
    for (const { record } of sealed) for (const listener of listeners) listener(record);
  };
  const writeFirst = async (count: number, durable: boolean): Promise<void> => {
    const sealed = queue.sealFirst(count);
    await store.append(sealed, durable);
    queue.removeFirst(count);
    written(sealed);
  };
  /** Runs what seals a record that was not queued: after the last written one. */
  const afterHead = (run: () => Promise<void>): Promise<void> =>
    queue.holding(async () => {
      if (queue.sealed > 0) await writeFirst(queue.sealed, false);
      await run();
    });

  const drain = async (durable: boolean): Promise<void> => {
    if (lost > 0) queue.put({ type: 'records-lost', atMs: now(), count: lost });
    lost = 0;
    const counting = uncounted;
    // Later events wait for the next drain, so that this loop ends.
    let left = queue.length;
    do {
      const count = Math.min(left, BATCH);
      await writeFirst(count, durable && count === left);
      left -= count;
      if (unsigned >= checkpointEvery) await sign().catch(onSignatureFailed);
      if (unanchored >= checkpointEvery) anchor();
      // A signature writes what was sealed before it.
      left = Math.min(left, queue.length);
    } while (left > 0);
    uncounted -= counting;
    if (durable) {
      syncedMs = now();
      clearTimeout(unsynced);
      unsynced = undefined;
    }
    await expire();
  };

  /** Records the deletion before the files are deleted, so that `verify` can explain the gap. */
  const expire = async (): Promise<void> => {
    const expired = await store.expired();
    if (expired !== undefined) await afterHead(() => remove(expired));
  };
  const remove = async ({ files, last }: Expired): Promise<void> => {
    const entry = seal(head, {
      type: 'files-removed',
      atMs: now(),
      through: last.seq,
      tail: last.hash,
      files: files.map((file) => file.slice(file.lastIndexOf('/') + 1)),
    });
    await store.append([entry], true);
    written([entry]);
    await store.remove(files);
  };

  /** Appends a checkpoint over all records since the last one. */
  const sign = async (): Promise<void> => {
    // At most one try for `checkpointEvery` records.
    const count = unsigned;
    unsigned = 0;
    if (signer !== undefined && count > 0) await afterHead(() => signWith(signer));
  };
  const signWith = async (key: NonNullable<typeof signer>): Promise<void> => {
    const { id } = key.publicKey;
    const members = { key: id, since, seq: head.seq + 1, prev: head.hash, atMs: now() };
    const signature = Buffer.from(await key.sign(textToSign(members))).toString('base64url');
    const { atMs } = members;
    const entry = seal(head, { type: 'checkpoint', atMs, key: id, since, signature });
    await store.append([entry], true);
    written([entry]);
    since = entry.record.seq + 1;
    unsigned = 0;
  };
  const onSignatureFailed = (error: unknown): void =>
    spec.onFailure(
      auditFailed(store.name, 'could not be signed, so its last records are not attested', error),
    );
  const anchor = (): void => {
    unanchored = 0;
    anchoring.send(head);
  };

  const write = (durable: boolean): Promise<void> => {
    writing = writing.catch(() => {}).then(() => drain(durable));
    return writing;
  };

  const scheduleWrite = (): void => {
    if (scheduled) return;
    scheduled = true;
    const waitMs = Math.min(WRITE_INTERVAL_MS, startedMs + WRITE_INTERVAL_MS - now());
    const start = (): void => {
      scheduled = false;
      startedMs = now();
      // `close` has written the queue.
      if (closed) return;
      const due =
        spec.sync === 'always' || (spec.sync === 'second' && now() - syncedMs > SECOND_MS);
      if (spec.sync === 'second' && !due) {
        unsynced ??= setTimeout(() => void attempt(true), SECOND_MS).unref();
      }
      void attempt(due);
    };
    if (waitMs > 0 && spec.sync !== 'always') setTimeout(start, waitMs);
    else setImmediate(start);
  };

  const attempt = (durable: boolean): Promise<void> =>
    write(durable).catch((error: unknown) => {
      spec.onFailure(error instanceof Error ? error : new Error(String(error)));
      if (!closed) setTimeout(scheduleWrite, SECOND_MS).unref();
    });

  const { exceptions = [] } = spec;
  queue.put({
    type: 'log-opened',
    atMs: now(),
    pid: spec.pid,
    ...(exceptions.length === 0 ? {} : { exceptions }),
  });
  if (segment !== undefined) {
    queue.put({ type: 'segment-started', atMs: now(), ...segment });
    anchoring.startSegment(segment.file);
  }
  // guard: audit-unattested-for-good
  if (signer !== undefined && head.seq > lastCheckpoint) {
    queue.put({ type: 'unattested', atMs: now(), since: lastCheckpoint + 1, through: head.seq });
  }
  if (opened.older !== undefined) {
    queue.put({ type: 'older-log-closed', atMs: now(), formatVersion: 1, file: opened.older });
    spec.onOlder?.(opened.older);
  }
  if (opened.torn !== undefined) queue.put({ type: 'log-repaired', atMs: now(), ...opened.torn });
  await write(true);
  if (anchors.length > 0) anchor();

  const writeNow = async (durable: boolean): Promise<void> => {
    if (closed) throw auditFailed(store.name, 'is closed');
    await write(durable).catch((error: unknown) => {
      throw isBulkheadError(error) ? error : auditFailed(store.name, 'cannot be written', error);
    });
  };

  return {
    listener: (event) => {
      if (closed || !isRecorded(event.type)) return;
      if (!queue.offer(event)) {
        lost += 1;
        uncounted += 1;
      }
      scheduleWrite();
    },
    flush: () => writeNow(true),
    recorded: async (durable) => {
      const isLosing = uncounted > 0;
      await writeNow(durable);
      // guard: lost-record-stops-effects
      if (isLosing) throw auditFailed(store.name, 'lost records, because its queue was full');
    },
    checkpoint: async () => {
      await writeNow(true);
      writing = writing.catch(() => {}).then(sign);
      await writing.catch((error: unknown) => {
        throw auditFailed(store.name, 'cannot be signed', error);
      });
    },
    onRecord: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    get head() {
      return head;
    },
    close: async () => {
      if (closed) return;
      closed = true;
      clearTimeout(unsynced);
      queue.put({ type: 'log-closed', atMs: now() });
      queue.close();
      await attempt(true);
      await sign().catch(onSignatureFailed);
      if (anchors.length > 0) anchor();
      await anchoring.close(LAST_ANCHORS_MS);
      await store.close();
    },
  };
}

interface OpenedIntact {
  readonly opened: Opened;
  readonly segment?: { readonly file: string; readonly reason: string; readonly record: number };
  /** 0 in a new log. */
  readonly lastCheckpoint: number;
}

/**
 * Opens the store and compares the log with its hashes and with the last anchor. A log that is not intact
 * is renamed, and a new one begins: records after a changed one would make it look intact.
 */
async function openIntact(spec: AuditLogSpec): Promise<OpenedIntact> {
  const { store } = spec;
  const opened = await store.open();
  try {
    const found = await inspectLog(store.read(), await lastAnchor(spec));
    const end = { reason: 'changed', record: 0, place: 'its last record' };
    const broken = found.broken ?? (opened.unsound === true ? end : undefined);
    if (broken === undefined) {
      // guard: unclosed-log-reported
      if (found.unclosed) spec.onUnclosed?.();
      return { opened, lastCheckpoint: Math.max(found.lastCheckpoint, opened.lastCheckpoint ?? 0) };
    }
    const { reason, record, place } = broken;
    const why = `is not intact: ${place} is ${reason}`;
    if (store.startSegment === undefined) {
      throw auditFailed(store.name, `${why}. Move it away to start another log`);
    }
    const file = await store.startSegment();
    spec.onBroken?.({ file, why });
    const fresh = { head: START, torn: undefined };
    return { opened: fresh, segment: { file, reason, record }, lastCheckpoint: 0 };
  } catch (error) {
    await store.close();
    throw error;
  }
}
