import { join } from 'node:path';
import type { Json } from '../../../sandbox/wire/messages.js';
import { createEngine } from '../../../src/index.js';
import type { RunSpec } from '../scenario.js';
import type { VellumStep } from './step.js';

/** Runs the steps in Bulkhead, with the scenario's grant. */
export async function runOurs({
  plugin,
  workspace,
  scenario,
  origins,
  onAnswer,
}: RunSpec<VellumStep>): Promise<void> {
  const { grant, env = {}, config = {}, credentials = {}, steps } = scenario;
  await using engine = await createEngine({
    plugins: [plugin],
    grant: () => grant,
    env,
    config: () => config,
    credentials: (_plugin, key) =>
      Object.entries(credentials).find(([name]) => name.endsWith(`/${key}`))?.[1],
    tolerance: 'full',
    network: { overrides: Object.entries(origins).map(([host, url]) => ({ host, url })) },
    storageDirectory: join(workspace, '..', 'storage'),
    logger: { debug: quiet, info: quiet, warn: quiet, error: quiet },
  });
  for (const step of steps) {
    if ('hook' in step) {
      const { context, reports } = await engine.hooks.run(step.hook, step.context ?? {});
      const failed = reports.flatMap(({ error }) => (error === undefined ? [] : [error.message]));
      onAnswer(failed.length > 0 ? { failed: failed.join() } : { context: copy(context) });
      continue;
    }
    const result = await engine.call(step.tool, step.input ?? {}, {
      context: { conversationId: 'c1', ...step.context },
    });
    const { content, isError } = result;
    onAnswer(copy({ content, isError }));
  }
}

function quiet(): void {}

function copy(value: object): Json {
  return JSON.parse(JSON.stringify(value));
}
