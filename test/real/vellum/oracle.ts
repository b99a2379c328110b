import { spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Json } from '../../../sandbox/wire/messages.js';
import { isRecord } from '../../../sandbox/wire/json.js';
import { BUN } from '../bun.js';
import { checkOut } from '../checkout.js';
import type { RunSpec } from '../scenario.js';
import type { Source } from '../sources.js';
import type { VellumStep } from './step.js';

const PROGRAM = fileURLToPath(new URL('./oracle-bun.ts', import.meta.url));
const STUBS = fileURLToPath(new URL('./oracle-plugin-api.ts', import.meta.url));

/** Vellum itself. What its plugin API exports without needing a running Vellum is used as it is. */
const VELLUM: Source = {
  id: 'vellum-assistant',
  system: 'vellum',
  repository: 'vellum-ai/vellum-assistant',
  commit: '0d28f8de0964f5a1f8df00588e163e2ddbdb02db',
  path: 'assistant/src',
  bundled: true,
};
const OWN: Readonly<Record<string, string>> = {
  'plugin-api/constants.ts': 'INTERNAL_NUDGE_OUTPUT_SUPPRESSION',
  'providers/stop-reasons.ts': 'isMaxTokensStopReason',
  'context/refusal-quarantine.ts':
    'isToolResultMessage, quarantineRefusedExchanges, REFUSAL_FALLBACK_TEXT',
  'util/provider-error-patterns.ts': 'isVisionNotSupportedError',
};

async function vellumSource(): Promise<string | undefined> {
  const checkout = await checkOut(VELLUM);
  return 'directory' in checkout ? checkout.directory : undefined;
}

/** Runs the steps under Bun, as Vellum does: the plugin's files are imported and called. */
export async function runOracle(spec: RunSpec<VellumStep>): Promise<void> {
  const { workspace, scenario, onAnswer } = spec;
  const api = join(workspace, 'node_modules', '@vellumai', 'plugin-api');
  await mkdir(api, { recursive: true });
  await writeFile(
    join(api, 'package.json'),
    JSON.stringify({ name: '@vellumai/plugin-api', version: '0.9.0', main: 'index.ts' }),
  );
  const exports = [`export * from ${JSON.stringify(STUBS)};`];
  const own = await vellumSource();
  for (const [file, names] of Object.entries(own === undefined ? {} : OWN)) {
    exports.push(`export { ${names} } from ${JSON.stringify(join(own ?? '', file))};`);
  }
  await writeFile(join(api, 'index.ts'), exports.join('\n'));

  const { HOME = '', PATH = '' } = process.env;
  const bun = spawn(BUN, ['run', PROGRAM], {
    cwd: workspace,
    env: { HOME, PATH, TZ: 'UTC', ...scenario.env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const { onAnswer: _, ...task } = spec;
  bun.stdin.write(`${JSON.stringify(task)}\n`);
  let errors = '';
  bun.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  const ended = new Promise<number | null>((done) => bun.once('close', done));
  let answers = 0;
  // One line for each step. The next step waits until this side has seen the step's requests.
  for await (const line of createInterface({ input: bun.stdout })) {
    const message: unknown = line.startsWith('{"step"') ? JSON.parse(line) : undefined;
    if (!isRecord(message)) continue;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it was read from JSON
    onAnswer(message['answer'] as Json);
    answers += 1;
    bun.stdin.write('next\n');
  }
  const code = await ended;
  if (answers < scenario.steps.length) {
    throw new Error(`the oracle ended with ${code}: ${errors.slice(-2_000)}`);
  }
}
