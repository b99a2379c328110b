import type { Json } from '../../../sandbox/wire/messages.js';
import type { EventParams } from '../../../sandbox/wire/methods.js';
import { RawJson } from '../../../sandbox/wire/service.js';
import { BulkheadError, type ErrorCode } from '../../errors.js';
import { GuestEnded, handlerEndError } from '../../guests/end.js';
import type { Guest } from '../../guests/guest.js';
import { failureOf } from '../types/result.js';
import type { Instance } from './instance.js';

export interface EventToSend extends EventParams {
  /** Starts when the guest is available. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Sends a plugin an event and returns its answer. At the timeout the caller continues at once.
 * `GuestSupervisor.giveUp` decides what becomes of the guest. Rejects with a `BulkheadError`:
 * `DEADLINE_EXCEEDED`, `CANCELLED`, or why the event was not delivered or failed.
 */
export async function sendEvent(
  plugin: string,
  instance: Instance,
  telling: EventToSend,
): Promise<Json> {
  const { timeoutMs, signal, ...event } = telling;
  const { guests, maxAnswerBytes } = instance;
  const text = new RawJson(JSON.stringify(event));
  if (signal?.aborted === true) throw cancelled(plugin, event.name);
  let guest: Guest;
  try {
    guest = guests.current ?? (await guests.acquire());
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
      guests.giveUp(guest, { settled, detail: `${event.name} was not answered` });
    };
    const onAbort = (): void => stop(cancelled(plugin, event.name));
    // guard: event-handler-deadline
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
  if (error instanceof GuestEnded) return handlerEndError(plugin, name, error.end);
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
