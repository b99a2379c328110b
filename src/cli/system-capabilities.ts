import { spawn } from 'node:child_process';
import { realpathSync, unwatchFile, watchFile } from 'node:fs';
import {
  access,
  mkdtemp,
  open,
  readFile,
  readdir,
  realpath,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { createServer } from 'node:http';
import { availableParallelism, release, tmpdir, totalmem, userInfo } from 'node:os';
import { dirname, join, resolve as absolute } from 'node:path';
import { clearScreenDown, createInterface, cursorTo } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { makeDirectories } from '../make-directories.js';
import { createEngine } from '../agent/agent.js';
import { keepBundlers } from '../engine/node/walled-bundler.js';
import { readAudit } from '../audit/options.js';
import { readPublicKeys } from '../keys/key-file.js';
import { createLearningEngine } from '../engine/learning-engine.js';
import { openLockfile } from '../engine/lockfile.js';
import { guestScripts } from '../engine/node/process-defaults.js';
import { openApprovals } from '../engine/node/open-approvals.js';
import { readFinishedProgram } from '../engine/programs/read-finished.js';
import { openStops } from '../engine/node/open-stops.js';
import { openRules } from '../engine/node/rule-file.js';
import { readLimits } from '../engine/types/limits.js';
import { findProgram, inspectMachine } from '../guests/machine.js';
import { installCommand } from '../guests/walls/install.js';
import { findCommand, runBehindWalls } from '../guests/walls/run.js';
import { replaceFile } from '../replace-file.js';
import { openPackageStore, storeDirectoryOf } from '../npm/store.js';
import { findMisspeltKeys } from '../check/misspelt-keys.js';
import { packagedPlugins } from './packaged-plugins.js';
import { makePrompts } from './prompts.js';
import { findCodePlaces } from '../suggest/code-places.js';
import { suggestPermissions } from '../suggest/suggest.js';
import type {
  CliCapabilities,
  HttpAnswer,
  LinePrompt,
  LoopbackServer,
  PromptOptions,
  TextSink,
} from './capabilities.js';

const { stdin, stdout, stderr, env } = process;

/** Milliseconds between two looks at a watched file. */
const WATCH_MS = 1_000;

/** What a command may use, from this process and its system. `interrupted`: SIGINT or SIGTERM came. */
export function systemCapabilities(interrupted: AbortSignal, version: string): CliCapabilities {
  return {
    createEngine,
    keepBundlers,
    createLearningEngine,
    readAudit,
    readPublicKeys,
    suggestPermissions,
    findCodePlaces,
    findMisspeltKeys,
    packages: openPackageStore({
      directory: storeDirectoryOf({ environment: env }),
      environment: env,
      systems: packagedPlugins,
    }),
    openRules,
    openApprovals,
    readFinishedProgram,
    openStops,
    openLockfile,
    http: async (url, { method, token, body }) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      // A redirect would send the operator's token to another server.
      const init = { method, headers, redirect: 'error' as const };
      const response = await fetch(url, body === undefined ? init : { ...init, body });
      return { status: response.status, text: await response.text() };
    },
    stdin,
    stdout: makeSink(stdout),
    stderr: makeSink(stderr),
    readFile: (path) => readFile(path, 'utf8'),
    writeFile: async (path, text) => {
      await makeDirectories(dirname(path));
      const file = await open(path, 'w', 0o600);
      try {
        // An existing file may have a wider mode.
        // guard: recording-file-private
        if ((await file.stat()).isFile()) await file.chmod(0o600);
        await file.writeFile(text);
      } finally {
        await file.close();
      }
    },
    replaceText: async (path, text) => {
      const mode = await stat(path).then(
        (stats) => stats.mode,
        () => 0,
      );
      // guard: client-file-mode-kept
      await replaceFile(path, text, { mode: (mode & 0o044) === 0 ? 0o600 : 0o644 });
    },
    ownCommand: { command: process.execPath, args: [realpathSync(process.argv[1] ?? '')] },
    checkWritable: async (path) => {
      await makeDirectories(dirname(path));
      const isNew = await access(path).then(
        () => false,
        () => true,
      );
      await (await open(path, 'a', 0o600)).close();
      if (isNew) await rm(path);
    },
    makeEmptyDirectory: async (path) => {
      await makeDirectories(path);
      if ((await readdir(path)).length > 0) throw new Error('it is not empty');
    },
    makeScratch: async () => {
      const directory = await mkdtemp(join(tmpdir(), 'bulkhead-inspect-'));
      const remove = (): Promise<void> =>
        rm(directory, { recursive: true, force: true, maxRetries: 5 });
      return { directory, [Symbol.asyncDispose]: remove };
    },
    makeProject: async (directory, files) => {
      await makeDirectories(directory);
      if ((await readdir(directory)).length > 0) throw new Error('it is not empty');
      for (const [path, text] of Object.entries(files)) {
        await makeDirectories(join(directory, dirname(path)));
        await writeFile(join(directory, path), text, { flag: 'wx' });
      }
    },
    saveNewFile: async (path, content) => {
      // guard: saved-file-is-new
      const file = await open(path, 'wx', 0o600);
      try {
        for await (const chunk of content) await file.writeFile(chunk);
      } finally {
        await file.close();
      }
    },
    runNode: (args, { directory, environment }) =>
      new Promise((resolve, reject) => {
        const program = spawn(process.execPath, [...args], {
          cwd: directory,
          env: { ...environment },
          stdio: 'inherit',
        });
        const stop = (): void => void program.kill();
        interrupted.addEventListener('abort', stop, { once: true });
        program.once('error', reject);
        program.once('close', (status) => {
          interrupted.removeEventListener('abort', stop);
          resolve(status ?? 1);
        });
      }),
    importModule: (path) => import(pathToFileURL(absolute(path)).href),
    listDirectory: (path) => readdir(path),
    realPath: (path) => realpath(path).catch(() => path),
    version,
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
    operator: systemUser(),
    environment: env,
    now: () => performance.now(),
    wallClock: Date.now,
    ...(stdin.isTTY && stderr.isTTY
      ? { ask, openPrompt, prompts: makePrompts(stdin, stderr) }
      : {}),
    resumeInput: () => void stdin.resume(),
    interrupted,
    onHangup: (listener) => {
      process.on('SIGHUP', listener);
      return () => process.off('SIGHUP', listener);
    },
    watchFile: (path, listener) => {
      // By its time of change: the file may be absent, and is replaced as a whole.
      watchFile(path, { interval: WATCH_MS, persistent: false }, listener);
      return () => unwatchFile(path, listener);
    },
    fixtures: fileURLToPath(new URL('../../../fixtures', import.meta.url)),
    serve,
    walls: {
      plan: async () => (await inspectMachine(guestScripts.confined())).plan,
      install: async () =>
        installCommand(
          await inspectMachine(guestScripts.confined()),
          (program) => findProgram(program) !== undefined,
        ),
      find: findCommand,
      run: async (command, show) => {
        const script = guestScripts.confined();
        const program = { command, show, script, limits: readLimits({}), signal: interrupted };
        return runBehindWalls(await inspectMachine(script), program, { stdin, stdout, stderr });
      },
    },
  };
}

