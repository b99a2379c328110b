import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packPlugin } from '../../src/engine/pack.js';
import { digestOf } from '../../src/engine/recording/recording.js';
import { type Lockfile, openLockfile } from '../../src/entry-points/lock.js';
import type { Engine, EngineOptions } from '../../src/index.js';
import { readPublicKeys } from '../../src/keys/key-file.js';
import { createKey } from '../../src/keys/new-keys.js';
import { makeDirectory, silentLogger, startEngine } from '../engine/plugin-on-disk.js';
import { makeVellum } from '../engine/vellum-on-disk.js';

interface World {
  readonly root: string;
  readonly directory: string;
  readonly lockFile: string;
  readonly trustFile: string;
  readonly book: Lockfile;
  readonly options: EngineOptions;
  /** The files of the stored artifact and its signature. */
  readonly stored: string;
  readonly storedEnvelope: string;
}

/** A plugin whose tools say what a dependency says: one in a compartment, one in Node without one. */
function write(directory: string, says: string, version = '1.1.0'): void {
  const tool = (target: string): string =>
    `import { say } from 'dep'; export default { ${target} description: 'd', execute: async () => ({ content: say, isError: false }) };`;
  makeVellum(
    {
      name: 'turncoat',
      tools: { inside: tool(''), outside: tool("executionTarget: 'host',") },
      files: {
        'node_modules/dep/package.json': JSON.stringify({
          name: 'dep',
          version,
          exports: { node: './node.js', default: './default.js' },
        }),
        'node_modules/dep/default.js': `export const say = '${says} inside';`,
        'node_modules/dep/node.js': `export const say = '${says} outside';`,
      },
    },
    directory,
  );
}

/** A signed, packed and accepted plugin, whose lock file requires the signature. */
async function accept(): Promise<World> {
  const root = makeDirectory();
  const directory = join(root, 'plugins', 'turncoat');
  mkdirSync(directory, { recursive: true });
  const keys = { ada: join(root, 'keys', 'ada.pem'), eve: join(root, 'keys', 'eve.pem') };
  for (const file of Object.values(keys)) createKey('sign', file);
  const lockFile = join(root, 'bulkhead.lock.json');
  const trustFile = join(root, 'trust.json');
  const options: EngineOptions = {
    plugins: [],
    cacheDirectory: join(root, 'cache'),
    logger: silentLogger,
    env: {},
    limits: { pool: 0 },
    trustFile,
  };
  const book = openLockfile(lockFile, options);
  write(directory, 'first');
  await packPlugin(directory, { signKey: keys.ada }, options);
  const inspected = await book.inspect(directory);
  const signer = book.verifySignature(inspected, readPublicKeys(join(root, 'keys', 'ada.pub')));
  if (signer === undefined) throw new Error('it is not signed');
  book.accept(inspected, { granted: inspected.declared, by: 'ada', unconfined: true, signer });
  // The pack stays at its author's: here are its sources, and the store.
  for (const name of readdirSync(directory)) {
    if (name.startsWith('bulkhead.artifact')) rmSync(join(directory, name));
  }
  const store = join(root, '.bulkhead', 'store');
  const [stored = '', storedEnvelope = ''] = readdirSync(store)
    .toSorted((a, b) => a.length - b.length)
    .map((name) => join(store, name));
  return { root, directory, lockFile, trustFile, book, options, stored, storedEnvelope };
}

/** The artifact and the signature of hostile code, made with the key of another. */
async function forge({ root, options }: World, key = 'eve'): Promise<string> {
  const elsewhere = join(root, 'elsewhere', 'turncoat');
  mkdirSync(elsewhere, { recursive: true });
  write(elsewhere, 'hostile');
  await packPlugin(elsewhere, { signKey: join(root, 'keys', `${key}.pem`) }, options);
  return join(elsewhere, 'bulkhead.artifact');
}

function edit(file: string, from: string, to: string): void {
  const bytes = readFileSync(file, 'latin1');
  if (!bytes.includes(from)) throw new Error(`${file} does not contain ${from}`);
  writeFileSync(file, Buffer.from(bytes.replaceAll(from, to), 'latin1'));
}

const start = ({ lockFile, trustFile }: World, more: Partial<EngineOptions> = {}) =>
  startEngine([], { lockFile, trustFile, tolerance: 'full', grant: 'declared', ...more });

