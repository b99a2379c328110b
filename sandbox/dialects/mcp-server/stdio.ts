import type { ClockCapability } from '../../endowments/endowment.js';
import { MCP_LIMITS } from './limits.js';

/** The standard streams of a server, as the replacement of `process` gets them. Only texts cross. */
export interface StdioFace {
  /** Listens to standard input. What came before is delivered first. One listener at a time. */
  readonly listen: (listener: (text: string) => void) => void;
  /** Writes to standard output, which carries messages, or to standard error, which is the log. */
  readonly write: (stream: 'stdout' | 'stderr', text: string) => void;
}

export interface Stdio {
  readonly face: StdioFace;
  /** Sends the server a line. */
  send(line: string): void;
}

export interface StdioSpec {
  readonly clock: Pick<ClockCapability, 'queueMicrotask'>;
  /** One line of standard output, without its end. */
  readonly onLine: (line: string) => void;
  /** A line of standard output that is too long. It was dropped. */
  readonly onTooLong: () => void;
  readonly onErrorLine: (line: string) => void;
  readonly reportFault: (error: unknown) => void;
}

/**
 * The virtual standard streams of a server. Input is delivered in the order in which it was sent, never
 * while the server writes.
 */
export function makeStdio(spec: StdioSpec): Stdio {
  const waiting: string[] = [];
  let listener: ((text: string) => void) | undefined;
  let delivering = false;
  const deliver = (): void => {
    delivering = false;
    // The server may send, and so wait for more, while it reads.
    for (const text of waiting.splice(0)) {
      try {
        listener?.(text);
      } catch (error) {
        spec.reportFault(error);
      }
    }
  };
  const schedule = (): void => {
    if (delivering || listener === undefined || waiting.length === 0) return;
    delivering = true;
    spec.clock.queueMicrotask(deliver);
  };
  const out = makeLineCutter(spec.onLine, spec.onTooLong);
  const errors = makeLineCutter(spec.onErrorLine, () => {});
  return {
    send: (line) => {
      waiting.push(`${line}\n`);
      schedule();
    },
    face: harden({
      listen: (next: unknown) => {
        if (typeof next !== 'function') return;
        listener = (text) => void Reflect.apply(next, undefined, [text]);
        schedule();
      },
      // The server's own code calls these with any value.
      write: (stream: unknown, text: unknown) => {
        if (typeof text !== 'string') return;
        if (stream === 'stdout') out(text);
        else errors(text);
      },
    }),
  };
}

/** Cuts text into lines. A line over the cap is dropped up to its end. */
function makeLineCutter(
  onLine: (line: string) => void,
  onTooLong: () => void,
): (text: string) => void {
  let parts: string[] = [];
  let length = 0;
  let dropping = false;
  const add = (text: string): void => {
    if (dropping) return;
    length += text.length;
    // guard: mcp-line-cap
    if (length > MCP_LIMITS.maxLineCharacters) {
      dropping = true;
      parts = [];
      onTooLong();
    } else if (text !== '') parts.push(text);
  };
  return (text) => {
    let from = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', from)) {
      add(text.slice(from, end));
      const line = parts.join('');
      const complete = !dropping;
      parts = [];
      length = 0;
      dropping = false;
      from = end + 1;
      if (complete && line.trim() !== '') onLine(line.endsWith('\r') ? line.slice(0, -1) : line);
    }
    add(text.slice(from));
  };
}
