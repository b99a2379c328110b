import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openPinFiles, openTextCache } from '../../../src/engine/node/text-cache.js';
import { makeDirectory } from '../plugin-on-disk.js';

const texts = Array.from({ length: 40 }, (_, index) => String(index).repeat(100_000));

describe('the pins of a server on disk', () => {
  it('are one of the texts that are written at once', async () => {
    const storage = makeDirectory();
    const pins = openPinFiles(storage);
    await Promise.all(texts.map((text) => pins.write('crm', text)));
    expect(texts).toContain(pins.read('crm'));
    expect(readdirSync(join(storage, '.pins'))).toHaveLength(1);
    await pins.write('crm', 'last');
    expect(pins.read('crm')).toBe('last');
  });

  it('can be read only by their owner', async () => {
    const storage = makeDirectory();
    await openPinFiles(storage).write('a/b', 'text');
    const [name = ''] = readdirSync(join(storage, '.pins'));
    expect(statSync(join(storage, '.pins')).mode & 0o777).toBe(0o700);
    expect(statSync(join(storage, '.pins', name)).mode & 0o777).toBe(0o600);
  });
});

describe('a cached text', () => {
  it('is one of the texts that are stored at once', async () => {
    const directory = join(makeDirectory(), 'cache');
    const cache = openTextCache(directory);
    await Promise.all(texts.map((text) => cache.store('one', text)));
    expect(texts).toContain(cache.read('one'));
    expect(readdirSync(directory)).toEqual(['one']);
  });

  it('is on the disk once everything that was given is stored', async () => {
    const cache = openTextCache(join(makeDirectory(), 'cache'));
    for (const [at, text] of texts.entries()) void cache.store(`n${at}`, text);
    await cache.whenStored();
    expect(texts.map((_, at) => cache.read(`n${at}`))).toEqual(texts);
  });

  it('that cannot be stored is missing, without an error', async () => {
    const directory = join(makeDirectory(), 'file');
    writeFileSync(directory, '');
    const cache = openTextCache(directory);
    await cache.store('one', 'text');
    expect(cache.read('one')).toBeUndefined();
    expect(readFileSync(directory, 'utf8')).toBe('');
  });
});
