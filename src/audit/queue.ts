import type { BulkheadEvent } from '../events.js';
import { type Sealed, seal } from './chain.js';
import { type InputPolicy, noteEvent } from './note.js';
import { type AuditEntry, type Head, isRecorded } from './record.js';

/** Events that wait to be written, in their order. */
export interface Queue {
  /** Entries that wait. */
  readonly length: number;
  /** How many of the first are sealed already. What is sealed stays so if it cannot be written. */
  readonly sealed: number;
  /** Adds an entry of the log itself, which always has a place. */
  put(entry: AuditEntry): void;
  /** Adds an event. Returns false if the queue is full. */
  offer(event: BulkheadEvent): boolean;
  /** The records of the first `count` entries, chained to the head. An event may have no record. */
  sealFirst(count: number): readonly Sealed[];
  /** Removes entries whose records were written. */
  removeFirst(count: number): void;
  /** While this runs, nothing is sealed but what it asks for: the next record is not of the queue. */
  holding(run: () => Promise<void>): Promise<void>;
  /** From now on, only `sealFirst` seals. */
  close(): void;
}

export interface QueueSpec {
  readonly policy: InputPolicy;
  /** The last written record. */
  readonly head: () => Head;
  readonly maxQueuedRecords: number;
  readonly maxQueuedBytes: number;
}

/**
 * Records that are sealed at once while no write needs them. To seal a whole batch takes a millisecond,
 * for which a call would wait.
 */
const SLICE = 8;

/** Records that are sealed before they are written: those of a store that does not answer stay events. */
const MAX_SEALED = 500;

export function makeQueue(spec: QueueSpec): Queue {
  const entries: (BulkheadEvent | AuditEntry)[] = [];
  const sizes: number[] = [];
  let bytes = 0;
  /** The first of the entries, sealed. `undefined` for one that has no record. */
  const sealed: (Sealed | undefined)[] = [];
  let isScheduled = false;
  let isHolding = false;
  let isClosed = false;

  const add = (one: BulkheadEvent | AuditEntry, size: number): void => {
    entries.push(one);
    sizes.push(size);
    bytes += size;
  };
  const sealUpTo = (count: number): void => {
    let last = sealed.findLast((one) => one !== undefined)?.record ?? spec.head();
    for (const one of entries.slice(sealed.length, count)) {
      const entry = isOwn(one) ? one : noteEvent(one, spec.policy);
      const next = entry === undefined ? undefined : seal(last, entry);
      sealed.push(next);
      last = next?.record ?? last;
    }
  };
  const mayRun = (): boolean => !isHolding && !isClosed;
  const schedule = (): void => {
    const isEnough = entries.length >= sealed.length + SLICE && sealed.length < MAX_SEALED;
    if (isScheduled || !isEnough || !mayRun()) return;
    isScheduled = true;
    setImmediate(() => {
      isScheduled = false;
      if (!mayRun()) return;
      sealUpTo(sealed.length + SLICE);
      schedule();
    });
  };

  return {
    get length() {
      return entries.length;
    },
    get sealed() {
      return sealed.length;
    },
    put: (entry) => add(entry, 0),
    offer: (event) => {
      const size = sizeOf(event);
      // guard: audit-queue-bounded-in-bytes
      if (bytes + size > spec.maxQueuedBytes || entries.length >= spec.maxQueuedRecords) {
        return false;
      }
      add(event, size);
      schedule();
      return true;
    },
    sealFirst: (count) => {
      sealUpTo(count);
      return sealed.slice(0, count).filter((one) => one !== undefined);
    },
    removeFirst: (count) => {
      sealed.splice(0, count);
      entries.splice(0, count);
      for (const size of sizes.splice(0, count)) bytes -= size;
    },
    holding: async (run) => {
      isHolding = true;
      try {
        await run();
      } finally {
        isHolding = false;
      }
    },
    close: () => {
      isClosed = true;
    },
  };
}

/** The memory of an event without its texts. */
const EVENT_BYTES = 512;

/** The approximate memory of a queued event, in bytes. */
function sizeOf(event: object): number {
  let characters = 0;
  for (const value of Object.values(event) as readonly unknown[]) {
    if (typeof value === 'string') characters += value.length;
  }
  return EVENT_BYTES + 2 * characters;
}

function isOwn(one: BulkheadEvent | AuditEntry): one is AuditEntry {
  return !isRecorded(one.type);
}
