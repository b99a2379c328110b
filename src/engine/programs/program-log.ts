import { isRecord } from '../../../sandbox/wire/json.js';
import type { Json, JsonObject } from '../../../sandbox/wire/messages.js';
import { type ErrorCode, BulkheadError } from '../../errors.js';
import { LogChanged, type SealedLog, type SealedLogs } from '../node/sealed-logs.js';

/** What the program was started with. */
export interface ProgramHead {
  readonly type: 'program';
  readonly version: 1;
  readonly id: string;
  readonly tenant?: string;
  readonly source: string;
  readonly tools?: readonly string[];
  readonly input?: JsonObject;
  /** The plugin whose tool the program is, and the hash of its definition. Absent: it is built from `source`. */
  readonly saved?: { readonly plugin: string; readonly hash: string };
  /** The seed of the guest's recorded turns. */
  readonly seed: readonly number[];
  readonly startedAtMs: number;
  readonly expiresAtMs: number;
}

/** The result of a request, as the program gets it. */
export type ProgramReply =
  | { readonly value: Json }
  | { readonly error: { readonly code: ErrorCode; readonly message: string } };

/**
 * One fact about a program, in the order of the facts.
 *
 * ```
 *   request   the program asked for something: `number` counts its requests
 *   asked     the question about that call is stored
 *   begun     the call runs: from now on it may have effects. On disk before it runs.
 *   reply     the program gets the result. A resumed program gets its results in this order.
 * ```
 */
export type ProgramFact =
  | {
      readonly type: 'request';
      readonly number: number;
      readonly op: string;
      readonly params: Json;
    }
  | { readonly type: 'asked'; readonly number: number; readonly approval: string }
  | { readonly type: 'begun'; readonly number: number; readonly callId: string }
  | {
      readonly type: 'reply';
      readonly number: number;
      readonly reply: ProgramReply;
      readonly unknown?: true;
    };

/** The log of one program, authenticated and with mode 0600. */
export interface ProgramLog {
  /** Writes a fact. With `durable`, the fact is on the disk when this returns. */
  append(fact: ProgramFact, durable?: boolean): void;
  close(): void;
}

/** Creates the log of a new program. Throws the errors of the write. */
export function createProgramLog(logs: SealedLogs, head: ProgramHead): ProgramLog {
  return logOf(logs.create(head.id, JSON.stringify(head)));
}

/** Reads a log, and opens it for further facts. Throws `PROGRAM_FAILED` if it was changed. */
export function openProgramLog(
  logs: SealedLogs,
  id: string,
): {
  readonly head: ProgramHead;
  readonly facts: readonly ProgramFact[];
  readonly log: ProgramLog;
} {
  return explaining(logs, id, () => {
    const { texts, log } = logs.open(id);
    return { ...parse(texts), log: logOf(log) };
  });
}

/** Reads a log. Throws `PROGRAM_FAILED` if it was changed. */
export function readProgramLog(
  logs: SealedLogs,
  id: string,
): { readonly head: ProgramHead; readonly facts: readonly ProgramFact[] } {
  return explaining(logs, id, () => parse(logs.read(id)));
}

function logOf(log: SealedLog): ProgramLog {
  return {
    append: (fact, durable) => log.append(JSON.stringify(fact), durable),
    close: log.close,
  };
}

function parse(texts: readonly string[]): { head: ProgramHead; facts: readonly ProgramFact[] } {
  const [head, ...facts] = texts.map((text): unknown => JSON.parse(text));
  if (!isHead(head) || !facts.every(isFact)) throw new LogChanged();
  return { head, facts };
}

/** The MAC vouches for the content. This tells a head from a fact. */
function isHead(entry: unknown): entry is ProgramHead {
  return isRecord(entry) && entry['type'] === 'program' && entry['version'] === 1;
}

function isFact(entry: unknown): entry is ProgramFact {
  return isRecord(entry) && typeof entry['number'] === 'number';
}

function explaining<Result>(logs: SealedLogs, id: string, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof LogChanged)) throw error;
    throw new BulkheadError(
      'PROGRAM_FAILED',
      `The log ${logs.pathOf(id)} was changed after it was written, or has another key. The program cannot continue. Cancel it, and run it again.`,
      { reason: 'its log was changed' },
    );
  }
}
