#!/usr/bin/env node
import { mkdir, open, readdir, readFile, realpath } from 'node:fs/promises';
import { createServer } from 'node:http';
import { availableParallelism, release, totalmem } from 'node:os';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createEngine, openLockBook, openRules, readAudit, suggestPermissions } from '../index.js';
import { EXIT } from './exit-codes.js';
import { failureOf } from './failure.js';
import type { CliPowers, HttpAnswer, LoopbackServer, TextSink } from './powers.js';
import { reportFailure } from './report.js';
import { runCli } from './run.js';

const { stdin, stdout, stderr, env, argv } = process;

const interruption = new AbortController();
process.once('SIGINT', () => interruption.abort());
process.once('SIGTERM', () => interruption.abort());

const powers: CliPowers = {
  createEngine,
  readAudit,
  suggestPermissions,
  openRules,
  openLockBook,
  http: async (url, { method, token, body }) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    // A server that leads elsewhere is not the one that the token is for.
    const init = { method, headers, redirect: 'error' as const };
    const response = await fetch(url, body === undefined ? init : { ...init, body });
    return { status: response.status, text: await response.text() };
  },
  stdin,
  stdout: makeSink(stdout),
  stderr: makeSink(stderr),
  readFile: (path) => readFile(path, 'utf8'),
  writeFile: async (path, text) => {
    await mkdir(dirname(path), { recursive: true });
    const file = await open(path, 'w', 0o600);
    try {
      // One that was there may have been everybody's to read.
      if ((await file.stat()).isFile()) await file.chmod(0o600);
      await file.writeFile(text);
    } finally {
      await file.close();
    }
  },
  listDirectory: (path) => readdir(path),
  realPath: (path) => realpath(path).catch(() => path),
  machine: {
    node: process.version,
    v8: process.versions.v8,
    platform: process.platform,
    arch: process.arch,
    kernel: release(),
    processors: availableParallelism(),
    memoryBytes: totalmem(),
    superuser: process.geteuid?.() === 0,
  },
  environment: env,
  now: () => performance.now(),
  wallClock: Date.now,
  ...(stdin.isTTY && stderr.isTTY ? { ask } : {}),
  interrupted: interruption.signal,
  onHangup: (listener) => {
    process.on('SIGHUP', listener);
    return () => process.off('SIGHUP', listener);
  },
  fixtures: fileURLToPath(new URL('../../../fixtures', import.meta.url)),
  serve,
};

// Nothing that a plugin does may get here. If it does, whoever reads our output is told so.
process.once('uncaughtException', leave);
process.once('unhandledRejection', leave);

const packageJson: unknown = JSON.parse(
  await readFile(new URL('../../../package.json', import.meta.url), 'utf8'),
);
// All output has left by now; exiting outright leaves no room for anything that still runs.
process.exit(await runCli(argv.slice(2), versionOf(packageJson), powers));

function leave(error: unknown): void {
  const json = argv.includes('--json');
  void reportFailure(failureOf(error), { json, durationMs: 0 }, powers).finally(() =>
    process.exit(EXIT.fault),
  );
}

function versionOf(manifest: unknown): string {
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest
    ? String(manifest.version)
    : 'unknown';
}

function makeSink(stream: NodeJS.WriteStream): TextSink {
  let closed = false;
  // A reader that has gone (`| head`) is no fault: what is left to say has nobody to hear it.
  stream.on('error', () => {
    closed = true;
  });
  return {
    write: (text) =>
      new Promise((resolve) => {
        if (closed) resolve();
        else stream.write(text, () => resolve());
      }),
    isTerminal: stream.isTTY,
    colour: stream.isTTY && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb',
    get closed() {
      return closed;
    },
  };
}

/** Asks on standard error, so that standard output holds the result alone. */
function ask(question: string, signal: AbortSignal): Promise<string> {
  return new Promise((resolve) => {
    // Not as a terminal: line editing is left to the terminal itself, and Ctrl+C stays a signal.
    const reader = createInterface({ input: stdin, output: stderr, terminal: false });
    const answer = (line: string): void => {
      reader.off('close', giveUp);
      signal.removeEventListener('abort', giveUp);
      resolve(line);
      reader.close();
    };
    // The input ended without an answer, or the question is moot: what follows has a line of its own.
    const giveUp = (): void => {
      stderr.write('\n');
      answer('');
    };
    reader.once('close', giveUp);
    signal.addEventListener('abort', giveUp, { once: true });
    reader.question(question, answer);
  });
}

async function serve(answer: HttpAnswer): Promise<LoopbackServer> {
  const server = createServer((request, response) => {
    const { status, body } = answer(request.url ?? '/');
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
