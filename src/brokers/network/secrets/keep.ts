import { type Inserted, makeInserter, type OnUse, type Outgoing } from './insert.js';
import { makeScrubber, type Scrubber } from './scrub.js';
import type { Secret } from './secret.js';

/** One plugin's secrets, on their way out and on their way back. */
export interface SecretKeeper extends Pick<Scrubber, 'text'> {
  insert(outgoing: Outgoing): Inserted;
  /** What comes back from `host`, with each secret told once that was found there. */
  scrubberFor(host: string): { [Part in 'head' | 'answer']: Scrub<Part> };
}

type Scrub<Part extends 'head' | 'answer'> = (
  part: Parameters<Scrubber[Part]>[0],
) => ReturnType<Scrubber[Part]>;

/** The keeper whose uses are told to that listener. */
export type KeepFor = (onUse: OnUse) => SecretKeeper;

/** `undefined` where there are none: then nothing is looked at. */
export function keepSecrets(secrets: readonly Secret[]): KeepFor | undefined {
  if (secrets.length === 0) return undefined;
  const scrubber = makeScrubber(secrets);
  return (onUse) => ({
    text: scrubber.text,
    insert: (outgoing) => makeInserter(secrets, onUse)(outgoing),
    scrubberFor: (host) => {
      const told = new Set<string>();
      const tell = ({ name }: Secret, place: 'header' | 'body'): void => {
        if (told.has(`${name} ${place}`)) return;
        told.add(`${name} ${place}`);
        onUse({ type: 'secret-scrubbed', secret: name, place, host });
      };
      return {
        head: (head) => scrubber.head(head, tell),
        answer: (answer) => scrubber.answer(answer, tell),
      };
    },
  });
}
