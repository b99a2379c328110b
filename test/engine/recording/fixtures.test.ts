import { readdirSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CallRecording, Engine, Json } from '../../../src/index.js';
import { ROOT } from '../../architecture/sources.js';
import { startEngine } from '../plugin-on-disk.js';

const FIXTURES = join(ROOT, 'fixtures/plugins');

/** Every plugin that is there as an example, of whatever format. */
const directories = readdirSync(FIXTURES).flatMap((format) =>
  readdirSync(join(FIXTURES, format)).map((name) => `${format}/${name}`),
);

/** Inputs with which tools do more than refuse; every other gets none. */
const inputs: Readonly<Record<string, Json>> = {
  '@pandorakit/weather:weather': { city: 'Oslo' },
  'notes:read': { file: 'passport.md' },
  'everyday:patience': { ms: 20 },
  'everyday:a-large-result': { rows: 200 },
  '@acme/kitchen-sink:search': { query: 'soup' },
};

interface Recorded {
  readonly directory: string;
  readonly tool: string;
  readonly record: CallRecording | undefined;
}

let server: Server;
let replaying: Engine;
const all: Recorded[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    response.setHeader('x-served', 'yes');
    if (request.url === '/echo') request.pipe(response);
    else if (request.url === '/large') response.end(Buffer.alloc(3_000_000, 'a'));
    else response.end(JSON.stringify({ ok: true, main: { temp: Math.random() * 30 } }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const hosts = ['api.example.com', 'api.openweathermap.org', 'search.acme.example'];
  const plugins = directories.map((directory) => join(FIXTURES, directory));
  await using engine = await startEngine(plugins, {
    env: {
      EVERYDAY_KEY: 'a key',
      OPENWEATHER_API_KEY: 'demo',
      ACME_API_KEY: 'a',
      ACME_REGION: 'r',
    },
    config: () => ({ backend: 'fast' }),
    network: { overrides: hosts.map((host) => ({ host, url })) },
    approve: () => 'once',
    limits: { maxCrashes: 1_000 },
  });
  for (const { id, plugin } of engine.catalog.list()) {
    const { directory = '' } = engine.plugins().find((status) => status.id === plugin) ?? {};
    const { recording: record } = await engine.call(id, inputs[id] ?? {}, { record: true });
    all.push({ directory, tool: id, record });
  }
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  replaying = await startEngine([]);
}, 300_000);

afterAll(() => replaying.close());

describe.each(directories)('%s', (directory) => {
  it('replays its recorded calls bit for bit, without a network and without a plugin', async () => {
    const recorded = all.filter((one) => one.directory === join(FIXTURES, directory));
    for (const { tool, record } of recorded) {
      expect({ tool, complete: record?.complete }).toEqual({ tool, complete: true });
      expect({ tool, ...(await replaying.replay(record)) }).toEqual({
        tool,
        same: true,
        frames: record?.frames.length,
      });
    }
  }, 180_000);
});

describe('the recorded fixtures', () => {
  it('include a call of every tool that the examples offer', () => {
    expect(all.length).toBeGreaterThan(20);
    expect(all.filter(({ record }) => record === undefined)).toEqual([]);
    expect(all.filter(({ record }) => record?.outcome === 'ok').length).toBeGreaterThan(18);
  });
});
