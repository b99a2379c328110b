import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createEngine, type Engine, type EngineOptions } from 'bulkhead';
import { afterAll } from 'vitest';

/** A one-pixel PNG. */
export const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const SCHEMA = `{ type: 'object', properties: { to: { type: 'string', pattern: '^[a-z ]*$' },
  more: { type: 'object', properties: { deep: { type: 'array', items: { type: 'number' } } } } } }`;

function tool(risk: string, execute: string): string {
  return `export default { description: 'Does it', defaultRiskLevel: '${risk}',
    input_schema: ${SCHEMA}, execute: ${execute} };`;
}

const FILES: Readonly<Record<string, string>> = {
  'package.json': JSON.stringify({
    name: 'desk',
    version: '1.0.0',
    peerDependencies: { '@vellumai/plugin-api': '^0.8.0' },
  }),
  'tools/say.ts': tool('low', `async ({ to }) => ({ content: 'hello ' + to, isError: false })`),
  'tools/build.ts': tool(
    'low',
    `async (input, { onOutput }) => {
      onOutput('one '); await new Promise((done) => setTimeout(done, 30)); onOutput('two ');
      await new Promise((done) => setTimeout(done, 30));
      return { content: 'built', isError: false };
    }`,
  ),
  'tools/fail.ts': tool(
    'low',
    `async () => ({ content: 'the printer is on fire', isError: true })`,
  ),
  'tools/hang.ts': tool('low', `() => new Promise(() => {})`),
  'tools/draw.ts': tool(
    'low',
    `async () => ({ content: 'a pixel', isError: false, contentBlocks: [
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: '${PIXEL}' } }] })`,
  ),
  'tools/send.ts': tool('high', `async ({ to }) => ({ content: 'sent to ' + to, isError: false })`),
};

const root = mkdtempSync(join(tmpdir(), 'bulkhead-frameworks-'));
const engines = new Set<Engine>();
let count = 0;

afterAll(async () => {
  await Promise.all([...engines].map((engine) => engine.close()));
  rmSync(root, { recursive: true, force: true, maxRetries: 5 });
});

export interface Host {
  engine: Engine;
  /** The tools that ran, in this and in earlier engines. */
  readonly runs: readonly string[];
  /** Ends the engine, as a restart of the host does, and starts another over the same storage. */
  restart(): Promise<void>;
}

/** An engine of one plugin, whose tool `send` needs approval. */
export async function startHost(options: Partial<EngineOptions> = {}): Promise<Host> {
  count += 1;
  const storageDirectory = join(root, `storage-${count}`);
  const runs: string[] = [];
  const start = async (): Promise<Engine> => {
    const engine = await createEngine({
      plugins: [writePlugin()],
      grant: 'declared',
      storageDirectory,
      cacheDirectory: join(root, 'cache'),
      logger: silent,
      env: {},
      ...options,
      limits: { pool: 0, ...options.limits },
    });
    engine.on((event) => {
      if (event.type === 'call-started') runs.push(event.tool);
    });
    engines.add(engine);
    return engine;
  };
  const host: Host = {
    engine: await start(),
    runs,
    restart: async () => {
      engines.delete(host.engine);
      await host.engine.close();
      host.engine = await start();
    },
  };
  return host;
}

const silent = {
  debug: (): void => {},
  info: (): void => {},
  warn: (): void => {},
  error: (): void => {},
};

function writePlugin(): string {
  const directory = join(root, 'desk');
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text);
  }
  return directory;
}
