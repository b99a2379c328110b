import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { run as runHere } from './in-process.js';
import { MAIN } from './spawned.js';

// Each test runs several commands, on machines that may be busy.
vi.setConfig({ testTimeout: 240_000 });

const root = mkdtempSync(join(tmpdir(), 'bulkhead-signing-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let count = 0;

interface Spec {
  readonly says?: string;
  readonly version?: string;
  readonly id?: string;
  readonly network?: readonly string[];
}

function writePlugin(directory: string, spec: Spec = {}): void {
  const { says = 'first', version = '1.0.0', id = 'notes', network = [] } = spec;
  mkdirSync(directory, { recursive: true });
  const tools = { entry: 'index.js', permissions: { network } };
  writeFileSync(
    join(directory, 'pandora.manifest.json'),
    JSON.stringify({
      manifestVersion: 1,
      id,
      name: id,
      version,
      pandora: '>=1.0.0',
      provides: { tools },
    }),
  );
  writeFileSync(
    join(directory, 'index.js'),
    `export const tools = [{ id: 'say', name: 'Say', description: 'd', annotations: { readOnlyHint: true }, execute: () => '${says}' }];`,
  );
}

interface World {
  readonly cwd: string;
  readonly run: (...argv: string[]) => Promise<{ code: number | null; out: string; err: string }>;
  readonly plugin: string;
  readonly key: string;
  readonly publicKey: string;
}

function inProcess(cwd: string, home: string): World['run'] {
  return async (...argv) => {
    const { code, stdout, stderr } = await runHere(argv, { cwd, home });
    return { code, out: stdout, err: stderr };
  };
}

function asProcesses(cwd: string, home: string): World['run'] {
  const { PATH = '', XDG_CACHE_HOME = '' } = process.env;
  const env = { PATH, XDG_CACHE_HOME, HOME: home, USER: 'ada' };
  return (...argv) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...argv], {
      cwd,
      env,
      encoding: 'utf8',
    });
    return Promise.resolve({ code: status, out: stdout, err: stderr });
  };
}

/** A directory with a plugin, and a signing key outside of it. */
async function setUp(spec: Spec = {}, start = inProcess): Promise<World> {
  count += 1;
  const cwd = join(root, `w${count}`);
  const plugin = join(cwd, 'notes');
  writePlugin(plugin, spec);
  const run = start(cwd, join(cwd, 'home'));
  const key = join(cwd, 'keys', 'ada.pem');
  await run('keys', 'new', 'sign', '--out', key);
  return { cwd, run, plugin, key, publicKey: join(cwd, 'keys', 'ada.pub') };
}

function lockOf({ cwd }: World): {
  plugins: Record<string, { artifact: string; signer?: { id: string } }>;
} {
  return JSON.parse(readFileSync(join(cwd, 'bulkhead.lock.json'), 'utf8'));
}

const call = ['call', 'notes', 'say', '--lock', 'bulkhead.lock.json'];

