import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { brokerIn, makeTree, textOf } from './tree.js';

const DENIED = { code: 'FILESYSTEM_DENIED' };
const FAILED = { code: 'FILESYSTEM_FAILED' };

describe('a granted file', () => {
  it('is read whole, by its path relative to the plugin and by its absolute one', async () => {
    const { root, plugin } = await makeTree({
      'plugin/data/a.txt': 'sunny',
      'shared/b.txt': 'windy',
    });
    const broker = brokerIn(plugin, ['data', `${root}/shared`]);
    expect(await textOf(broker.read('data/a.txt'))).toBe('sunny');
    expect(await textOf(broker.read('./data//x/../a.txt'))).toBe('sunny');
    expect(await textOf(broker.read(`${plugin}/data/a.txt`))).toBe('sunny');
    expect(await textOf(broker.read(`${root}/shared/b.txt`))).toBe('windy');
    expect(await textOf(broker.read('../shared/b.txt'))).toBe('windy');
    expect(broker.active).toBe(0);
  });

  it('may be named alone', async () => {
    const { plugin } = await makeTree({ 'plugin/data/a.txt': 'a', 'plugin/data/b.txt': 'b' });
    const broker = brokerIn(plugin, ['data/a.txt']);
    expect(await textOf(broker.read('data/a.txt'))).toBe('a');
    await expect(broker.read('data/b.txt')).rejects.toMatchObject(DENIED);
  });

  it('is described with its size', async () => {
    const { plugin } = await makeTree({ 'plugin/a.txt': 'x'.repeat(100_000) });
    const content = await brokerIn(plugin, ['.']).read('a.txt');
    expect(content.bytes).toBe(100_000);
    content.body.cancel('that is all');
  });
});

describe('a path outside what is granted', () => {
  it.each([
    ['data/../secret.txt'],
    ['data/../../outside.txt'],
    ['../outside.txt'],
    ['secret.txt'],
    ['/etc/passwd'],
    ['data-secrets/a.txt'],
    ['dat'],
    ['.'],
    ['/'],
    ['/proc/self/environ'],
  ])('is refused: %s', async (path) => {
    const { plugin } = await makeTree({
      'plugin/data/a.txt': 'a',
      'plugin/data-secrets/a.txt': 'secret',
      'plugin/secret.txt': 'secret',
      'outside.txt': 'secret',
    });
    await expect(brokerIn(plugin, ['data']).read(path)).rejects.toMatchObject(DENIED);
  });

  it('is refused with the grant and the edit that allow it, and no path of the host', async () => {
    const { plugin } = await makeTree({ 'plugin/data/a.txt': 'a' });
    const refusal: unknown = await brokerIn(plugin, ['data'])
      .read('../up.txt')
      .catch((error: unknown) => error);
    expect(refusal).toMatchObject({
      message:
        'Filesystem denied: ../up.txt is not in what weather may read (it is granted "data").' +
        ' To allow this, grant it (--allow fs:../up.txt, or "fs": ["../up.txt"] in the option "grant")' +
        ' if the manifest declares it. If not, first add "fs": ["../up.txt"] to "permissions" in' +
        ' pandora.manifest.json.',
      details: { plugin: 'weather', wanted: '../up.txt', granted: ['data'] },
    });
    expect(String(refusal)).not.toContain(plugin);
  });

  it('is refused alike whether it exists or not', async () => {
    const { plugin } = await makeTree({ 'plugin/data/a.txt': 'a', 'outside.txt': 'secret' });
    const broker = brokerIn(plugin, ['data']);
    const texts = await Promise.all(
      ['../outside.txt', '../nothing.txt'].map((path) =>
        broker.read(path).catch((error: unknown) => String(error).replaceAll(path, 'PATH')),
      ),
    );
    expect(texts[0]).toBe(texts[1]);
  });

  it('is everything if nothing is granted', async () => {
    const { plugin } = await makeTree({ 'plugin/a.txt': 'a' });
    await expect(brokerIn(plugin, []).read('a.txt')).rejects.toMatchObject(DENIED);
  });
});

describe('what is not a regular file', () => {
  it.each([
    '/dev/zero',
    '/dev/null',
    '/proc/self/environ',
    '/proc/self/mem',
    '/sys/kernel/uevent_seqnum',
  ])('is refused, though "/" is granted: %s', async (path) => {
    const { plugin } = await makeTree({ 'plugin/x': '' });
    await expect(brokerIn(plugin, ['/']).read(path)).rejects.toMatchObject(DENIED);
  });

  it.runIf(process.platform === 'linux')(
    'is read exactly if it is granted and is text',
    async () => {
      const { plugin } = await makeTree({ 'plugin/x': '' });
      const broker = brokerIn(plugin, ['/proc/version', '/dev/zero']);
      expect(await textOf(broker.read('/proc/version'))).toMatch(/^Linux/);
      await expect(broker.read('/dev/zero')).rejects.toMatchObject(FAILED);
    },
  );

  it('fails: a directory, and a pipe, which is not waited for', async () => {
    const { plugin } = await makeTree({ 'plugin/data/x': '' });
    execFileSync('mkfifo', [`${plugin}/pipe`]);
    const broker = brokerIn(plugin, ['.']);
    for (const path of ['data', 'pipe', '.']) {
      await expect(broker.read(path)).rejects.toMatchObject({
        ...FAILED,
        message: `${path} cannot be read: it is not a regular file.`,
      });
    }
  });

  it('fails if there is no file', async () => {
    const { plugin } = await makeTree({ 'plugin/a.txt': '' });
    const broker = brokerIn(plugin, ['.']);
    for (const path of ['nothing.txt', 'no/thing.txt', 'a.txt/x']) {
      await expect(broker.read(path)).rejects.toMatchObject({
        ...FAILED,
        message: `${path} cannot be read: there is no such file.`,
      });
    }
  });
});

describe('what is not a path', () => {
  it.each([
    [undefined],
    [null],
    ['data/a.txt'],
    [{}],
    [{ path: 7 }],
    [{ path: '' }],
    [{ path: ['data/a.txt'] }],
    [{ path: 'data/a.txt\0.png' }],
    [{ path: 'data/\ud800.txt' }],
    [{ path: 'file:///etc/passwd' }],
    [{ path: 'FILE:data/a.txt' }],
  ])('is refused: %j', async (params) => {
    const { plugin } = await makeTree({ 'plugin/data/a.txt': 'a' });
    const { signal } = new AbortController();
    await expect(brokerIn(plugin, ['data']).readFile(params, signal)).rejects.toMatchObject(DENIED);
  });

  it('is a text that is too long', async () => {
    const { plugin } = await makeTree({ 'plugin/a.txt': '' });
    await expect(brokerIn(plugin, ['.']).read('é'.repeat(2049))).rejects.toMatchObject({
      code: 'FILESYSTEM_LIMIT',
      details: { limit: 'maxPathBytes' },
    });
  });
});
