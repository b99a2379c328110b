import { join } from 'node:path';
import type { Json } from '../../../sandbox/wire/messages.js';
import { createEngine } from '../../../src/index.js';
import type { RunSpec } from '../scenario.js';
import { contextOf } from './contexts.js';
import { replyOf } from './provider.js';
import type { VellumScenario, VellumStep } from './step.js';

/** Runs the steps in Bulkhead, with the scenario's grant. */
export async function runOurs({
  plugin,
  workspace,
  scenario,
  origins,
  packages,
  onAnswer,
}: RunSpec<VellumStep> & { readonly scenario: VellumScenario }): Promise<void> {
  const {
    grant,
    steps,
    env = {},
    config = {},
    credentials = {},
    profiles = [],
    generated,
    semantics,
  } = scenario;
  await using engine = await createEngine({
    plugins: [plugin],
    ...(packages === undefined ? {} : { packages }),
    grant: () => grant,
    env,
    config: () => config,
    credentials: (_plugin, key) =>
      Object.entries(credentials).find(([name]) => name.endsWith(`/${key}`))?.[1],
    tolerance: 'full',
    ...(semantics === undefined ? {} : { hooks: { semantics } }),
    network: { overrides: Object.entries(origins).map(([host, url]) => ({ host, url })) },
    storageDirectory: join(workspace, '..', 'storage'),
    powers: [
      { name: 'getAssistantName', risk: 'low', handler: async () => 'Assistant' },
      { name: 'getModelProfiles', risk: 'low', handler: async () => profiles },
      { name: 'doesSupportVision', risk: 'low', handler: async () => true },
      {
        name: 'getConfiguredProvider',
        risk: 'low',
        handler: async () => (generated === undefined ? null : { name: 'stub' }),
      },
      {
        name: 'getConfiguredProvider.sendMessage',
        risk: 'low',
        handler: async () => replyOf(generated ?? ''),
      },
    ],
    logger: { debug: quiet, info: quiet, warn: quiet, error: quiet },
  });
  for (const step of steps) {
    if ('loaded' in step) {
      const [found] = engine.plugins();
      const problems = found?.problems.map(({ message }) => message).join(' ') ?? 'not found';
      onAnswer({ loaded: found?.state === 'active' ? true : problems });
      continue;
    }
    if ('hook' in step) {
      const { context, reports } = await engine.hooks.run(
        step.hook,
        contextOf(step.hook, step.context),
      );
      const failed = reports.flatMap(({ error }) =>
        error === undefined ? [] : [error.message.replace(/^The hook \S+ of \S+ failed: /, '')],
      );
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
