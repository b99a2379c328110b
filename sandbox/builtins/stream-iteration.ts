/** Streams as what can be iterated over, and the other way round. */
interface Iterated {
  readonly errored: unknown;
  readonly readableEnded: boolean;
  readonly closed: boolean;
  on(name: string, listener: (...args: unknown[]) => void): unknown;
  once(name: string, listener: () => void): unknown;
  pause(): unknown;
  resume(): unknown;
  destroy(): unknown;
}

/** The chunks of a stream, each when it is asked for. A loop that is left ends the stream. */
export async function* iterate(stream: Iterated): AsyncGenerator {
  const items: unknown[] = [];
  let wake = (): void => undefined;
  stream.on('data', (chunk) => {
    items.push(chunk);
    stream.pause();
    wake();
  });
  for (const name of ['end', 'error', 'close']) stream.once(name, () => wake());
  try {
    for (;;) {
      if (items.length > 0) yield items.shift();
      else if (stream.errored !== null) throw stream.errored;
      else if (stream.readableEnded || stream.closed) return;
      else {
        const waiting = new Promise<void>((resolve) => {
          wake = resolve;
        });
        stream.resume();
        await waiting;
      }
    }
  } finally {
    stream.destroy();
  }
}

/** Asks what can be iterated over for its next item. A text is one item. */
export function makeSource(
  source: AsyncIterable<unknown> | Iterable<unknown>,
): () => Promise<IteratorResult<unknown>> {
  const items =
    typeof source === 'string'
      ? [source][Symbol.iterator]()
      : Symbol.asyncIterator in source
        ? source[Symbol.asyncIterator]()
        : source[Symbol.iterator]();
  return async () => items.next();
}
