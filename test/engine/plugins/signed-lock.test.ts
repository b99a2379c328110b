import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packPlugin } from '../../../src/engine/pack.js';
import { type Lockfile, openLockfile } from '../../../src/entry-points/lock.js';
import type { EngineOptions } from '../../../src/index.js';
import { readPublicKeys } from '../../../src/keys/key-file.js';
import { createKey } from '../../../src/keys/new-keys.js';
import type { PublicKey } from '../../../src/keys/signing-key.js';
import { makeDirectory, makePlugin, silentLogger, startEngine } from '../plugin-on-disk.js';
import { makeCache } from '../../run-directory.js';

const ONE = { id: 'one', tools: { say: "() => 'first'" } };

interface World {
  readonly root: string;
  readonly directory: string;
  readonly lockFile: string;
  readonly book: Lockfile;
  readonly publicKeys: readonly PublicKey[];
  pack(spec: Parameters<typeof makePlugin>[0], signed?: boolean): Promise<void>;
}

function setUp(): World {
  const root = makeDirectory();
  const directory = makePlugin(ONE);
  const signKey = join(root, 'sign.pem');
  createKey('sign', signKey);
  const lockFile = join(root, 'bulkhead.lock.json');
  const options: EngineOptions = {
    plugins: [],
    cacheDirectory: makeCache(join(root, 'cache')),
    logger: silentLogger,
    env: {},
    limits: { pool: 0 },
  };
  return {
    root,
    directory,
    lockFile,
    book: openLockfile(lockFile, options),
    publicKeys: readPublicKeys(join(root, 'sign.pub')),
    pack: async (spec, signed = true) => {
      makePlugin(spec, directory);
      await packPlugin(directory, signed ? { signKey } : {}, options);
    },
  };
}

async function add({ book, directory, publicKeys }: World): Promise<void> {
  const inspected = await book.inspect(directory);
  const signer = book.verifySignature(inspected, publicKeys);
  book.accept(inspected, {
    granted: inspected.declared,
    by: 'ada',
    ...(signer === undefined ? {} : { signer }),
  });
}

describe('a signed plugin of a lock file', () => {
  it('runs from its pack, and from a copy of the pack on another machine', async () => {
    const world = setUp();
    await world.pack(ONE);
    await add(world);
    makePlugin({ ...ONE, tools: { say: "() => 'hostile'" } }, world.directory);
    rmSync(join(world.root, '.bulkhead'), { recursive: true });
    const engine = await startEngine([], { lockFile: world.lockFile });
    expect((await engine.call('say', {})).value).toBe('first');
    expect(engine.plugins()[0]?.problems).toEqual([]);
  });

  it('does not load without its signature', async () => {
    const world = setUp();
    await world.pack(ONE);
    await add(world);
    const store = join(world.root, '.bulkhead', 'store');
    const [name = ''] = readdirSync(store).filter((one) => one.endsWith('.dsse.json'));
    const envelope = JSON.parse(readFileSync(join(store, name), 'utf8'));
    const [{ sig }] = envelope.signatures;
    envelope.signatures[0].sig = Buffer.from(sig, 'base64').swap16().toString('base64');
    writeFileSync(join(store, name), JSON.stringify(envelope));
    const forged = await startEngine([], { lockFile: world.lockFile });
    expect(forged.plugins()[0]?.problems[0]).toMatchObject({ code: 'INVALID_ARTIFACT' });
    await expect(forged.call('say', {})).rejects.toMatchObject({ code: 'TOOL_NOT_FOUND' });
  });

  it('is refused without a signature if one is required', async () => {
    const world = setUp();
    await world.pack(ONE, false);
    await expect(add(world)).rejects.toMatchObject({ code: 'INVALID_ARTIFACT' });
  });

  it('is not replaced by a lower version unless the operator asks for that', async () => {
    const world = setUp();
    await world.pack({ ...ONE, manifest: { version: '2.0.0' } });
    await add(world);
    await world.pack({ ...ONE, manifest: { version: '1.9.0' } });
    await expect(add(world)).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
      message: expect.stringContaining('--downgrade'),
    });
  });
});
