import { randomBytes } from 'node:crypto';
import { chmodSync, copyFileSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { answering, makeExtension } from './extension-on-disk.js';
import { makeDirectory, startEngine } from './plugin-on-disk.js';

const source = answering({
  put: `spindle.enclave.put(payload.args.key, payload.args.value).then(() => 'stored', (error) => error.message)`,
  get: `spindle.enclave.get(payload.args.key).then(String, (error) => error.message)`,
});

const directory = makeExtension({ source });

interface Place {
  readonly storageDirectory: string;
  readonly enclaveKeyFile: string;
}

function makePlace(): Place {
  return { storageDirectory: makeDirectory(), enclaveKeyFile: join(makeDirectory(), 'a/b.key') };
}

async function use(place: Place, tool: string, input: Record<string, string>): Promise<unknown> {
  const engine = await startEngine([directory], place);
  const { value } = await engine.call(`sample:${tool}`, input);
  await engine.close();
  return value;
}

const fileOf = ({ storageDirectory }: Place, key: string): string =>
  join(storageDirectory, 'sample', 'enclave', key);

describe('the enclave of an extension', () => {
  it('is encrypted on disk, with a key that is made outside of the storage', async () => {
    const place = makePlace();
    expect(await use(place, 'put', { key: 'token', value: 'a secret value' })).toBe('stored');
    expect(readFileSync(fileOf(place, 'token'), 'latin1')).not.toContain('secret');
    expect(statSync(place.enclaveKeyFile).mode & 0o777).toBe(0o600);
    expect(await use(place, 'get', { key: 'token' })).toBe('a secret value');
  });

  it('is read with an old key of the file, and written with the first', async () => {
    const place = makePlace();
    await use(place, 'put', { key: 'old', value: 'one' });
    const before = readFileSync(place.enclaveKeyFile, 'utf8');
    writeFileSync(place.enclaveKeyFile, `${randomBytes(32).toString('base64')}\n${before}`);
    expect(await use(place, 'get', { key: 'old' })).toBe('one');
    await use(place, 'put', { key: 'new', value: 'two' });
    writeFileSync(place.enclaveKeyFile, before);
    expect(await use(place, 'get', { key: 'new' })).toContain('its key is not among those');
  });

  it('does not accept a value of another name, or one that was changed', async () => {
    const place = makePlace();
    await use(place, 'put', { key: 'a', value: 'one' });
    await use(place, 'put', { key: 'b', value: 'two' });
    copyFileSync(fileOf(place, 'a'), fileOf(place, 'b'));
    expect(await use(place, 'get', { key: 'b' })).toContain(
      'it was changed, or belongs to another',
    );
    const bytes = readFileSync(fileOf(place, 'a'));
    bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 1, bytes.length - 1);
    writeFileSync(fileOf(place, 'a'), bytes);
    expect(await use(place, 'get', { key: 'a' })).toContain('it was changed');
  });

  it('is not used with a key that others can read, or that lies in the storage', async () => {
    const place = makePlace();
    await use(place, 'put', { key: 'a', value: 'one' });
    chmodSync(place.enclaveKeyFile, 0o644);
    expect(await use(place, 'get', { key: 'a' })).not.toBe('one');
    const inside = makePlace();
    const enclaveKeyFile = join(inside.storageDirectory, 'enclave.key');
    expect(await use({ ...inside, enclaveKeyFile }, 'put', { key: 'a', value: 'one' })).not.toBe(
      'stored',
    );
  });

  it('still has values from before they were encrypted', async () => {
    const place = makePlace();
    await use(place, 'put', { key: 'a', value: 'one' });
    writeFileSync(fileOf(place, 'a'), 'in plain text');
    expect(await use(place, 'get', { key: 'a' })).toBe('in plain text');
  });
});
