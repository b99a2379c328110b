import { Buffer } from './buffer.js';
import { always, compartmentGlobal } from './compartment-globals.js';
import { EventEmitter } from './events.js';
import { linkedStdio } from './linked-stdio.js';

/** Something that `stdin.pipe` writes to. */
interface Target {
  write(chunk: unknown): unknown;
}

/**
 * `process.stdin`: what programs use of it, without the weight of a stream. It never ends. A plugin
 * without standard streams gets nothing from it.
 */
class StandardInput extends EventEmitter {
  readonly fd = 0;
  readonly isTTY = false;
  readonly readable: boolean = linkedStdio() !== undefined;
  readableFlowing: boolean | null = null;
  destroyed = false;
  #encoding: string | undefined;
  #waiting: string[] = [];
  #listens = false;

  override on(name: string | symbol, listener: (...args: unknown[]) => void): this {
    super.on(name, listener);
    if (name === 'data') this.resume();
    else if (name === 'readable') this.#listen();
    return this;
  }

  override addListener(name: string | symbol, listener: (...args: unknown[]) => void): this {
    return this.on(name, listener);
  }

  override once(name: string | symbol, listener: (...args: unknown[]) => void): this {
    super.once(name, listener);
    if (name === 'data') this.resume();
    else if (name === 'readable') this.#listen();
    return this;
  }

  setEncoding(encoding = 'utf8'): this {
    this.#encoding = encoding;
    return this;
  }

  resume(): this {
    this.readableFlowing = true;
    this.#listen();
    this.#flow();
    return this;
  }

  pause(): this {
    this.readableFlowing = false;
    return this;
  }

  isPaused(): boolean {
    return this.readableFlowing === false;
  }

  read(): unknown {
    const text = this.#waiting.splice(0).join('');
    return text === '' ? null : this.#encoded(text);
  }

  pipe<To extends Target>(to: To): To {
    this.on('data', (chunk) => void to.write(chunk));
    return to;
  }

  unpipe(): this {
    this.removeAllListeners('data');
    return this.pause();
  }

  destroy(): this {
    this.destroyed = true;
    this.pause();
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  setRawMode(): this {
    return this;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<unknown, void, undefined> {
    for (;;) {
      if (this.#waiting.length === 0) {
        await new Promise<void>((resolve) => {
          this.once('readable', () => resolve());
        });
      }
      const chunk = this.read();
      if (chunk !== null) yield chunk;
    }
  }

  #listen(): void {
    if (this.#listens) return;
    this.#listens = true;
    linkedStdio()?.listen((text) => {
      this.#waiting.push(text);
      this.emit('readable');
      this.#flow();
    });
  }

  #flow(): void {
    while (this.readableFlowing === true && this.listenerCount('data') > 0) {
      const text = this.#waiting.shift();
      if (text === undefined) return;
      this.emit('data', this.#encoded(text));
    }
  }

  #encoded(text: string): unknown {
    const bytes = Buffer.from(text);
    return this.#encoding === undefined ? bytes : bytes.toString(this.#encoding);
  }
}

/** `process.stdout` and `process.stderr`: the session and the log of a program, else the console. */
class StandardOutput extends EventEmitter {
  readonly isTTY = false;
  readonly writable = true;
  readonly writableLength = 0;
  readonly writableNeedDrain = false;
  readonly fd: 1 | 2;

  constructor(fd: 1 | 2) {
    super();
    this.fd = fd;
  }

  write(chunk: unknown, ...rest: unknown[]): boolean {
    const text = typeof chunk === 'string' ? chunk : textOf(chunk);
    const stdio = linkedStdio();
    if (stdio !== undefined) stdio.write(this.fd === 1 ? 'stdout' : 'stderr', text);
    else compartmentGlobal('console')?.[this.fd === 1 ? 'log' : 'error'](text.replace(/\n$/, ''));
    const done = rest.find((one) => typeof one === 'function');
    if (isCallback(done)) always('queueMicrotask')(() => done());
    return true;
  }

  end(chunk?: unknown, ...rest: unknown[]): this {
    if (chunk !== undefined && typeof chunk !== 'function') this.write(chunk, ...rest);
    return this;
  }

  cork(): void {}

  uncork(): void {}

  getColorDepth(): number {
    return 1;
  }

  hasColors(): boolean {
    return false;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }
}

function textOf(chunk: unknown): string {
  return chunk instanceof Uint8Array ? Buffer.from(chunk).toString('utf8') : String(chunk);
}

function isCallback(value: unknown): value is () => void {
  return typeof value === 'function';
}

export const stdin: object = new StandardInput();
export const stdout: Pick<StandardOutput, 'write'> = new StandardOutput(1);
export const stderr: Pick<StandardOutput, 'write'> = new StandardOutput(2);
