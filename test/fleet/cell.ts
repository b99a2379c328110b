import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import {
  createGateway,
  type Gateway,
  type GatewayOptions,
  type Runner,
  type RunnerOptions,
  startRunner,
} from '../../src/entry-points/fleet.js';
import { openLockfile } from '../../src/entry-points/lock.js';
import { makeSigningKey } from '../../src/keys/signing-key.js';
import {
  makeDirectory,
  makePlugin,
  type PluginSpec,
  silentLogger,
} from '../engine/plugin-on-disk.js';
import { makeCache } from '../run-directory.js';
import { afterEachFile } from '../tidying.js';

/** A directory as an operator has it on the machine of a gateway. */
export interface Cell {
  readonly url: string;
  readonly root: string;
  readonly lockFile: string;
  readonly signKey: string;
  readonly publicKey: string;
  gateway(name?: string, options?: Partial<GatewayOptions>, fleet?: object): Promise<Gateway>;
  /** A runner on a machine that has the lock file alone. */
  runner(name?: string, options?: Partial<RunnerOptions>, fleet?: object): Promise<Runner>;
}

const open: (() => Promise<void>)[] = [];

afterEachFile(async () => {
  await Promise.all(open.splice(0).map((close) => close()));
});

/** Accepts the plugins in a lock file, with all that they declare. */
export async function makeCell(url: string, plugins: readonly PluginSpec[]): Promise<Cell> {
  const root = makeDirectory();
  const lockFile = join(root, 'bulkhead.lock.json');
  const common = {
    plugins: [],
    cacheDirectory: makeCache(join(root, 'cache')),
    logger: silentLogger,
    env: {},
    limits: { pool: 0 },
  };
  const book = openLockfile(lockFile, common);
  for (const spec of plugins) {
    const directory = join(root, 'plugins', spec.id ?? 'sample');
    mkdirSync(directory, { recursive: true });
    makePlugin(spec, directory);
    const inspected = await book.inspect(directory);
    book.accept(inspected, { granted: inspected.declared, by: 'ada' });
  }
  const { privatePem, publicKey } = makeSigningKey();
  const signKey = join(root, 'gateway.pem');
  const publicFile = join(root, 'gateway.pub');
  writeFileSync(signKey, privatePem, { mode: 0o600 });
  writeFileSync(publicFile, publicKey.pem);
  return {
    url,
    root,
    lockFile,
    signKey,
    publicKey: publicFile,
    gateway: async (name = 'gate-1', options = {}, fleet = {}) => {
      const gateway = await createGateway({
        ...common,
        lockFile,
        storageDirectory: join(root, `storage-${name}`),
        ...options,
        fleet: { servers: [url], name, signKey, ...fleet },
      });
      open.push(() => gateway.close());
      return gateway;
    },
    runner: async (name = 'runner-1', options = {}, fleet = {}) => {
      const machine = makeDirectory();
      const copied = join(machine, 'bulkhead.lock.json');
      cpSync(lockFile, copied);
      const runner = await startRunner({
        ...common,
        lockFile: copied,
        storageDirectory: join(machine, 'storage'),
        ...options,
        fleet: {
          servers: [url],
          name,
          gatewayKeys: [publicFile],
          stateDirectory: join(machine, 'state'),
          ...fleet,
        },
      });
      open.push(() => runner.close());
      return runner;
    },
  };
}

/** Waits until the gateway knows these runners, as ready for its calls. */
export async function heardOf(gateway: Gateway, ...names: readonly string[]): Promise<void> {
  await vi.waitFor(
    () => {
      const ready = gateway.runners().filter(({ state }) => state === 'ready');
      expect(ready.map(({ name }) => name)).toEqual(expect.arrayContaining([...names]));
    },
    { timeout: 20_000 },
  );
}