/** The name that the system has for the user of this process. Any caller can set the variable USER. */
function systemUser(): string {
  try {
    // guard: operator-is-system-user
    return userInfo().username;
  } catch {
    return `uid ${process.geteuid?.() ?? '?'}`;
  }
}

function makeSink(stream: NodeJS.WriteStream): TextSink {
  let closed = false;
  // A reader may close the stream early (`| head`); the remaining output is dropped.
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

/** Asks on standard error, so that standard output has only the result. */
function ask(question: string, signal: AbortSignal): Promise<string> {
  return new Promise((resolve) => {
    // terminal: false leaves line editing to the terminal, and Ctrl+C stays a signal.
    const reader = createInterface({ input: stdin, output: stderr, terminal: false });
    const answer = (line: string): void => {
      reader.off('close', giveUp);
      signal.removeEventListener('abort', giveUp);
      resolve(line);
      reader.close();
    };
    // The input ended or the question was cancelled; the next output starts on a new line.
    const giveUp = (): void => {
      stderr.write('\n');
      answer('');
    };
    reader.once('close', giveUp);
    signal.addEventListener('abort', giveUp, { once: true });
    reader.question(question, answer);
  });
}

/** A prompt on standard error with line editing, completion and history. */
function openPrompt({ prompt, history, complete, onInterrupt }: PromptOptions): LinePrompt {
  const reader = createInterface({
    input: stdin,
    output: stderr,
    terminal: true,
    prompt,
    history: [...history],
    completer: (line: string) => {
      const [candidates, part] = complete(line);
      return [[...candidates], part];
    },
  });
  const lines: string[] = [];
  let waiting: (() => void) | undefined;
  let closed = false;
  const wake = (): void => {
    waiting?.();
    waiting = undefined;
  };
  /** Who gets the next line in place of the reader of the prompt. */
  let asked: ((line: string) => void) | undefined;
  reader.on('line', (line) => {
    if (asked !== undefined) asked(line);
    else {
      lines.push(line);
      wake();
    }
  });
  reader.on('close', () => {
    closed = true;
    asked?.('');
    wake();
  });
  reader.on('SIGINT', onInterrupt);
  const clear = (): void => {
    cursorTo(stderr, 0);
    clearScreenDown(stderr);
  };
  return {
    above: async (write) => {
      clear();
      await write();
      if (!closed) reader.prompt(true);
    },
    ask: (question, signal) =>
      new Promise((resolve) => {
        const answer = (line: string): void => {
          asked = undefined;
          signal.removeEventListener('abort', giveUp);
          reader.setPrompt(prompt);
          resolve(line);
        };
        const giveUp = (): void => answer('');
        asked = answer;
        signal.addEventListener('abort', giveUp, { once: true });
        clear();
        // The prompt is one line; what stands above it is written once.
        const [last = '', ...above] = question.split('\n').toReversed();
        if (above.length > 0) stderr.write(`${above.toReversed().join('\n')}\n`);
        reader.setPrompt(last);
        reader.prompt();
      }),
    close: () => reader.close(),
    async *[Symbol.asyncIterator]() {
      reader.prompt();
      for (;;) {
        const line = lines.shift();
        if (line !== undefined) yield line;
        else if (closed) return;
        else await new Promise<void>((resolve) => (waiting = resolve));
      }
    },
  };
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
