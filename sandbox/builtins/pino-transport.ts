import { always } from './compartment-globals.js';
import { EventEmitter } from './events.js';
import { stderr } from './standard-streams.js';

/** Writes the lines of a logger to standard error, which is the plugin's log. */
class LogStream extends EventEmitter {
  closed = false;

  constructor() {
    super();
    always('queueMicrotask')(() => void this.emit('ready'));
  }

  write(line: unknown): boolean {
    return stderr.write(line);
  }

  /** Nothing is held back. */
  flushSync(): void {}

  flush(done?: unknown): void {
    if (typeof done === 'function') Reflect.apply(done, undefined, []);
  }

  end(): void {
    if (this.closed) return;
    this.closed = true;
    this.emit('finish');
    this.emit('close');
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }
}

/** In place of the file of `pino` that starts a thread for the lines of a logger. Plugins have one thread. */
export const builtin: object = (): LogStream => new LogStream();
