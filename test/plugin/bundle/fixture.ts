import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { afterEachFile } from '../../tidying.js';
import { buildBundle } from '../../../src/plugin/bundle/build.js';
import type { BundleSpec } from '../../../src/plugin/bundle/spec.js';
import type { Bundle } from '../../../src/plugin/plugin.js';

/** A temporary directory with those files; removed when the test ends. */
export function makePlugin(files: Readonly<Record<string, string>>): string {
  const directory = mkdtempSync(join(tmpdir(), 'bulkhead-plugin-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), content);
  }
  return directory;
}

/** Bundles those files in this process. The entry is `index.ts` or else the first file. */
export async function bundleFiles(
  files: Readonly<Record<string, string>>,
  spec: Partial<BundleSpec> = {},
): Promise<Bundle> {
  const file = 'index.ts' in files ? 'index.ts' : (Object.keys(files)[0] ?? '');
  const { bundle } = await buildBundle({ directory: makePlugin(files), entry: { file }, ...spec });
  return bundle;
}

export interface SesJob {
  /** The export to call. */
  readonly call?: string;
  readonly args?: readonly unknown[];
  readonly files?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly time?: boolean;
  readonly fetch?: boolean;
  readonly random?: boolean;
  /** Source text of each module that the guest provides. */
  readonly modules?: Readonly<Record<string, string>>;
  readonly writable?: readonly string[];
}

export interface SesAnswer {
  readonly ok: boolean;
  readonly exports?: readonly string[];
  readonly value?: unknown;
  readonly name?: string;
  readonly message?: string;
  readonly code?: string;
  readonly stack?: string;
  readonly logs: readonly string[];
}

/** Evaluates a bundle under SES, in a new compartment. */
export async function runUnderSes(
  bundle: Pick<Bundle, 'code'>,
  job: SesJob = {},
): Promise<SesAnswer> {
  const child = (realm ??= startRealm());
  const answer = await new Promise<string | undefined>((resolve) => {
    const giveUp = (): void => resolve(undefined);
    const timer = setTimeout(giveUp, ANSWER_MS);
    child.lines.once('line', (line: string) => {
      clearTimeout(timer);
      resolve(line);
    });
    child.process.stdin.write(`${JSON.stringify({ code: bundle.code, ...job })}\n`);
  });
  if (answer !== undefined) return JSON.parse(answer);
  child.process.kill('SIGKILL');
  realm = undefined;
  throw new Error('no answer from SES');
}

const ANSWER_MS = 10_000;

interface Realm {
  readonly process: ChildProcessByStdio<Writable, Readable, null>;
  readonly lines: Interface;
}

/** One locked-down process for each test file. Starting one takes 0.5 s. */
let realm: Realm | undefined;

function startRealm(): Realm {
  const script = fileURLToPath(new URL('./ses-run.mjs', import.meta.url));
  const child = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'inherit'] });
  return { process: child, lines: createInterface({ input: child.stdout }) };
}

afterEachFile(() => {
  realm?.process.kill('SIGKILL');
  realm = undefined;
});

/** Bundles and evaluates files, and returns the result of the export `run` or throws its error. */
export async function runFiles(
  files: Readonly<Record<string, string>>,
  job: SesJob & { readonly spec?: Partial<BundleSpec> } = {},
): Promise<unknown> {
  const { spec, ...rest } = job;
  const bundle = await bundleFiles(files, spec);
  const answer = await runUnderSes(bundle, {
    call: 'run',
    writable: bundle.assignedGlobals,
    ...rest,
  });
  if (!answer.ok) throw new Error(`${answer.name}: ${answer.message}\n${answer.stack}`);
  return answer.value;
}
