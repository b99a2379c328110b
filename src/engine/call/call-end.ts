/**
 * The end of a call. Nearly every call ends before anything waits for its end, and an `AbortController` costs more
 * than the rest of a call's bookkeeping, so there is one only if `signal` is read.
 */
export class CallEnd {
  /** Called once, at the end. One listener at a time. */
  listener: (() => void) | undefined;
  isOver = false;
  #controller: AbortController | undefined;

  /** Aborts at the end. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.isOver) this.#controller.abort();
    return this.#controller.signal;
  }

  end(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.#controller?.abort();
    this.listener?.();
  }
}
