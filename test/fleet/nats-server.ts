import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEachFile } from '../tidying.js';

/** Whether Debian's `nats-server` is installed. `.ci/run` installs it. */
export const hasNats: boolean = spawnSync('nats-server', ['--version']).status === 0;

if (!hasNats) {
  process.stderr.write(
    '\nSKIPPED: the tests of fleets, because nats-server is not installed. Run: apt-get install nats-server\n\n',
  );
}

/** A NATS server on a loopback port of its own. */
export interface NatsServer {
  readonly url: string;
  readonly process: ChildProcess;
  /** Kills the server, and waits for its end. */
  kill(): Promise<void>;
  /** Starts it again on the same port, with the same data. */
  restart(): Promise<void>;
}

const running = new Set<ChildProcess>();
const directories: string[] = [];

process.once('exit', () => {
  for (const one of running) one.kill('SIGKILL');
});

afterEachFile(async () => {
  await Promise.all([...running].map(end));
  // The server no longer writes into its directory.
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true });
});

/**
 * `configuration`: the text of a configuration of nats-server, added to ours. `environment`: its variables, added to
 * those of this process. `jetstream`: further lines of its block.
 */
export async function startNats(
  configuration = '',
  environment: Readonly<Record<string, string>> = {},
  jetstream = '',
): Promise<NatsServer> {
  const directory = mkdtempSync(join(tmpdir(), 'bulkhead-nats-'));
  directories.push(directory);
  const store = join(directory, 'jetstream');
  mkdirSync(store);
  const file = join(directory, 'nats.conf');
  const start = async (port: string): Promise<{ process: ChildProcess; port: string }> => {
    writeFileSync(
      file,
      `listen: "127.0.0.1:${port}"\njetstream { store_dir: ${JSON.stringify(store)}\n${jetstream} }\n${configuration}`,
    );
    const server = spawn('nats-server', ['-c', file], {
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    running.add(server);
    return { process: server, port: await readPort(server) };
  };
  let { process: server, port } = await start('-1');
  return {
    url: `nats://127.0.0.1:${port}`,
    get process() {
      return server;
    },
    kill: () => end(server),
    restart: async () => {
      ({ process: server } = await start(port));
    },
  };
}

/** Reads the log as long as the server runs: a server ends if its log is not read. */
function readPort(server: ChildProcess): Promise<string> {
  let log = '';
  return new Promise((resolve, reject) => {
    server.once('exit', () => reject(new Error(`nats-server ended: ${log}`)));
    server.stderr?.on('data', (chunk: Buffer) => {
      if (log.length < MAX_LOG) log += String(chunk);
      const port = /client connections on 127\.0\.0\.1:(\d+)/.exec(log)?.[1];
      if (port !== undefined && log.includes('Server is ready')) resolve(port);
    });
  });
}

/** Characters of the log that are looked at. */
const MAX_LOG = 64 * 1024;

async function end(server: ChildProcess): Promise<void> {
  running.delete(server);
  if (server.exitCode !== null || server.signalCode !== null) return;
  const exit = once(server, 'exit');
  server.kill('SIGKILL');
  await exit;
}
