import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEachFile } from '../tidying.js';
import { ROOT } from '../architecture/sources.js';

export const MAIN: string = join(ROOT, 'dist/lib/cli/main.cjs');

export interface PluginSpec {
  readonly id?: string;
  /** The body of `execute(input, { env, logger, signal })`. */
  readonly execute?: string;
  /** What is in the entry besides the tool. */
  readonly top?: string;
  /** What the manifest's tools entry holds besides `entry`. */
  readonly entry?: object;
  readonly files?: Readonly<Record<string, string>>;
}

const directories: string[] = [];
afterEachFile(() => {
  for (const directory of directories.splice(0))
    rmSync(directory, { recursive: true, force: true });
});

/** Writes a plugin with one tool, `run`, and gives its directory. */
export function writePlugin(spec: PluginSpec = {}): string {
  const directory = mkdtempSync(join(tmpdir(), 'bulkhead-cli-'));
  directories.push(directory);
  const manifest = {
    manifestVersion: 1,
    id: spec.id ?? 'sample',
    name: 'Sample',
    pandora: '>=0.1.0',
    provides: { tools: { entry: './index.ts', ...spec.entry } },
  };
  const files = {
    'pandora.manifest.json': JSON.stringify(manifest),
    'index.ts': `${spec.top ?? ''}
export const tools = [{
  id: 'run', name: 'Run', description: 'Runs', annotations: { readOnlyHint: true },
  async execute(input, { env, logger, signal }) { ${spec.execute ?? 'return input;'} },
}];`,
    ...spec.files,
  };
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), content);
  }
  return directory;
}

export function start(
  args: readonly string[],
  cwd: string = tmpdir(),
  environment: Readonly<Record<string, string>> = {},
): ChildProcessWithoutNullStreams {
  const env = { ...process.env, ...environment };
  return spawn(process.execPath, [MAIN, ...args], { cwd, stdio: 'pipe', env });
}

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export async function run(args: readonly string[], stdin = '', cwd?: string): Promise<Ended> {
  const child = start(args, cwd);
  child.stdin.end(stdin);
  return ended(child);
}

export async function ended(child: ChildProcessWithoutNullStreams): Promise<Ended> {
  const code = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await code, stdout, stderr };
}

/** The one line that was printed, parsed. */
export function lineOf({ stdout }: Ended): unknown {
  const lines = stdout.split('\n');
  if (lines.length !== 2 || lines[1] !== '') throw new Error(`not one line: ${stdout}`);
  return JSON.parse(lines[0] ?? '');
}
