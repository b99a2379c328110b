/** Types for packages without their own, limited to the parts that the built-in modules use. */
declare module 'events/events.js' {
  export default class EventEmitter {
    emit(name: string | symbol, ...args: unknown[]): boolean;
    listeners(name: string | symbol): unknown[];
    on(name: string | symbol, listener: (...args: unknown[]) => void): this;
    once(name: string | symbol, listener: (...args: unknown[]) => void): this;
    addListener(name: string | symbol, listener: (...args: unknown[]) => void): this;
    removeAllListeners(name?: string | symbol): this;
    listenerCount(name: string | symbol): number;
    setMaxListeners(count: number): this;
    getMaxListeners(): number;
    static defaultMaxListeners: number;
  }
}

declare module 'path-browserify' {
  const path: { resolve(...paths: string[]): string };
  export default path;
}

declare module 'punycode/punycode.es6.js' {
  export function toASCII(domain: string): string;
  export function toUnicode(domain: string): string;
  const punycode: object;
  export default punycode;
}

declare module 'readable-stream/lib/stream.js' {
  type Done = (error?: unknown) => void;
  class Emitter {
    emit(name: string | symbol, ...args: unknown[]): boolean;
    on(name: string | symbol, listener: (...args: never[]) => void): this;
    once(name: string | symbol, listener: (...args: never[]) => void): this;
    listenerCount(name: string | symbol): number;
    destroy(error?: unknown): this;
    readonly destroyed: boolean;
  }
  class Readable extends Emitter {
    constructor(options?: { read?(): void; encoding?: unknown; highWaterMark?: number });
    push(chunk: unknown): boolean;
    resume(): this;
    setEncoding(encoding: string): this;
    _read(size: number): void;
    _destroy(error: unknown, done: Done): void;
  }
  class Writable extends Emitter {
    constructor(options?: {
      write?(chunk: unknown, encoding: string, done: Done): void;
      decodeStrings?: boolean;
      autoDestroy?: boolean;
      emitClose?: boolean;
    });
    write(chunk: unknown, ...rest: unknown[]): boolean;
    end(...args: unknown[]): this;
    readonly writableEnded: boolean;
    _write(chunk: unknown, encoding: string, done: Done): void;
    _final(done: Done): void;
    _destroy(error: unknown, done: Done): void;
  }
  class Duplex extends Readable {
    _write(chunk: unknown, encoding: string, done: Done): void;
  }
  class Transform extends Duplex {
    constructor(options?: object);
    _transform(chunk: Uint8Array, encoding: string, done: Done): void;
    _flush(done: Done): void;
  }
  const Stream: {
    readonly Transform: typeof Transform;
    readonly promises: object;
    readonly Duplex: typeof Duplex;
    readonly Readable: typeof Readable;
    readonly Writable: typeof Writable;
  };
  export default Stream;
}

declare module 'string_decoder/lib/string_decoder.js' {
  export class StringDecoder {
    encoding: string;
    constructor(encoding?: string);
    write(bytes: Uint8Array | string): string;
    end(bytes?: Uint8Array): string;
  }
}
