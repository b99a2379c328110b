import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeCache, makeScratch } from '../run-directory.js';
import { afterEachFile } from '../tidying.js';
import { createEngine, type Engine, type EngineOptions } from '../../src/index.js';

export interface PluginSpec {
  readonly id?: string;
  /** The manifest's `permissions`, as written there. */
  readonly permissions?: object;
  /** Further keys of the manifest's tools entry. */
  readonly entry?: object;
  /** Further keys of the manifest. */
  readonly manifest?: object;
  /** The source of `index.ts`; or the tools of it, by id, as sources of their `execute`. */
  readonly source?: string;
  readonly tools?: Readonly<Record<string, string>>;
  /** Further files, by path. */
  readonly files?: Readonly<Record<string, string>>;
}

const root = makeScratch('test');
const engines: Engine[] = [];
let count = 0;

process.once('exit', () => rmSync(root, { recursive: true, force: true }));

afterEachFile(async () => {
  await Promise.all(engines.splice(0).map((engine) => engine.close()));
  rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  mkdirSync(root);
});

/** A directory of this test file's own. */
export function makeDirectory(): string {
  count += 1;
  const directory = join(root, `d${count}`);
  mkdirSync(directory);
  return directory;
}

/** Writes a Pandora plugin to disk; returns its directory. */
export function makePlugin(spec: PluginSpec, directory: string = makeDirectory()): string {
  const { id = 'sample', permissions, entry = {}, manifest = {}, files = {} } = spec;
  const all: Record<string, string> = {
    'pandora.manifest.json': JSON.stringify({
      manifestVersion: 1,
      id,
      name: id,
      pandora: '>=1.0.0',
      provides: {
        tools: {
          entry: 'index.ts',
          ...(permissions === undefined ? {} : { permissions }),
          ...entry,
        },
      },
      ...manifest,
    }),
    'index.ts': spec.source ?? toolsSource(spec.tools ?? {}),
    ...files,
  };
  for (const [path, text] of Object.entries(all)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text);
  }
  return directory;
}

function toolsSource(tools: Readonly<Record<string, string>>): string {
  const list = Object.entries(tools).map(
    ([id, execute]) =>
      `{ id: ${JSON.stringify(id)}, name: 'n', description: 'd', annotations: { readOnlyHint: true }, execute: ${execute} }`,
  );
  return `export const tools = [${list.join(',\n')}]`;
}

export const silentLogger = {
  debug: (): void => {},
  info: (): void => {},
  warn: (): void => {},
  error: (): void => {},
};

/** An engine of these plugins, granting what they declare, closed when the test file ends. */
export async function startEngine(
  directories: readonly string[],
  options: Partial<EngineOptions> = {},
): Promise<Engine> {
  const engine = await createEngine({
    plugins: directories,
    grant: 'declared',
    cacheDirectory: makeCache(join(root, 'cache')),
    // Pins of servers are in the storage, and tests give their servers the same ids.
    storageDirectory: options.remotes === undefined ? join(root, 'storage') : makeDirectory(),
    logger: silentLogger,
    env: {},
    ...options,
    limits: { pool: 0, ...options.limits },
  });
  engines.push(engine);
  return engine;
}

/** Runs one tool, written as the source of its `execute`, in an engine of its own. */
export async function runTool(
  execute: string,
  spec: Omit<PluginSpec, 'tools' | 'source'> & { readonly input?: unknown } = {},
  options: Partial<EngineOptions> = {},
): ReturnType<Engine['call']> {
  const engine = await startEngine([makePlugin({ ...spec, tools: { run: execute } })], options);
  const result = await engine.call('run', spec.input ?? {});
  await engine.close();
  return result;
}