/** What the two tools say; the code of the plugin's problem if it does not run. */
async function outcome(engine: Engine): Promise<readonly string[]> {
  const [status] = engine.plugins();
  const problem = status?.problems[0]?.code;
  const said: string[] = [];
  for (const tool of ['inside', 'outside']) {
    try {
      const { value } = await engine.call(`turncoat:${tool}`, {});
      said.push(JSON.stringify(value));
    } catch {
      said.push('does not run');
    }
  }
  return [
    ...said.map((text) => /first|hostile|does not run/.exec(text)?.[0] ?? text),
    problem ?? '',
  ];
}

const RUNS = ['first', 'first', ''];
const RUNS_PENDING = ['first', 'first', 'UPDATE_PENDING'];
const STOPS = (code: string): readonly string[] => ['does not run', 'does not run', code];

/** Each row changes something behind the operator's back. Hostile code never runs. */
const WAYS: readonly [string, (world: World) => unknown, readonly string[]][] = [
  ['nothing', () => {}, RUNS],
  ['a byte of a source', ({ directory }) => write(directory, 'hostile'), RUNS_PENDING],
  [
    "a dependency's variant for Node",
    ({ directory }) =>
      edit(join(directory, 'node_modules/dep/node.js'), "'first outside'", "'hostile outside'"),
    RUNS_PENDING,
  ],
  [
    'a byte of the code in the stored artifact',
    ({ stored }) => edit(stored, 'first inside', 'firsT inside'),
    STOPS('NOT_LOCKED'),
  ],
  [
    'a byte of the build for Node in the stored artifact',
    ({ stored }) => edit(stored, 'first outside', 'firsT outside'),
    STOPS('NOT_LOCKED'),
  ],
  [
    'a line of the SBOM in the stored artifact',
    ({ stored }) => edit(stored, 'CycloneDX', 'CycloneDY'),
    STOPS('NOT_LOCKED'),
  ],
  [
    'a permission in the stored artifact',
    ({ stored }) => edit(stored, '"network":[]', '"network":[ '),
    STOPS('NOT_LOCKED'),
  ],
  [
    'the whole stored artifact, signed by another key',
    async (world) => {
      const forged = await forge(world);
      writeFileSync(world.stored, readFileSync(forged));
      writeFileSync(world.storedEnvelope, readFileSync(`${forged}.dsse.json`));
    },
    STOPS('NOT_LOCKED'),
  ],
  [
    'a link instead of the stored artifact',
    ({ stored }) => {
      renameSync(stored, `${stored}.moved`);
      symlinkSync(`${stored}.moved`, stored);
    },
    STOPS('NOT_LOCKED'),
  ],
  [
    'a missing signature',
    ({ storedEnvelope }) => rmSync(storedEnvelope),
    STOPS('INVALID_ARTIFACT'),
  ],
  [
    'the signature of another artifact by the accepted key',
    async (world) =>
      writeFileSync(world.storedEnvelope, readFileSync(`${await forge(world, 'ada')}.dsse.json`)),
    STOPS('INVALID_ARTIFACT'),
  ],
  [
    'artifact, signature and lock file, if the trust file requires the key',
    async (world) => {
      const { root, book, lockFile, trustFile, stored } = world;
      const forged = await forge(world);
      const inspected = await book.inspect(join(root, 'elsewhere', 'turncoat'));
      const [eve] = readPublicKeys(join(root, 'keys', 'eve.pub'));
      const [ada] = readPublicKeys(join(root, 'keys', 'ada.pub'));
      const { hash } = inspected.artifact;
      const hex = Buffer.from(hash.slice('sha512-'.length), 'base64').toString('hex');
      const target = join(stored, '..', `${hex}.artifact`);
      writeFileSync(target, readFileSync(forged));
      writeFileSync(`${target}.dsse.json`, readFileSync(`${forged}.dsse.json`));
      const lock = JSON.parse(readFileSync(lockFile, 'utf8'));
      lock.plugins.turncoat.artifact = hash;
      lock.plugins.turncoat.signer = {
        id: eve?.id,
        publicKey: eve?.pem.replaceAll(/-----[^-]+-----|\s/g, ''),
      };
      writeFileSync(lockFile, JSON.stringify(lock));
      const requiredKeys = { turncoat: [ada?.pem] };
      writeFileSync(trustFile, JSON.stringify({ version: 1, requiredKeys }));
    },
    STOPS('INVALID_ARTIFACT'),
  ],
  [
    'the lock file, by an earlier one whose artifact was revoked',
    ({ book, trustFile }) => {
      const { artifact = '' } = book.read().plugins['turncoat'] ?? {};
      writeFileSync(trustFile, JSON.stringify({ version: 1, revokedArtifacts: [artifact] }));
    },
    STOPS('INVALID_ARTIFACT'),
  ],
];

