/** The program that Bun runs: one plugin, its scenario on stdin, one line of JSON for each step. */
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { RunSpec } from '../scenario.js';
import { contextOf } from './contexts.js';
import type { VellumStep } from './step.js';

type Task = Omit<RunSpec<VellumStep>, 'onAnswer'>;
type Callable = (...args: readonly unknown[]) => unknown;

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const task: Task = JSON.parse((await lines.next()).value ?? '');
const { plugin, workspace, scenario, origins } = task;
const write = process.stdout.write.bind(process.stdout);
// Plugins log to stdout.
for (const level of ['log', 'info', 'warn', 'debug'] as const) console[level] = (): void => {};
Reflect.set(globalThis, '__scenario', scenario);
mapHosts();

/** The default export of each file of a folder, by the file's name without its extension. */
async function importFolder(folder: string): Promise<Map<string, unknown>> {
  const directory = join(plugin, folder);
  const found = new Map<string, unknown>();
  if (!existsSync(directory)) return found;
  for (const name of readdirSync(directory).toSorted()) {
    const stem = /^(.+?)\.(?:js|ts)$/.exec(name)?.[1];
    if (stem === undefined || name.endsWith('.d.ts') || found.has(stem)) continue;
    const loaded: { readonly default?: unknown } = await import(join(directory, name));
    found.set(stem, loaded.default);
  }
  return found;
}

const hooks = await importFolder('hooks');
const tools = new Map(
  [...(await importFolder('tools'))].map(([stem, tool]) => {
    const named: unknown = Object(tool)['name'];
    const name = stem.replace(/[^a-zA-Z0-9]+/g, '_').replace(/^_+|_+$/g, '') || 'tool';
    return [typeof named === 'string' ? named : name, tool];
  }),
);
const storage = join(plugin, 'data');
mkdirSync(storage, { recursive: true });
let isLoaded = true;
const silent = { info() {}, warn() {}, error() {}, debug() {} };
if (hooks.has('init')) {
  await run(hooks.get('init'), {
    config: readConfig(),
    credentials: {},
    logger: silent,
    pluginStorageDir: storage,
    assistantVersion: '0.9.0',
    broadcast() {},
  }).catch((error: unknown) => {
    isLoaded = false;
    console.error(error);
  });
}

for (const step of scenario.steps) {
  const answer = await act(step);
  write(`${JSON.stringify({ step: true, answer })}\n`);
  await lines.next();
}
process.exit(0);

async function act(step: VellumStep): Promise<object> {
  if ('loaded' in step) return { loaded: isLoaded };
  return 'hook' in step ? runHook(step) : runTool(step);
}

async function runHook(step: Extract<VellumStep, { readonly hook: string }>): Promise<object> {
  // Functions are not data: they do not show in the answer.
  const context = {
    ...structuredClone(contextOf(step.hook, step.context)),
    logger: silent,
    broadcast() {},
  };
  try {
    const returned = await run(hooks.get(step.hook), context);
    const result = typeof returned === 'object' && returned !== null ? returned : {};
    const { logger: _logger, broadcast: _broadcast, ...rest } = { ...context, ...result };
    // The engine answers without fields that have no value; its hooks see null.
    return { context: present(rest) };
  } catch (error) {
    return { failed: messageOf(error) };
  }
}

function present(context: object): object {
  return Object.fromEntries(Object.entries(context).filter(([, value]) => value !== null));
}

async function runTool(step: Extract<VellumStep, { readonly tool: string }>): Promise<object> {
  const tool: unknown = tools.get(step.tool);
  const execute: unknown = Object(tool)['execute'];
  const context = {
    conversationId: 'c1',
    workingDir: workspace,
    signal: new AbortController().signal,
    ...step.context,
  };
  try {
    const { content, isError = false } = Object(
      await run(execute, structuredClone(step.input ?? {}), context),
    );
    const text = typeof content === 'string' ? content : JSON.stringify(content);
    return { content: [{ type: 'text', text }], isError };
  } catch (error) {
    const text = `Tool "${step.tool}" encountered an unexpected error: ${messageOf(error)}`;
    return { content: [{ type: 'text', text }], isError: true };
  }
}

async function run(code: unknown, ...args: readonly unknown[]): Promise<unknown> {
  if (typeof code !== 'function') throw new Error('there is no such tool or hook');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- any function may be called
  return (code as Callable)(...args);
}

/** The plugin's own `config.json` under the operator's. */
function readConfig(): object {
  const file = join(plugin, 'config.json');
  const own: object = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  return { ...own, ...scenario.config };
}

/** Sends requests for the scenario's hosts to their loopback servers. No other host is reached. */
function mapHosts(): void {
  const real = globalThis.fetch;
  const mapped = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const request = input instanceof Request ? input : undefined;
    const url = new URL(input instanceof Request ? input.url : input);
    const origin = origins[url.hostname];
    if (origin === undefined) throw new TypeError('fetch failed');
    const address = `${origin}${url.pathname}${url.search}`;
    return real(request === undefined ? address : new Request(address, request), init);
  };
  Reflect.set(globalThis, 'fetch', mapped);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
