import { cloneBytes } from '../bytes.js';
import type { EndowmentCapabilities, WasmCapability, WasmInstance } from '../endowment.js';
import { type Callback, wrappingModule } from './callbacks.js';

/** The compiled SQLite by this name. */
export const SQLITE = 'sqlite';

const PAGE_BYTES = 64 * 1024;

/** The first size is the one with which SQLite was compiled. */
const MEMORY = { initial: 128, maximum: 1024 };

/** SQLite needed a function of the platform that it does not have here. */
const NOT_SUPPORTED = 52;

export type EngineCapabilities = Pick<
  EndowmentCapabilities,
  'clock' | 'text' | 'grant' | 'denial' | 'feralDate' | 'random'
>;

/** SQLite's C functions, in a memory of their own. One for each plugin. */
export class SqliteEngine {
  readonly #instance: WasmInstance;
  readonly #wasm: WasmCapability;
  readonly #decode: (bytes: Uint8Array) => string;
  readonly #encode: (text: string) => Uint8Array;
  #view = new DataView(new ArrayBuffer(0));
  #isBroken = false;
  /** The clock of SQL, in milliseconds. Fixed without the time permission. */
  readonly now: () => number;

  constructor(wasm: WasmCapability, capabilities: EngineCapabilities) {
    const { text } = capabilities;
    this.#wasm = wasm;
    this.#encode = text.encode;
    const decoder = text.decoder('utf-8', { fatal: false, ignoreBOM: true });
    this.#decode = (bytes) => decoder?.decode(bytes, false) ?? '';
    this.now = clockOf(capabilities);
    this.#instance = wasm.start(SQLITE, this.#imports(capabilities), MEMORY);
    this.call('__wasm_call_ctors');
    this.call('sqlite3_initialize');
  }

