import type { Json } from '../../sandbox/wire/messages.js';
import type { Answerer } from '../approval-events.js';
import type { Answer } from './approver.js';
import { meetsAll } from './rule.js';
import { mayHoldSecret } from './secret-shape.js';

/** The `session` answers so far, by the key of their session. */
export interface SessionAnswers {
  /** Stores an answer. Returns whether it covers the input that it answers: else it meant other calls. */
  add(key: string, answer: Answer, who: Answerer, input: Json): boolean;
  /** Who approved this input in this session; `undefined` if no answer covers it. */
  find(key: string, input: Json): Answerer | undefined;
  /** Forgets the answers of the sessions whose keys fit. */
  forget(fits: (key: string) => boolean): void;
}

/** A `session` answer. Without conditions it covers every input. */
interface SessionAnswer extends Pick<Answer, 'input' | 'withoutSecrets'> {
  readonly who: Answerer;
}

/** Answers of one session that are remembered. The oldest is forgotten first, and its calls ask again. */
const MAX_SESSION_ANSWERS = 50;

export function makeSessionAnswers(): SessionAnswers {
  const remembered = new Map<string, readonly SessionAnswer[]>();
  return {
    add: (key, { input: conditions, withoutSecrets }, who, input) => {
      const given: SessionAnswer = {
        who,
        ...(conditions === undefined ? {} : { input: conditions }),
        ...(withoutSecrets === undefined ? {} : { withoutSecrets }),
      };
      if (!covers(given, input)) return false;
      const all = [given, ...(remembered.get(key) ?? [])];
      remembered.set(key, all.slice(0, MAX_SESSION_ANSWERS));
      return true;
    },
    find: (key, input) => remembered.get(key)?.find((one) => covers(one, input))?.who,
    forget: (fits) => {
      for (const key of remembered.keys()) if (fits(key)) remembered.delete(key);
    },
  };
}

function covers({ input: conditions, withoutSecrets }: SessionAnswer, input: Json): boolean {
  // guard: session-answer-without-secrets
  if (withoutSecrets === true && mayHoldSecret(input)) return false;
  return meetsAll(input, conditions);
}
