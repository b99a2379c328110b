import type { ReadableStream } from '../../../../sandbox/endowments/streams/readable-stream.js';

export interface Controller {
  enqueue(chunk?: unknown): void;
  close(): void;
  error(reason?: unknown): void;
  readonly desiredSize: number | null;
}

export interface Reader {
  read(): Promise<{ done: boolean; value: unknown }>;
  cancel(reason?: unknown): Promise<undefined>;
  releaseLock(): void;
  readonly closed: Promise<undefined>;
}

export function readerOf(stream: ReadableStream): Reader {
  return stream.getReader() as Reader;
}

export async function readAll(stream: object): Promise<unknown[]> {
  const chunks: unknown[] = [];
  for await (const chunk of stream as AsyncIterable<unknown>) chunks.push(chunk);
  return chunks;
}