describe('hostile code of a locked plugin does not run after a change of', () => {
  it.each(WAYS)('%s', async (_, tamper, expected) => {
    const world = await accept();
    await tamper(world);
    // Without its sources as they were, nothing fills the store again.
    if (expected[0] === 'does not run') write(world.directory, 'hostile');
    expect(await outcome(await start(world))).toEqual(expected);
  });

  it('the stored artifact between the check and the start, and of a running plugin', async () => {
    const world = await accept();
    const forged = readFileSync(await forge(world));
    const swap = (): void => {
      writeFileSync(world.stored, forged);
      write(world.directory, 'hostile');
    };
    // The configuration is read after the artifact was verified.
    const engine = await start(world, { config: () => (swap(), {}) });
    expect(await outcome(engine)).toEqual(RUNS);
    await engine.setEnabled('turncoat', false);
    await engine.setEnabled('turncoat', true);
    expect((await outcome(engine)).join()).not.toContain('hostile');
    // What runs was verified, and the lock file still accepts it.
    await engine.reload();
    expect(await outcome(engine)).toEqual(RUNS);
    await engine.close();
    expect(await outcome(await start(world))).toEqual(STOPS('NOT_LOCKED'));
  });

  it('a recording: only accepted code is replayed', async () => {
    const world = await accept();
    const engine = await start(world);
    const { recording } = await engine.call('turncoat:inside', {}, { record: true });
    if (recording === undefined) throw new Error('it was not recorded');
    expect(await engine.replay(recording)).toMatchObject({ same: true });
    const open = await startEngine([world.directory], { tolerance: 'full', grant: 'declared' });
    write(world.directory, 'hostile');
    await open.reload();
    const other = (await open.call('turncoat:inside', {}, { record: true })).recording;
    if (other === undefined) throw new Error('it was not recorded');
    expect(await open.replay(other)).toMatchObject({ same: true });
    await expect(engine.replay(other)).rejects.toMatchObject({ code: 'NOT_LOCKED' });
    // The header's claim does not count: the hash is compared with the code.
    const claims = { ...other, bundle: recording.bundle };
    await expect(engine.replay({ ...claims, digest: digestOf(claims) })).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
    });
  });
});

describe('a running, locked plugin stops', () => {
  const revoke = ({ book, trustFile }: World): void => {
    const { artifact = '' } = book.read().plugins['turncoat'] ?? {};
    writeFileSync(trustFile, JSON.stringify({ version: 1, revokedArtifacts: [artifact] }));
  };

  it.each<[string, (world: World) => void, string]>([
    ['its artifact was revoked', revoke, 'INVALID_ARTIFACT'],
    [
      'its key was revoked',
      ({ book, trustFile }) => {
        const { signer } = book.read().plugins['turncoat'] ?? {};
        writeFileSync(trustFile, JSON.stringify({ version: 1, revokedKeys: [signer?.id] }));
      },
      'INVALID_ARTIFACT',
    ],
    [
      'the trust file cannot be read',
      ({ trustFile }) => writeFileSync(trustFile, '{'),
      'INVALID_TRUST',
    ],
    ['it was removed from the lock file', ({ book }) => book.remove('turncoat'), 'NOT_LOCKED'],
  ])('at a reload, after %s', async (_, change, code) => {
    const world = await accept();
    // The host names the directory too, so it is found without the lock file.
    const engine = await startEngine([world.directory], {
      lockFile: world.lockFile,
      trustFile: world.trustFile,
      tolerance: 'full',
    });
    expect(await outcome(engine)).toEqual(RUNS);
    change(world);
    await engine.reload();
    expect(await outcome(engine)).toEqual(STOPS(code));
  });

  it('when it is switched off and on, after its artifact was revoked', async () => {
    const world = await accept();
    const engine = await start(world);
    expect(await outcome(engine)).toEqual(RUNS);
    revoke(world);
    await engine.setEnabled('turncoat', false);
    await engine.setEnabled('turncoat', true);
    expect((await outcome(engine)).slice(0, 2)).toEqual(STOPS('').slice(0, 2));
  });
});
