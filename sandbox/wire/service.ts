import type { Json, WireFailure } from './messages.js';

/** JSON text for a message. Its maker guarantees that it is JSON. */
export class RawJson {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** The JSON of a value. Throws if it has none. */
export function jsonText(value: unknown): string {
  // JSON.stringify returns undefined for undefined and for functions, against its type.
  return value instanceof RawJson ? value.text : (JSON.stringify(value) ?? 'null');
}

/** A request of the other side that is not answered yet. */
export interface IncomingRequest {
  /** The requester's id of the request. */
  readonly id: number;
  /** Why the requester cancelled, if it did. */
  readonly cancelled: string | undefined;
  /** Calls `listener` when the requester cancels, or at once if it has. */
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
  /** Answers a synchronous request of a guest (see `sync.ts`). Default: refused. */
  readonly requestNow?: (method: string, params: Json, body: Uint8Array) => Promise<SyncValue>;
  /** Makes the failure that crosses from an error. Default: its name, message and wire code. */
  readonly describe?: (error: unknown) => WireFailure;
}

/** The answer to a synchronous request: a value for JSON, and bytes. */
export interface SyncValue {
  readonly value: unknown;
  readonly body?: Uint8Array | undefined;
}

/** Receives the answer of a request in the job in which it arrives, without a promise. */
export interface ResponseHandler {
  /** An answer of more bytes of JSON counts as a failure of code `RESULT_TOO_LARGE`. */
  readonly maxAnswerBytes: number;
  answered(value: Json): void;
  /** `WireError` from the other side, else `close`'s error. */
  failed(error: Error): void;
}

/** A request of this side. */
export interface SentRequest {
  /** Settles with the answer, or rejects: `WireError` from the other side, else `close`'s error. */
  readonly answer: Promise<Json>;
  /** Tells the other side that the request was cancelled. The answer may still come. */
  cancel(why: string): void;
}

/** A request of the other side. A class, for speed: see docs/speed.md. */
export class IncomingCall implements IncomingRequest {
  #cancelled: string | undefined;
  #listeners: ((why: string) => void)[] | undefined;
  readonly id: number;
  /** Characters of the message that it came in. */
  readonly characters: number;

  constructor(id: number, characters: number) {
    this.id = id;
    this.characters = characters;
  }

  get cancelled(): string | undefined {
    return this.#cancelled;
  }

  onCancel(listener: (why: string) => void): void {
    if (this.#cancelled !== undefined) listener(this.#cancelled);
    else (this.#listeners ??= []).push(listener);
  }

  /** The requester cancelled. Only the first call counts. */
  cancel(why: string): void {
    if (this.#cancelled !== undefined) return;
    this.#cancelled = why;
    for (const listener of this.release()) listener(why);
  }

  /** The request was answered: removes and returns its listeners. */
  release(): readonly ((why: string) => void)[] {
    const listeners = this.#listeners ?? [];
    this.#listeners = undefined;
    return listeners;
  }
}

/** The open requests of this side. */
export interface PendingRequests {
  /** Opens a request and returns its id, which is never used again. */
  begin(handler: ResponseHandler, isCall: boolean): number;
  /** Closes a request and returns its handler. `undefined` if it is not open. */
  end(id: number): ResponseHandler | undefined;
  close(error: Error): void;
  readonly open: number;
  /** Open requests that were not cancelled. */
  readonly live: number;
  /** Those of them that began as calls. */
  readonly liveCalls: number;
  /** Marks an open request as cancelled. Returns `false` if it is not open. */
  cancel(id: number): boolean;
  /** Resolves as soon as no request is live. */
  whenIdle(): Promise<void>;
}

interface Box {
  handler: ResponseHandler | undefined;
  readonly isCall: boolean;
}

export function makePendingRequests(): PendingRequests {
  // Each handler is in a box that is emptied at the end: the old tables of a busy map keep one another
  // and all their values alive until the whole heap is collected.
  const boxes = new Map<number, Box>();
  const cancelled = new Set<number>();
  let lastId = 0;
  let liveCalls = 0;
  const idleListeners: (() => void)[] = [];
  const live = (): number => boxes.size - cancelled.size;
  const notifyIdle = (): void => {
    if (idleListeners.length === 0 || live() > 0) return;
    for (const listener of idleListeners.splice(0)) listener();
  };
  // guard: response-once
  const end = (id: number): ResponseHandler | undefined => {
    const box = boxes.get(id);
    if (box === undefined) return undefined;
    boxes.delete(id);
    const wasCancelled = cancelled.size > 0 && cancelled.delete(id);
    if (box.isCall && !wasCancelled) liveCalls -= 1;
    const { handler } = box;
    box.handler = undefined;
    notifyIdle();
    return handler;
  };
  return {
    begin: (handler, isCall) => {
      lastId += 1;
      boxes.set(lastId, { handler, isCall });
      if (isCall) liveCalls += 1;
      return lastId;
    },
    cancel: (id) => {
      const box = boxes.get(id);
      if (box === undefined) return false;
      if (box.isCall && !cancelled.has(id)) liveCalls -= 1;
      cancelled.add(id);
      notifyIdle();
      return true;
    },
    end,
    close: (error) => {
      for (const id of boxes.keys()) end(id)?.failed(error);
    },
    get open() {
      return boxes.size;
    },
    get live() {
      return live();
    },
    get liveCalls() {
      return liveCalls;
    },
    whenIdle: () =>
      new Promise((resolve) => {
        if (live() === 0) resolve();
        else idleListeners.push(resolve);
      }),
  };
}