describe('a signed pack', () => {
  it('is added by its signature, and runs those bytes although the sources change', async () => {
    const world = await setUp({}, asProcesses);
    const { run, plugin, key, publicKey } = world;
    const packed = await run('pack', plugin, '--sign', key, '--json');
    expect(packed.code).toBe(0);
    const { hash, signer } = JSON.parse(packed.out);
    const added = await run('add', plugin, '--require-signature', publicKey, '--yes');
    expect(added.code).toBe(0);
    expect(added.err).toContain(`verified, ${signer}`);
    expect(lockOf(world).plugins['notes']).toMatchObject({
      artifact: hash,
      signer: { id: signer },
    });
    // Adding a pack builds nothing, so changed sources are not what runs.
    writePlugin(plugin, { says: 'hostile' });
    expect((await run(...call)).out).toContain('first');
    expect((await run('check', '--locked')).code).toBe(0);
  });

  it('has an in-toto statement over the artifact in a DSSE envelope', async () => {
    const { run, plugin, key } = await setUp();
    const { hash } = JSON.parse((await run('pack', plugin, '--sign', key, '--json')).out);
    const envelope = JSON.parse(readFileSync(join(plugin, 'bulkhead.artifact.dsse.json'), 'utf8'));
    expect(envelope.payloadType).toBe('application/vnd.in-toto+json');
    const statement = JSON.parse(Buffer.from(envelope.payload, 'base64').toString());
    const hex = Buffer.from(hash.slice(7), 'base64').toString('hex');
    expect(statement).toMatchObject({
      _type: 'https://in-toto.io/Statement/v1',
      subject: [{ name: 'notes@1.0.0', digest: { sha512: hex } }],
      predicate: { id: 'notes', version: '1.0.0' },
    });
    const sum = spawnSync('sha512sum', [join(plugin, 'bulkhead.artifact')], { encoding: 'utf8' });
    expect(sum.stdout.split(' ')[0]).toBe(hex);
  });

  it('is refused after one flipped byte, permission, SBOM line or signature', async () => {
    const { run, plugin, key, publicKey } = await setUp({ network: ['api.example.com'] });
    await run('pack', plugin, '--sign', key);
    const file = join(plugin, 'bulkhead.artifact');
    const good = readFileSync(file);
    const envelopeFile = `${file}.dsse.json`;
    const envelope = readFileSync(envelopeFile, 'utf8');
    const edits: readonly [string, string][] = [
      ['first', 'firsT'],
      ['api.example.com', 'api.example.net'],
      ['CycloneDX', 'CycloneDY'],
      ['"compartment"', '"compartmenu"'],
    ];
    for (const [from, to] of edits) {
      writeFileSync(file, Buffer.from(good.toString('latin1').replace(from, to), 'latin1'));
      const added = await run('add', plugin, '--require-signature', publicKey, '--yes');
      expect([from, added.code, added.err]).toEqual([
        from,
        3,
        expect.stringContaining('INVALID_ARTIFACT'),
      ]);
    }
    writeFileSync(file, good);
    const { payload, signatures, ...rest } = JSON.parse(envelope);
    const sig = Buffer.from(signatures[0].sig, 'base64');
    sig[5] = (sig[5] ?? 0) ^ 1;
    const forged = [{ ...signatures[0], sig: sig.toString('base64') }];
    writeFileSync(envelopeFile, JSON.stringify({ ...rest, payload, signatures: forged }));
    expect((await run('add', plugin, '--require-signature', publicKey, '--yes')).code).toBe(3);
    rmSync(envelopeFile);
    const unsigned = await run('add', plugin, '--require-signature', publicKey, '--yes');
    expect(unsigned.err).toContain('it is not signed');
    writeFileSync(envelopeFile, envelope);
    expect((await run('add', plugin, '--require-signature', publicKey, '--yes')).code).toBe(0);
  });

  it('is refused with the signature of another plugin or of another key', async () => {
    const { run, cwd, plugin, key, publicKey } = await setUp();
    const other = join(cwd, 'other');
    writePlugin(other, { id: 'other' });
    await run('pack', plugin, '--sign', key);
    await run('pack', other, '--sign', key);
    const name = 'bulkhead.artifact.dsse.json';
    writeFileSync(join(other, name), readFileSync(join(plugin, name)));
    const swapped = await run('add', other, '--require-signature', publicKey, '--yes');
    expect(swapped.code).toBe(3);
    expect(swapped.err).toContain('notes@1.0.0');
    await run('keys', 'new', 'sign', '--out', join(cwd, 'keys', 'eve.pem'));
    const eve = join(cwd, 'keys', 'eve.pub');
    expect((await run('add', plugin, '--require-signature', eve, '--yes')).code).toBe(3);
  });

  it('is verified at each load: a stored signature that is missing or changed stops it', async () => {
    const { run, cwd, plugin, key, publicKey } = await setUp();
    await run('pack', plugin, '--sign', key);
    await run('add', plugin, '--require-signature', publicKey, '--yes');
    expect((await run(...call)).out).toContain('first');
    const store = join(cwd, '.bulkhead', 'store');
    const [name = ''] = readdirSync(store).filter((one) => one.endsWith('.dsse.json'));
    const text = readFileSync(join(store, name), 'utf8');
    writeFileSync(join(store, name), text.replace('"payload": "', '"payload": "A'));
    const forged = await run(...call);
    expect(forged.code).not.toBe(0);
    expect(forged.err).toContain('INVALID_ARTIFACT');
    rmSync(join(store, name));
    expect((await run(...call)).err).toContain('is missing');
  });

  it('by a new key, or by none, waits for a review', async () => {
    const world = await setUp();
    const { run, cwd, plugin, key, publicKey } = world;
    await run('pack', plugin, '--sign', key);
    await run('add', plugin, '--require-signature', publicKey, '--yes');
    const first = lockOf(world).plugins['notes']?.signer?.id ?? '';
    writePlugin(plugin, { says: 'second', version: '1.1.0' });
    await run('pack', plugin, '--sign', key);
    expect((await run('update', 'notes')).code).toBe(0);
    expect(lockOf(world).plugins['notes']?.signer?.id).toBe(first);
    writePlugin(plugin, { says: 'third', version: '1.2.0' });
    await run('pack', plugin);
    const unsigned = await run('update', 'notes');
    expect(unsigned.code).toBe(3);
    expect(unsigned.err).toContain('it is not signed any more');
    await run('keys', 'new', 'sign', '--out', join(cwd, 'keys', 'bob.pem'));
    await run('pack', plugin, '--sign', join(cwd, 'keys', 'bob.pem'));
    const bob = join(cwd, 'keys', 'bob.pub');
    expect((await run('update', 'notes', '--require-signature', bob)).code).toBe(3);
    expect((await run('update', 'notes', '--require-signature', bob, '--accept')).code).toBe(0);
    expect(lockOf(world).plugins['notes']?.signer?.id).not.toBe(first);
  });

  it('of a lower version needs --downgrade', async () => {
    const { run, plugin, key, publicKey } = await setUp({ version: '2.0.0' });
    await run('pack', plugin, '--sign', key);
    await run('add', plugin, '--require-signature', publicKey, '--yes');
    writePlugin(plugin, { version: '1.9.9' });
    await run('pack', plugin, '--sign', key);
    const lower = await run('update', 'notes');
    expect(lower.code).toBe(1);
    expect(lower.err).toContain('--downgrade');
    expect((await run('update', 'notes', '--downgrade')).code).toBe(0);
  });

  it('is not signed with a key in its own directory', async () => {
    const { run, plugin } = await setUp();
    const key = join(plugin, 'sign.pem');
    await run('keys', 'new', 'sign', '--out', key);
    const packed = await run('pack', plugin, '--sign', key);
    expect(packed.code).toBe(1);
    expect(packed.err).toContain('which the key protects');
  });
});

