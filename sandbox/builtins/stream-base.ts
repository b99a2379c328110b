import { EventEmitter } from './events.js';
import { takeOver } from './stream-states.js';
import { always } from './surroundings.js';

export type Done = (error?: unknown) => void;

export interface StreamOptions {
  readonly objectMode?: boolean;
  readonly highWaterMark?: number;
  readonly destroy?: (error: unknown, done: Done) => void;
}

/** What every stream is: an emitter that can be destroyed, once. */
export class StreamBase extends EventEmitter {
  destroyed = false;
  closed = false;
  errored: unknown = null;

  destroy(error?: unknown): this {
    if (this.destroyed) return this;
    this.destroyed = true;
    this.errored = error ?? null;
    this._destroy(error ?? null, (problem) => {
      soon(() => {
        const failure = problem ?? error;
        if (failure !== undefined && failure !== null) this.emit('error', failure);
        this.closed = true;
        this.emit('close');
      });
    });
    return this;
  }

  _destroy(error: unknown, done: Done): void {
    done(error);
  }
}

export function soon(run: () => void): void {
  always('queueMicrotask')(run);
}

/**
 * Makes a class one that may also be called as a function on an object that inherits from it the
 * old way (`Transform.call(this, options)`): its fields and options are then set on that object.
 */
export function callable<Class extends new (options?: never) => object>(made: Class): Class {
  const proxy = new Proxy(made, {
    apply: (_, self: object, [options]: [never]) => {
      takeOver(new made(options), self);
    },
  });
  Object.defineProperty(made.prototype, 'constructor', { value: proxy, writable: true });
  return proxy;
}

/** Methods that come as options (`new Readable({ read() {} })`) become the stream's own. */
export function adopt(stream: object, options: object | undefined, names: readonly string[]): void {
  for (const name of names) {
    const method: unknown = options === undefined ? undefined : Reflect.get(options, name);
    if (typeof method === 'function') Reflect.set(stream, `_${name}`, method);
  }
}
