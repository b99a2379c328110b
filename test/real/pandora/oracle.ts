import { execFile } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { BUN } from '../bun.js';
import type { RunSpec } from '../scenario.js';
import type { PandoraStep } from './step.js';

const PROGRAM = fileURLToPath(new URL('./oracle-bun.ts', import.meta.url));

/** Runs the steps under Bun: the plugin's entry is imported, and its tools are called. */
export async function runOracle(spec: RunSpec<PandoraStep>): Promise<void> {
  const { HOME = '', PATH = '' } = process.env;
  const { onAnswer, ...task } = spec;
  const bun = execFile(BUN, ['run', PROGRAM], { env: { HOME, PATH, TZ: 'UTC' }, timeout: 120_000 });
  let errors = '';
  bun.stderr?.on('data', (chunk: string) => {
    errors += chunk;
  });
  bun.stdin?.write(`${JSON.stringify(task)}\n`);
  let answers = 0;
  if (bun.stdout === null) throw new Error('unreachable');
  // The next step waits until this side has seen the step's requests.
  for await (const line of createInterface({ input: bun.stdout })) {
    onAnswer(JSON.parse(line));
    answers += 1;
    bun.stdin?.write('next\n');
  }
  if (answers < spec.scenario.steps.length) {
    throw new Error(`the oracle ended: ${errors.slice(-2_000)}`);
  }
}
