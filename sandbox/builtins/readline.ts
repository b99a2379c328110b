import { offer } from './denied.js';
import { EventEmitter } from './events.js';

interface LineSource {
  on(name: string, listener: (chunk: unknown) => void): unknown;
  setEncoding?(encoding: string): unknown;
}

function isSource(value: unknown): value is LineSource {
  return typeof value === 'object' && value !== null && 'on' in value;
}

/** An interface that cuts its input into lines. It asks no questions, because no person reads it. */
class Interface extends EventEmitter {
  closed = false;
  readonly terminal = false;
  #rest = '';
  #lines: string[] = [];
  #isIterated = false;

  constructor(input: unknown) {
    super();
    if (!isSource(input)) return;
    input.setEncoding?.('utf8');
    input.on('data', (chunk) => this.#take(String(chunk)));
    input.on('end', () => this.close());
  }

  close(): void {
    if (this.closed) return;
    this.closed = true;
    if (this.#rest !== '') this.#tell(this.#rest);
    this.emit('close');
  }

  pause(): this {
    return this;
  }

  resume(): this {
    return this;
  }

  setPrompt(): void {}

  prompt(): void {}

  async *[Symbol.asyncIterator](): AsyncGenerator<string, void, undefined> {
    this.#isIterated = true;
    for (;;) {
      const line = this.#lines.shift();
      if (line !== undefined) yield line;
      else if (this.closed) return;
      else {
        await new Promise<void>((resolve) => {
          this.once('line', () => resolve());
          this.once('close', () => resolve());
        });
      }
    }
  }

  #take(text: string): void {
    const lines = `${this.#rest}${text}`.split(/\r\n|\n|\r/);
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.#tell(line);
  }

  #tell(line: string): void {
    // Lines before the first listener are those that an iterator reads.
    if (this.#isIterated || this.listenerCount('line') === 0) this.#lines.push(line);
    this.emit('line', line);
  }
}

function createInterface(input: unknown): Interface {
  const options = typeof input === 'object' && input !== null ? input : {};
  return new Interface('input' in options ? options.input : input);
}

/** `node:readline`: lines from a stream. */
export const builtin: object = offer('readline', { createInterface, Interface });
