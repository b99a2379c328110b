import type { Json, WireFailure } from './messages.js';

/** JSON text that goes into a message as it is. Whoever makes one vouches that it is JSON. */
export class RawJson {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** A value as it goes into a message. Throws where it has no JSON. */
export function jsonText(value: unknown): string {
  // Typed as always a string, JSON.stringify gives undefined for undefined and for functions.
  return value instanceof RawJson ? value.text : (JSON.stringify(value) ?? 'null');
}

/** A request of the other side, while it is being answered. */
export interface IncomingRequest {
  /** Why the asker gave up, once it has. */
  readonly cancelled: string | undefined;
  /** Calls `listener` when the asker gives up, at once if it has. */
  onCancel(listener: (why: string) => void): void;
}

/** What one side answers. Params are plain data of unknown shape: parse them. */
export interface Service {
  /**
   * Answers a request with a value for JSON, or `RawJson`. A throw or rejection answers with a
   * failure made by `describe`.
   */
  request(method: string, params: unknown, request: IncomingRequest): unknown;
  notice(method: string, params: unknown): void;
  /** Makes what crosses out of an error; without it, its name, message and wire code. */
  readonly describe?: (error: unknown) => WireFailure;
}

/** What comes of a request, told in the job in which it is heard: without a promise in between. */
export interface Waiter {
  /** An answer of more bytes of JSON counts as a failure of code `RESULT_TOO_LARGE`. */
  readonly maxAnswerBytes: number;
  answered(value: Json): void;
  /** `WireError` from the other side, else `close`'s error. */
  failed(error: Error): void;
}

/** A request under way. */
export interface Asked {
  /** Settles with the answer, or rejects: `WireError` from the other side, else `close`'s error. */
  readonly answer: Promise<Json>;
  /** Tells the other side to give up. The answer may still come. */
  cancel(why: string): void;
}