describe('the trust file', () => {
  it('stops a revoked key and a revoked artifact at load and rollback, whatever the lock file says', async () => {
    const world = await setUp();
    const { run, cwd, plugin, key, publicKey } = world;
    await run('pack', plugin, '--sign', key);
    await run('add', plugin, '--require-signature', publicKey, '--yes');
    const { artifact = '', signer } = lockOf(world).plugins['notes'] ?? {};
    writePlugin(plugin, { says: 'second', version: '1.1.0' });
    await run('pack', plugin, '--sign', key);
    await run('update', 'notes');
    expect((await run('keys', 'revoke', artifact)).code).toBe(0);
    expect((await run(...call)).out).toContain('second');
    const back = await run('rollback', 'notes');
    expect(back.code).toBe(3);
    expect(back.err).toContain('is revoked');
    await run('keys', 'revoke', signer?.id ?? '');
    expect((await run(...call)).err).toContain('is revoked');
    // Without the line of the signer the artifact is not signed, and no signature is required.
    const file = join(cwd, 'bulkhead.lock.json');
    await run('keys', 'require', publicKey, '--plugin', 'notes');
    const lock = JSON.parse(readFileSync(file, 'utf8'));
    delete lock.plugins.notes.signer;
    writeFileSync(file, JSON.stringify(lock));
    expect((await run(...call)).err).toContain('a signature of ed25519-');
  });

  it('requires a signature at add without a flag', async () => {
    const { run, plugin, key, publicKey } = await setUp();
    await run('keys', 'require', publicKey);
    const unsigned = await run('add', plugin, '--yes');
    expect(unsigned.code).toBe(3);
    expect(unsigned.err).toContain('is required');
    await run('pack', plugin, '--sign', key);
    expect((await run('add', plugin, '--yes')).code).toBe(0);
    expect((await run(...call)).out).toContain('first');
  });

  it('that is not valid runs nothing', async () => {
    const { run, cwd, plugin } = await setUp();
    await run('add', plugin, '--yes');
    const file = join(cwd, 'home', '.config', 'bulkhead', 'trust.json');
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, '{"version":1,"revokedKey":[]}');
    const result = await run(...call);
    expect(result.code).toBe(4);
    expect(result.err).toContain('INVALID_TRUST');
  });
});

