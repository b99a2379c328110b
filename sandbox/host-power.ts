import type { HostCapability, HostRequestOptions } from './endowments/endowment.js';
import type { Peer } from './wire/peer.js';
import { CodedError } from './wire/failure.js';
import { NOTICES_PER_SECOND } from './wire/limits.js';
import type { Json } from './wire/messages.js';
import { makeSemaphore, type Turn } from './wire/semaphore.js';

/**
 * Requests that are open at once. Further ones wait in the guest, in their order: the host treats
 * hundreds of open requests as hostile, and honest code makes hundreds in one `Promise.all`. The clients
 * of other methods have queues of their own.
 */
export const AT_ONCE = { maxPowersAtOnce: 32, maxProgramRequestsAtOnce: 64 } as const;

/** The host for the endowments: requests that can be cancelled, notices and byte streams. */
export function makeHostPower(
  peer: Peer,
  notify: Peer['notify'],
  requestNow: HostCapability['requestNow'],
): HostCapability {
  const queueOf = (maxActive: number) => ({ maxActive, queue: makeSemaphore({ maxActive }) });
  const queues = new Map([
    ['power', queueOf(AT_ONCE.maxPowersAtOnce)],
    ['program', queueOf(AT_ONCE.maxProgramRequestsAtOnce)],
  ]);
  const send = (
    method: string,
    params: unknown,
    options: HostRequestOptions | undefined,
  ): Promise<Json> => {
    const asked = peer.ask(
      method,
      typeof params === 'function' ? Reflect.apply(params, undefined, []) : params,
    );
    const stop = options?.onAbort?.(() => asked.cancel('aborted'));
    if (stop !== undefined) asked.answer.then(stop, stop);
    return asked.answer;
  };
  const sendInTurn = (
    turn: Turn,
    ...[method, params, options]: Parameters<typeof send>
  ): Promise<Json> => {
    try {
      const answer = send(method, params, options);
      answer.then(turn.leave, turn.leave);
      return answer;
    } catch (error) {
      turn.leave();
      throw error;
    }
  };
  return {
    request: (method, params, options) => {
      const found = queues.get(method);
      if (found === undefined) return send(method, params, options);
      const isFree = found.queue.active < found.maxActive;
      const turn = found.queue.enter();
      // Sent at once, so that it stays before the notices that follow it.
      if (isFree) return sendInTurn(turn, method, params, options);
      return new Promise((resolve, reject) => {
        const stop = options?.onAbort?.(() => {
          turn.leave();
          reject(
            new CodedError('CANCELLED', `the request ${method} was cancelled before it was sent`),
          );
        });
        void turn.ready.then(() => {
          stop?.();
          try {
            resolve(sendInTurn(turn, method, params, options));
          } catch (error) {
            reject(error);
          }
        });
      });
    },
    requestNow,
    notify,
    notifyAlways: peer.notify,
    openStream: peer.openStream,
    acceptStream: peer.acceptStream,
  };
}

const SECOND_MS = 1000;

/**
 * Sends notices, at most `NOTICES_PER_SECOND`. It drops and counts the rest, and reports the count in
 * a log line with the first notice of a later second.
 */
export function makeNotifier(peer: Peer, now: () => number): Peer['notify'] {
  let began = -Infinity;
  let said = 0;
  let dropped = 0;
  return (method, params) => {
    const at = now();
    if (at - began >= SECOND_MS) {
      began = at;
      said = 0;
      if (dropped > 0) peer.notify('log', { level: 'warn', text: formatDropped(dropped) });
      dropped = 0;
    }
    said += 1;
    // guard: notice-rate-cap
    if (said > NOTICES_PER_SECOND) dropped += 1;
    else peer.notify(method, params);
  };
}

function formatDropped(count: number): string {
  return `${count} further lines, faults and denials in one second were dropped`;
}
