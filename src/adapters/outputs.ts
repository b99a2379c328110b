/** Pieces of output that wait for a slow reader. Further pieces are dropped. */
const MAX_WAITING = 1_000;

/** Yields the output of a call while it runs, and returns its result. Throws what the call throws. */
export async function* outputsOf<Result>(
  run: (onOutput: (text: string) => void) => Promise<Result>,
): AsyncGenerator<string, Result, undefined> {
  const waiting: string[] = [];
  let ended = false;
  let wake: () => void = () => {};
  const result = run((text) => {
    if (waiting.length < MAX_WAITING) waiting.push(text);
    wake();
  }).finally(() => {
    ended = true;
    wake();
  });
  // The reader may stop before it awaits the result.
  result.catch(() => {});
  for (;;) {
    yield* waiting.splice(0);
    if (ended) return result;
    if (waiting.length > 0) continue;
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
  }
}
