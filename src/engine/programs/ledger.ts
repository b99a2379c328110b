import type { Json } from '../../../sandbox/wire/messages.js';
import { canonicalJson } from '../../canonical.js';
import { BulkheadError } from '../../errors.js';
import type { ProgramFact, ProgramLog, ProgramReply } from './program-log.js';

/** What is known about one request from before the host ended. */
export interface KnownRequest {
  readonly approval?: string;
  /** The call had begun. */
  readonly callId?: string;
  readonly reply?: ProgramReply;
}

/**
 * Numbers the requests of a program, and gives it the replies in a fixed order: first those of the log, in
 * their order, then new ones, each logged before the program gets it. A program has no clock and no
 * randomness, so the same replies in the same order lead it to the same requests.
 */
export interface Ledger {
  /**
   * Notes the next request. Throws `PROGRAM_FAILED` if the log has another request of that number: the
   * program does not repeat itself.
   */
  note(op: string, params: Json): { readonly number: number; readonly known: KnownRequest };
  /** Resolves when the program has all replies of the log. New work starts after that. */
  readonly caughtUp: Promise<void>;
  /** Resolves with the reply of the log when it is its turn. */
  logged(number: number): Promise<ProgramReply>;
  /** Logs a new reply, and resolves with it when it is its turn. */
  deliver(number: number, reply: ProgramReply, isUnknown?: boolean): Promise<ProgramReply>;
}

export function makeLedger(facts: readonly ProgramFact[], log: ProgramLog): Ledger {
  const requests = new Map<number, Extract<ProgramFact, { type: 'request' }>>();
  const known = new Map<number, KnownRequest>();
  const order: number[] = [];
  for (const fact of facts) {
    const { number } = fact;
    const before = known.get(number) ?? {};
    if (fact.type === 'request') requests.set(number, fact);
    else if (fact.type === 'asked') known.set(number, { ...before, approval: fact.approval });
    else if (fact.type === 'begun') known.set(number, { ...before, callId: fact.callId });
    else {
      known.set(number, { ...before, reply: fact.reply });
      order.push(number);
    }
  }
  let count = 0;
  let last = Promise.resolve();
  const arrived = new Map<number, () => void>();
  const turns = new Map<number, Promise<void>>();
  for (const number of order) {
    const arrives = new Promise<void>((resolve) => arrived.set(number, resolve));
    // The reply before this one has left, and the program has made this request.
    const turn = last.then(() => arrives);
    turns.set(number, turn);
    last = turn.then(nextTask);
  }
  return {
    caughtUp: last,
    note: (op, params) => {
      count += 1;
      const number = count;
      const logged = requests.get(number);
      if (logged === undefined) log.append({ type: 'request', number, op, params });
      // guard: resumed-program-repeats-itself
      else if (logged.op !== op || canonicalJson(logged.params) !== canonicalJson(params)) {
        throw new BulkheadError(
          'PROGRAM_FAILED',
          `The resumed program made another request ${number} than before. It cannot continue.`,
          { reason: `request ${number} differs from the log` },
        );
      }
      return { number, known: known.get(number) ?? {} };
    },
    logged: async (number) => {
      const reply = known.get(number)?.reply;
      arrived.get(number)?.();
      await turns.get(number);
      if (reply === undefined) throw new Error(`the log has no reply ${number}`);
      return reply;
    },
    deliver: (number, reply, isUnknown = false) => {
      const turn = last.then(() => {
        log.append({ type: 'reply', number, reply, ...(isUnknown ? { unknown: true } : {}) });
      });
      last = turn.then(nextTask);
      return turn.then(() => reply);
    },
  };
}

/** A reply leaves in the microtasks of its turn. The next one is written after it. */
function nextTask(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
