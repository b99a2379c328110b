/** The program that Bun runs: one plugin, its scenario on stdin, one line of JSON for each step. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { RunSpec } from '../scenario.js';
import type { PandoraStep } from './step.js';

type Task = Omit<RunSpec<PandoraStep>, 'onAnswer'>;
interface Tool {
  readonly id: string;
  readonly execute: (input: object, context: object) => Promise<unknown>;
}

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const task: Task = JSON.parse((await lines.next()).value ?? '');
const { plugin, scenario, origins } = task;

const real = globalThis.fetch;
Reflect.set(globalThis, 'fetch', async (input: string | URL, init?: RequestInit) => {
  const url = new URL(input);
  const origin = origins[url.hostname];
  if (origin === undefined) throw new TypeError('fetch failed');
  return real(`${origin}${url.pathname}${url.search}`, init);
});

const manifest = JSON.parse(readFileSync(join(plugin, 'pandora.manifest.json'), 'utf8'));
const { tools = [] }: { readonly tools?: readonly Tool[] } = await import(
  join(plugin, manifest.provides.tools.entry)
);
const quiet = (): void => {};
const context = { env: { ...scenario.env }, logger: { log: quiet, warn: quiet, error: quiet } };

for (const step of scenario.steps) {
  console.log(JSON.stringify(await act(step)));
  await lines.next();
}
process.exit(0);

async function act({ tool: id, input }: PandoraStep): Promise<object> {
  const tool = tools.find((one) => one.id === id);
  if (tool === undefined) return { error: 'there is no such tool' };
  return tool.execute(input, context).then(
    (value) => ({ value }),
    (error: unknown) => ({ error: error instanceof Error ? error.message : String(error) }),
  );
}
