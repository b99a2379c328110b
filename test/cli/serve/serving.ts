import assert from 'node:assert/strict';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { afterEachTest } from '../../tidying.js';
import { outputErrors } from '../output-schema.js';
import { ended, start } from '../spawned.js';

const running = new Set<ChildProcessWithoutNullStreams>();
afterEachTest(() => {
  for (const child of running) child.kill('SIGKILL');
  running.clear();
});

export interface Serving {
  readonly url: string;
  /** The line that it printed: the URL, and the tokens that it generated. */
  readonly printed: Readonly<Record<string, string>>;
  /** The token of MCP clients, if it was generated. */
  readonly token: string;
  readonly viewToken: string;
  readonly child: ChildProcessWithoutNullStreams;
  /** Its log so far, line by line. */
  readonly log: () => readonly Record<string, unknown>[];
  /** Resolves once a line of its log has that message. */
  readonly logged: (message: string) => Promise<Record<string, unknown>>;
  readonly end: (signal?: NodeJS.Signals) => Promise<number | null>;
}

/** `bulkhead serve` on a port that is free, once it takes connections. */
export async function serve(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Serving> {
  const child = start(['serve', '--port', '0', '--json', ...args], undefined, environment);
  running.add(child);
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  const line = await firstLine(child, () => errors);
  const printed = JSON.parse(line) as Record<string, string>;
  assert.deepEqual(outputErrors('serve', printed), []);
  const { url = '', token = '', viewToken = '' } = printed;
  const log = (): Record<string, unknown>[] =>
    errors
      .split('\n')
      .slice(0, -1)
      .map((text) => JSON.parse(text) as Record<string, unknown>);
  return {
    url,
    printed,
    token,
    viewToken,
    child,
    log,
    logged: async (message) => {
      for (;;) {
        const found = log().find(({ msg }) => msg === message);
        if (found !== undefined) return found;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
    end: async (signal = 'SIGTERM') => {
      const code = ended(child).then((end) => end.code);
      child.kill(signal);
      return code;
    },
  };
}

function firstLine(
  { stdout, stderr }: ChildProcessWithoutNullStreams,
  errors: () => string,
): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (text.includes('\n')) resolve(text.slice(0, text.indexOf('\n')));
    });
    stderr.on('end', () => reject(new Error(`it ended: ${text}${errors()}`)));
  });
}
