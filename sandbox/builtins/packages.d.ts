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
  interface ReadableStream {
    push(chunk: unknown): boolean;
  }
  const Stream: {
    readonly promises: object;
    readonly Readable: new (options: { read(): void }) => ReadableStream;
    readonly Writable: new (options: {
      write(chunk: unknown, encoding: string, done: () => void): void;
    }) => object;
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
