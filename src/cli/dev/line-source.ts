import { join } from 'node:path';
import { jsonLine } from '../../visible.js';
import type { CliCapabilities, LinePrompt, TextSink } from '../capabilities.js';
import { configDirectoryOf } from '../engine-options.js';
import { readLines } from '../read-lines.js';
import { complete, type KnownTool } from './complete.js';

/** Where lines come from: the terminal, or standard input. */
export interface LineSource {
  /** The sink, with the prompt out of the way while it is written to. */
  wrap(sink: TextSink): TextSink;
  /** Answers questions at the prompt. Absent without a terminal. */
  readonly ask?: NonNullable<CliCapabilities['ask']>;
  /** Yields lines until the input ends, or until `close`. */
  lines(tools: () => readonly KnownTool[], onInterrupt: () => void): AsyncIterable<string>;
  /** What is said before the first line. */
  hint(example: string): string;
  close(): void;
}

type LineCapabilities = Pick<
  CliCapabilities,
  'openPrompt' | 'environment' | 'readFile' | 'writeFile' | 'stdin' | 'interrupted'
>;

/** Longest line of standard input. */
const MAX_LINE_BYTES = 1024 * 1024;

/** Lines that the prompt remembers between sessions. */
const MAX_HISTORY = 200;

export function openLineSource(capabilities: LineCapabilities): LineSource {
  const { openPrompt } = capabilities;
  return openPrompt === undefined ? fromInput(capabilities) : atTerminal(openPrompt, capabilities);
}

function atTerminal(
  openPrompt: NonNullable<CliCapabilities['openPrompt']>,
  capabilities: LineCapabilities,
): LineSource {
  let prompt: LinePrompt | undefined;
  return {
    wrap: (sink) => ({
      ...sink,
      get closed() {
        return sink.closed;
      },
      write: (text) =>
        prompt === undefined ? sink.write(text) : prompt.above(() => sink.write(text)),
    }),
    ask: async (question, signal) => (await prompt?.ask(question, signal)) ?? '',
    async *lines(tools, onInterrupt) {
      const file = historyFileOf(capabilities);
      const former = file === undefined ? [] : await readHistory(file, capabilities);
      prompt = openPrompt({
        prompt: '> ',
        history: former,
        complete: (line) => complete(line, tools()),
        onInterrupt,
      });
      const entered: string[] = [];
      for await (const line of prompt) {
        if (line.trim() !== '') entered.unshift(line);
        yield line;
      }
      if (file === undefined || entered.length === 0) return;
      const history = [...new Set([...entered, ...former])].slice(0, MAX_HISTORY);
      await capabilities.writeFile(file, history.map(jsonLine).join('')).catch(() => {});
    },
    hint: (example) => `saves are watched; call a tool: ${example}\n.help says more\n`,
    close: () => prompt?.close(),
  };
}

function fromInput({ stdin, interrupted }: LineCapabilities): LineSource {
  return {
    wrap: (sink) => sink,
    async *lines() {
      let some = false;
      for await (const line of readLines(stdin, MAX_LINE_BYTES)) {
        some = true;
        if (line !== undefined) yield line;
      }
      // A service has no input at all, and runs until it is stopped.
      if (!some) await untilAborted(interrupted);
    },
    hint: (example) =>
      `saves are watched; standard input takes one call a line: ${example}\nfor an assistant: --mcp serves these tools over MCP, --port as JSON over HTTP\n`,
    close: () => {},
  };
}

/** Keeps the process alive meanwhile: the watchers do not. */
function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setInterval(() => {}, 2 ** 30);
    signal.addEventListener(
      'abort',
      () => {
        clearInterval(timer);
        resolve();
      },
      { once: true },
    );
  });
}

function historyFileOf(capabilities: Pick<CliCapabilities, 'environment'>): string | undefined {
  const directory = configDirectoryOf(capabilities);
  return directory === undefined ? undefined : join(directory, 'dev', 'history');
}

async function readHistory(
  file: string,
  { readFile }: Pick<CliCapabilities, 'readFile'>,
): Promise<readonly string[]> {
  const text = await readFile(file).catch(() => '');
  return text.split('\n').flatMap((line) => {
    try {
      const entered: unknown = JSON.parse(line);
      return typeof entered === 'string' ? [entered] : [];
    } catch {
      return [];
    }
  });
}
