import { join } from 'node:path';
import { createEngine } from '../../../src/index.js';
import type { RunSpec } from '../scenario.js';
import type { PandoraStep } from './step.js';

/** Runs the steps in Bulkhead, with what the plugin's manifest declares. */
export async function runOurs({
  plugin,
  workspace,
  scenario,
  origins,
  packages,
  onAnswer,
}: RunSpec<PandoraStep>): Promise<void> {
  const { env = {}, grant, steps } = scenario;
  await using engine = await createEngine({
    plugins: [plugin],
    ...(packages === undefined ? {} : { packages }),
    grant: ({ entries }) => ({ ...entries[0]?.declared, ...grant }),
    env,
    tolerance: 'full',
    network: { overrides: Object.entries(origins).map(([host, url]) => ({ host, url })) },
    storageDirectory: join(workspace, '..', 'storage'),
    logger: { debug: quiet, info: quiet, warn: quiet, error: quiet },
  });
  for (const { tool, input } of steps) {
    const { isError, value, content } = await engine.call(tool, input);
    const [block] = content;
    const text = block?.type === 'text' ? block.text : '';
    onAnswer(isError ? { error: text } : { value: JSON.parse(JSON.stringify(value)) });
  }
}

function quiet(): void {}