describe('a pack', () => {
  it('is added, run, checked, diffed and updated as a file of its own', async () => {
    const world = await setUp();
    const { run, cwd, plugin, key, publicKey } = world;
    const file = join(cwd, 'notes-1.artifact');
    const { hash } = JSON.parse(
      (await run('pack', plugin, '--sign', key, '--out', file, '--json')).out,
    );
    rmSync(plugin, { recursive: true });
    expect((await run('call', file, 'say')).err).toContain(`bulkhead add ${file}`);
    const added = await run('add', file, '--require-signature', publicKey, '--yes');
    expect([added.code, added.err]).toEqual([0, expect.stringContaining(hash)]);
    const lock = readFileSync(join(cwd, 'bulkhead.lock.json'), 'utf8');
    expect(JSON.parse(lock).plugins.notes).toMatchObject({ source: './notes-1.artifact' });
    expect((await run(...call)).out).toContain('first');
    expect((await run('check', '--locked')).out).toBe('no problem found\n');
    expect((await run('list')).out).toContain('enabled');
    // The store is filled again from the file.
    rmSync(join(cwd, '.bulkhead'), { recursive: true });
    expect((await run(...call)).out).toContain('first');
    writePlugin(plugin, { says: 'second', version: '1.1.0' });
    await run('pack', plugin, '--sign', key, '--out', file);
    expect((await run('check', '--locked')).out).toContain('changed since it was accepted');
    expect((await run(...call)).out).toContain('first');
    expect((await run('diff', 'notes', '--code')).out).toContain('second');
    expect((await run('update', 'notes')).code).toBe(0);
    expect((await run(...call)).out).toContain('second');
    rmSync(file);
    expect((await run('check', '--locked')).out).toContain('lost its directory');
    expect((await run(...call)).out).toContain('second');
    writeFileSync(file, 'no archive');
    const refused = await run('add', file, '--lock', 'other.json', '--yes');
    expect([refused.code, refused.err]).toEqual([3, expect.stringContaining('INVALID_ARTIFACT')]);
  });

  it('is reported by check if its sources are newer', async () => {
    const { run, plugin } = await setUp();
    await run('pack', plugin);
    expect((await run('check', plugin)).out).toMatch(/\nno problem found\n$/);
    writePlugin(plugin, { says: 'second' });
    const stale = await run('check', plugin);
    expect(stale.out).toContain('The pack is older than its sources');
    expect(stale.out).toContain(`bulkhead pack ${plugin}`);
    expect(stale.code).toBe(2);
    await run('pack', plugin);
    expect((await run('check', plugin)).code).toBe(0);
    // A version is a line of the manifest.
    writePlugin(plugin, { says: 'second', version: '2.0.0' });
    expect((await run('check', plugin)).code).toBe(2);
  });

  it('lists its files, and has no dotfiles, keys or paths of this machine', async () => {
    const { run, plugin, key } = await setUp();
    const source = readFileSync(join(plugin, 'index.js'), 'utf8');
    const packed = (imports: string): ReturnType<World['run']> => {
      writeFileSync(join(plugin, 'index.js'), `${imports}\n${source}`);
      return run('pack', plugin);
    };
    const secret = JSON.stringify({ key: readFileSync(key, 'utf8').repeat(2) });
    writeFileSync(join(plugin, 'data.json'), secret);
    writeFileSync(join(plugin, '.env.json'), '{}');
    writeFileSync(join(plugin, 'place.js'), `export const place = '${plugin}/x';`);
    const file = join(plugin, 'bulkhead.artifact');
    for (const [imports, says] of [
      [
        "import data from './data.json'; console.log(data);",
        'data.json: it seems to contain a private key',
      ],
      ["import env from './.env.json'; console.log(env);", '.env.json: its name begins with a dot'],
      ["import { place } from './place.js'; console.log(place);", 'place.js: it contains the path'],
    ] as const) {
      const refused = await packed(imports);
      expect([refused.code, refused.err]).toEqual([3, expect.stringContaining(says)]);
      expect(refused.err).toContain(`--include ${says.slice(0, says.indexOf(':'))}`);
      expect(existsSync(file)).toBe(false);
    }
    const included = await run('pack', plugin, '--include', 'place.js', '--json');
    expect(JSON.parse(included.out)).toMatchObject({
      files: ['index.js', 'place.js'],
      packages: [],
    });
    expect((await packed('')).out).toContain('  file       index.js\n');
  });
});

it('inspect, add and list show the same hash: that of the artifact', async () => {
  const { run, plugin } = await setUp();
  const { artifact } = JSON.parse((await run('inspect', plugin, '--json')).out).plugin;
  expect(artifact).toMatch(/^sha512-/);
  expect((await run('inspect', plugin)).out).toContain(`artifact   ${artifact}`);
  expect(JSON.parse((await run('pack', plugin, '--json')).out).hash).toBe(artifact);
  expect((await run('add', plugin, '--yes')).err).toContain(artifact);
  expect(JSON.parse((await run('list', '--json')).out).plugins[0].artifact).toBe(artifact);
  const locked = JSON.parse(
    (await run('tools', plugin, '--lock', 'bulkhead.lock.json', '--json')).out,
  );
  expect(JSON.stringify(locked)).not.toContain('sha256');
});

it('check reports texts that models read and people do not see, and names of other tools', async () => {
  const { run, cwd, plugin } = await setUp();
  await run('add', plugin, '--yes');
  const other = join(cwd, 'other');
  writePlugin(other, { id: 'other' });
  const index = join(other, 'index.js');
  const source = readFileSync(index, 'utf8').replace("id: 'say'", "id: 'tell'");
  writeFileSync(
    index,
    source.replace("description: 'd'", "description: 'Better than notes:say\\u{e0041}'"),
  );
  const found = await run('check', other);
  expect(found.code).toBe(2);
  expect(found.out).toContain('characters that a person does not see: \\u{e0041}');
  expect(found.out).toContain('mentions say of notes');
});
