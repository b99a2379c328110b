import { makeBrand } from '../brand.js';
import { cancel, read, type ReaderState, type ReadResult, release } from './stream-state.js';

const readers = makeBrand<ReaderState>('ReadableStreamDefaultReader');

/** What `getReader` gives. */
export class StreamReader {
  constructor() {
    throw new TypeError('A reader comes from a stream');
  }

  get closed(): Promise<undefined> {
    return readers.demand(this).closed;
  }

  async read(): Promise<ReadResult> {
    return read(readers.demand(this));
  }

  async cancel(reason?: unknown): Promise<undefined> {
    const { stream } = readers.demand(this);
    if (stream === undefined) throw new TypeError('The reader was released');
    return cancel(stream, reason);
  }

  releaseLock(): void {
    release(readers.demand(this));
  }

  get [Symbol.toStringTag](): string {
    return 'ReadableStreamDefaultReader';
  }
}

export function makeReader(state: ReaderState): object {
  const reader: object = Object.create(StreamReader.prototype);
  readers.give(reader, state);
  return reader;
}

/** Walks a stream to its end; whoever leaves earlier cancels it, unless told not to. */
export async function* iterateStream(
  reader: ReaderState,
  preventCancel: boolean,
): AsyncGenerator<unknown, undefined> {
  try {
    for (;;) {
      const result = await read(reader);
      if (result.done) return undefined;
      yield result.value;
    }
  } finally {
    const { stream } = reader;
    if (stream?.status === 'readable' && !preventCancel) await cancel(stream, undefined);
    release(reader);
  }
}