  /** Calls a function. It throws if SQLite crashed: its memory is then not used again. */
  run(name: string, args: readonly (number | bigint)[]): unknown {
    if (this.#isBroken) throw new Error('SQLite has crashed. Its databases are closed.');
    const exported = this.#instance.exports[name];
    if (typeof exported !== 'function') throw new Error(`SQLite has no ${name}`);
    try {
      return Reflect.apply(exported, undefined, args);
    } catch (error) {
      this.#isBroken = true;
      // A trap is an error of the platform's own class.
      const why = error instanceof Error ? error.message : '';
      // oxlint-disable-next-line preserve-caught-error -- the plugin may see it: no error of the platform
      throw new Error(`SQLite crashed: ${why}. Its databases are closed.`);
    }
  }

  call(name: string, ...args: readonly (number | bigint)[]): number {
    return Number(this.run(name, args));
  }

  callLong(name: string, ...args: readonly (number | bigint)[]): bigint {
    const value = this.run(name, args);
    return typeof value === 'bigint' ? value : BigInt(Number(value));
  }

  /** Whether it has crashed. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  /** The memory. It is another one after a call. */
  get view(): DataView {
    const buffer = this.#instance.memory();
    if (this.#view.buffer !== buffer) this.#view = new DataView(buffer);
    return this.#view;
  }

  /** A part of the memory. It is valid until the next call. */
  part(pointer: number, length: number): Uint8Array {
    return new Uint8Array(this.#instance.memory(), pointer >>> 0, length >>> 0);
  }

  bytes(pointer: number, length: number): Uint8Array<ArrayBuffer> {
    return cloneBytes(this.part(pointer, length));
  }

  text(pointer: number, length: number): string {
    return this.#decode(this.part(pointer, length));
  }

  /** Text that ends in a zero byte. `''` for a null pointer. */
  string(pointer: number): string {
    if (pointer === 0) return '';
    const memory = new Uint8Array(this.#instance.memory());
    const end = memory.indexOf(0, pointer >>> 0);
    return this.#decode(memory.subarray(pointer >>> 0, end < 0 ? pointer >>> 0 : end));
  }

  pointerAt(address: number): number {
    return this.view.getUint32(address, true);
  }

  /** Memory until it is freed. Throws if there is none. */
  allocate(bytes: number): number {
    const pointer = this.call('sqlite3_malloc64', BigInt(Math.max(bytes, 1)));
    if (pointer === 0) throw new RangeError('out of memory');
    return pointer;
  }

  free(pointer: number): void {
    if (!this.#isBroken) this.call('sqlite3_free', pointer);
  }

  /** Bytes in memory, with a zero byte after them. */
  give(content: Uint8Array): number {
    const pointer = this.allocate(content.length + 1);
    const target = this.part(pointer, content.length + 1);
    target.set(content);
    target[content.length] = 0;
    return pointer;
  }

  encode(text: string): Uint8Array {
    return this.#encode(text);
  }

  /** Runs work with a text in memory, and its length in bytes. */
  withText<Result>(text: string, work: (pointer: number, length: number) => Result): Result {
    const bytes = this.#encode(text);
    const pointer = this.give(bytes);
    try {
      return work(pointer, bytes.length);
    } finally {
      this.free(pointer);
    }
  }

  /** Puts functions into SQLite's table. Returns their numbers there. */
  add(callbacks: readonly Callback[]): readonly number[] {
    const functions = Object.fromEntries(callbacks.map(({ run }, index) => [index, run]));
    const code = wrappingModule(callbacks.map(({ signature }) => signature));
    const wrapped = this.#wasm.wrap(code, functions);
    const table = this.#instance.exports['__indirect_function_table'];
    if (!isTable(table)) throw new Error('SQLite has no table of functions');
    const first = table.grow(callbacks.length);
    return callbacks.map((_, index) => {
      table.set(first + index, wrapped[String(index)]);
      return first + index;
    });
  }

  /** SQLite's own table of system calls has no files: its databases are opened by our VFS. */
  #imports({ feralDate }: EngineCapabilities): Record<string, Record<string, unknown>> {
    const refuse = (): number => NOT_SUPPORTED;
    const refuseCall = (): number => -NOT_SUPPORTED;
    const zeroes = (...pointers: readonly number[]): number => {
      for (const pointer of pointers) this.view.setUint32(pointer, 0, true);
      return 0;
    };
    return {
      env: {
        ...Object.fromEntries(SYSTEM_CALLS.map((name) => [name, refuseCall])),
        emscripten_date_now: () => this.now(),
        emscripten_get_now: () => this.now(),
        emscripten_get_heap_max: () => MEMORY.maximum * PAGE_BYTES,
        emscripten_resize_heap: (wanted: number) => {
          const have = this.#instance.memory().byteLength;
          const pages = Math.ceil(((wanted >>> 0) - have) / PAGE_BYTES);
          return pages <= 0 || this.#instance.grow(pages) ? 1 : 0;
        },
        _tzset_js: () => undefined,
        _localtime_js: (seconds: bigint, target: number) => {
          const date = new feralDate(Number(seconds) * 1000);
          const fields = [
            date.getSeconds(),
            date.getMinutes(),
            date.getHours(),
            date.getDate(),
            date.getMonth(),
            date.getFullYear() - 1900,
            date.getDay(),
            0,
            0,
            -60 * date.getTimezoneOffset(),
          ];
          fields.forEach((value, index) => this.view.setInt32(target + 4 * index, value, true));
        },
        _mmap_js: refuseCall,
        _munmap_js: refuseCall,
      },
      wasi_snapshot_preview1: {
        fd_close: refuse,
        fd_write: refuse,
        fd_read: refuse,
        fd_sync: refuse,
        fd_seek: refuse,
        fd_fdstat_get: refuse,
        environ_get: () => 0,
        environ_sizes_get: zeroes,
        clock_time_get: (_clock: number, _precision: bigint, target: number) => {
          this.view.setBigInt64(target, BigInt(Math.floor(this.now())) * 1_000_000n, true);
          return 0;
        },
      },
    };
  }
}

const SYSTEM_CALLS = (
  'faccessat fchmod chmod fchown32 fcntl64 openat ioctl fstat64 stat64 newfstatat lstat64 ' +
  'ftruncate64 getcwd mkdirat readlinkat rmdir unlinkat utimensat'
)
  .split(' ')
  .map((name) => `__syscall_${name}`);

function clockOf(capabilities: EngineCapabilities): () => number {
  let isReported = false;
  return () => {
    // guard: sqlite-clock-fixed
    if (capabilities.grant.time) return capabilities.clock.now();
    if (!isReported) capabilities.denial('time', 'the current time in SQL');
    isReported = true;
    return 0;
  };
}

interface Table {
  grow(count: number): number;
  set(index: number, value: unknown): void;
}

function isTable(value: unknown): value is Table {
  return typeof value === 'object' && value !== null && 'grow' in value && 'set' in value;
}
