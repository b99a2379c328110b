import type { IncomingRequest } from './service.js';

/**
 * A request while it is being answered. A class, because there is one for each: an object literal with
 * a getter in it costs a hidden class of its own.
 */
export class Answering implements IncomingRequest {
  #cancelled: string | undefined;
  #listeners: ((why: string) => void)[] | undefined;
  /** Of the message that it came in. */
  readonly characters: number;

  constructor(characters: number) {
    this.characters = characters;
  }

  get cancelled(): string | undefined {
    return this.#cancelled;
  }

  onCancel(listener: (why: string) => void): void {
    if (this.#cancelled !== undefined) listener(this.#cancelled);
    else (this.#listeners ??= []).push(listener);
  }

  /** The asker gave up. Only the first time counts. */
  cancel(why: string): void {
    if (this.#cancelled !== undefined) return;
    this.#cancelled = why;
    for (const listener of this.release()) listener(why);
  }

  /** It was answered: whoever listens is let go. */
  release(): readonly ((why: string) => void)[] {
    const listeners = this.#listeners ?? [];
    this.#listeners = undefined;
    return listeners;
  }
}
