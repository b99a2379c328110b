import type { Json } from '../../../sandbox/wire/messages.js';
import type { EventParams } from '../../../sandbox/wire/methods.js';
import { RawJson } from '../../../sandbox/wire/service.js';
import { BulkheadError, type ErrorCode } from '../../errors.js';
import type { Guest } from '../../guests/guest.js';
import type { OpenEntry } from '../entry/entry.js';
import { failureOf } from '../call/result.js';

export interface Telling extends EventParams {
  /** From the moment when its guest is there. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Bytes of JSON of its answer. */
  readonly maxAnswerBytes: number;
}

/**
 * Tells a plugin of something, and gives what it answers. Timed out means stopped, as with calls: who
 * told it goes on at once, and a guest that has not settled after the grace is killed. Rejects with a
 * `BulkheadError`: `DEADLINE_EXCEEDED`, `CANCELLED`, or why it could not be told or failed.
 */
export async function tellEntry(plugin: string, room: OpenEntry, telling: Telling): Promise<Json> {
  const { timeoutMs, signal, maxAnswerBytes, ...event } = telling;
  const { resident } = room;
  const text = new RawJson(JSON.stringify(event));
  if (signal?.aborted === true) throw cancelled(plugin, event.name);
  let guest: Guest;
  try {
    guest = resident.current ?? (await resident.acquire());
  } catch (error) {
    throw explain(plugin, event.name, error);
  }
  return new Promise<Json>((resolve, reject) => {
    const asked = guest.peer.ask('event', text, maxAnswerBytes);
    const settled = asked.answer.then(resolve, (error: unknown) =>
      reject(explain(plugin, event.name, error)),
    );
    const stop = (error: BulkheadError): void => {
      reject(error);
      asked.cancel(error.message);
      resident.doubt(guest, settled, `${event.name} was not answered`);
    };
    const onAbort = (): void => stop(cancelled(plugin, event.name));
    const timer = setTimeout(() => stop(tooLate(plugin, event.name, timeoutMs)), timeoutMs);
    signal?.addEventListener('abort', onAbort, { once: true });
    if (signal?.aborted === true) onAbort();
    void settled.finally(() => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    });
  });
}

function explain(plugin: string, name: string, error: unknown): BulkheadError {
  const { code, message } = failureOf(error, { id: `${plugin}:${name}`, plugin });
  return new BulkheadError<ErrorCode>(code, message, { tool: name });
}

function tooLate(plugin: string, name: string, deadlineMs: number): BulkheadError {
  return new BulkheadError(
    'DEADLINE_EXCEEDED',
    `${plugin} did not answer ${name} within ${deadlineMs} ms and was stopped.`,
    { deadlineMs },
  );
}

function cancelled(plugin: string, name: string): BulkheadError {
  return new BulkheadError('CANCELLED', `${name} was given up while ${plugin} had it.`, {});
}
