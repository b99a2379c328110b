/** The files that tools wrote, as the host fetches them: of one plugin, tenant and call. */
import {
  linkSync,
  mkdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Engine, PluginFiles } from '../../src/index.js';
import { makeDirectory } from './plugin-on-disk.js';
import { startVellum } from './vellum-on-disk.js';

const WRITER = `import fs from 'node:fs'; import { join } from 'node:path';
  import { DatabaseSync } from 'node:sqlite';
  const waiting = [];
  export default { defaultRiskLevel: 'medium', input_schema: { type: 'object' },
    execute: async (input) => {
      for (const [op, ...given] of input.steps ?? []) {
        if (op === 'wait') await new Promise((go) => waiting.push(go));
        else if (op === 'go') waiting.splice(0).forEach((go) => go());
        else if (op === 'sql') { const db = new DatabaseSync(given[0]); db.exec(given[1]); db.close(); }
        else if (op.endsWith('Sync')) fs[op](...given);
        else await fs.promises[op](...given);
      }
      return { content: 'done', isError: false };
    } };`;

interface Started {
  readonly engine: Engine;
  /** A directory that the plugin may write. */
  readonly ws: string;
  readonly storage: string;
  /** Runs steps, and returns the call's id. */
  readonly write: (steps: readonly unknown[], tenant?: string) => Promise<string>;
}

async function start(
  ws: string = realpathSync(makeDirectory()),
  storage: string = makeDirectory(),
): Promise<Started> {
  const engine = await startVellum(
    { name: 'writer', tools: { run: WRITER } },
    {
      grant: { writer: { storage: true, fs: [`${ws}:rw`] } },
      tolerance: 'full',
      storageDirectory: storage,
    },
  );
  return {
    engine,
    ws,
    storage,
    write: async (steps, tenant) => {
      const { callId, isError, content } = await engine.call(
        'run',
        { steps },
        tenant === undefined ? {} : { tenant },
      );
      if (isError) throw new Error(JSON.stringify(content));
      return callId;
    },
  };
}

function paths(files: PluginFiles): readonly string[] {
  return files.list().map(({ path }) => path);
}

function firstId(files: PluginFiles): string {
  return files.list()[0]?.id ?? '';
}

async function fetched(files: PluginFiles, path: string): Promise<string | undefined> {
  const found = files.list().find((file) => file.path === path);
  const opened = found === undefined ? undefined : await files.open(found.id);
  return opened === undefined ? undefined : new Response(opened.content).text();
}

describe('engine.files', () => {
  it('does not open a file that another engine or program has written since', async () => {
    const { engine, write, ws, storage } = await start();
    const stored = '/workspace/shared.txt';
    const appended = '/workspace/log.txt';
    const mounted = join(ws, 'mounted.txt');
    const database = '/workspace/shared.db';
    const all = [stored, appended, mounted].map((path) => ['writeFile', path, 'of a']);
    const sql = 'create table if not exists t(a); insert into t values (1)';
    await write([...all, ['sql', database, sql]], 'a');
    const files = engine.files('writer', { tenant: 'a' });
    expect(paths(files)).toEqual([stored, appended, mounted, database]);
    for (const { id } of files.list()) await (await files.open(id))?.content.cancel();
    const other = await start(ws, storage);
    const steps = [
      ['writeFile', stored, 'of b'],
      ['appendFile', appended, 'of b'],
      ['sql', database, sql],
    ];
    await other.write(steps, 'b');
    writeFileSync(mounted, 'of the user');
    for (const { id } of files.list()) expect(await files.open(id)).toBeUndefined();
  });

  it('lists a database for the tenant whose calls made all of its transactions', async () => {
    const { engine, write } = await start();
    const own = '/workspace/own.db';
    const shared = '/workspace/shared.db';
    const create = 'create table t(a); insert into t values (zeroblob(9000))';
    await write(
      [
        ['sql', own, create],
        ['sql', shared, create],
      ],
      'a',
    );
    await write([['sql', own, 'insert into t values (zeroblob(9000))']], 'a');
    const of = (tenant: string) => engine.files('writer', { tenant }).list();
    expect(of('a').map(({ path, bytes }) => [path, bytes])).toEqual([
      [shared, expect.any(Number)],
      [own, expect.any(Number)],
    ]);
    const opened = await engine.files('writer', { tenant: 'a' }).open(of('a')[1]?.id ?? '');
    const content = await new Response(opened?.content).arrayBuffer();
    expect(content.byteLength).toBe(of('a')[1]?.bytes);
    // A transaction meanwhile changes the file that is read.
    const reading = (
      await engine.files('writer', { tenant: 'a' }).open(of('a')[1]?.id ?? '')
    )?.content.getReader();
    await write([['sql', own, 'insert into t values (3)']], 'b');
    await expect(reading?.read()).rejects.toThrow(
      /^EBUSY: .*own\.db was changed while it was read/,
    );
    expect(of('a').map(({ path }) => path)).toEqual([shared]);
    // Its pages are those of two tenants now.
    await write([['sql', shared, 'insert into t values (2)']], 'b');
    expect(of('a')).toEqual([]);
    expect(of('b')).toEqual([]);
    expect(engine.files('writer').list()).toEqual([]);
  });

  it('fetches what a call wrote in the storage, the scratch places and a mount', async () => {
    const { engine, ws, write } = await start();
    const callId = await write([
      ['writeFile', '/workspace/report.txt', 'a report'],
      ['writeFileSync', '/tmp/draft.txt', 'a draft'],
      ['writeFile', '/plugin/data/kept.txt', 'kept'],
      ['mkdir', join(ws, 'out')],
      ['writeFile', join(ws, 'out', 'made.txt'), 'made'],
      ['appendFile', join(ws, 'out', 'made.txt'), ' twice'],
    ]);
    const files = engine.files('writer', { callId });
    expect(files.list().map(({ path, name, bytes, calls }) => [path, name, bytes, calls])).toEqual([
      ['/workspace/report.txt', 'report.txt', 8, [callId]],
      ['/tmp/draft.txt', 'draft.txt', 7, [callId]],
      ['/workspace/plugins/writer/data/kept.txt', 'kept.txt', 4, [callId]],
      [join(ws, 'out', 'made.txt'), 'made.txt', 10, [callId]],
    ]);
    expect(await fetched(files, '/workspace/report.txt')).toBe('a report');
    expect(await fetched(files, '/tmp/draft.txt')).toBe('a draft');
    expect(await fetched(files, '/workspace/plugins/writer/data/kept.txt')).toBe('kept');
    expect(await fetched(files, join(ws, 'out', 'made.txt'))).toBe('made twice');
  });

  it('streams a large file, and closes it when the reader stops', async () => {
    const { engine, write } = await start();
    const text = 'x'.repeat(3_000_000);
    const callId = await write([['writeFile', '/workspace/large.txt', text]]);
    const files = engine.files('writer', { callId });
    expect((await fetched(files, '/workspace/large.txt'))?.length).toBe(3_000_000);
    const opened = await files.open(firstId(files));
    const reader = opened?.content.getReader();
    expect((await reader?.read())?.value?.length).toBe(65_536);
    await reader?.cancel();
    expect(await reader?.read()).toEqual({ done: true, value: undefined });
  });

  it('separates calls', async () => {
    const { engine, write } = await start();
    const first = await write([['writeFile', '/workspace/one.txt', '1']]);
    const second = await write([['writeFile', '/workspace/two.txt', '2']]);
    expect(paths(engine.files('writer', { callId: first }))).toEqual(['/workspace/one.txt']);
    expect(paths(engine.files('writer', { callId: second }))).toEqual(['/workspace/two.txt']);
    expect(paths(engine.files('writer'))).toEqual(['/workspace/one.txt', '/workspace/two.txt']);
    expect(paths(engine.files('writer', { callId: 'call_of_nobody' }))).toEqual([]);
    const id = firstId(engine.files('writer', { callId: first }));
    expect(await engine.files('writer', { callId: second }).open(id)).toBeUndefined();
  });

  it('follows a draft that is renamed, and a renamed directory, and forgets what is deleted', async () => {
    const { engine, ws, write } = await start();
    const callId = await write([
      ['writeFile', '/workspace/out.tmp', 'whole'],
      ['rename', '/workspace/out.tmp', '/workspace/out.txt'],
      ['mkdir', join(ws, 'a')],
      ['writeFile', join(ws, 'a', 'in.txt'), 'inside'],
      ['rename', join(ws, 'a'), join(ws, 'b')],
      ['writeFile', '/workspace/gone.txt', 'gone'],
      ['rm', '/workspace/gone.txt'],
    ]);
    const files = engine.files('writer', { callId });
    expect(paths(files)).toEqual(['/workspace/out.txt', join(ws, 'b', 'in.txt')]);
    expect(await fetched(files, '/workspace/out.txt')).toBe('whole');
    expect(await fetched(files, join(ws, 'b', 'in.txt'))).toBe('inside');
  });
});

describe('a file of another tenant', () => {
  it('is neither listed nor opened', async () => {
    const { engine, write } = await start();
    await write([['writeFile', '/workspace/a.txt', 'of a']], 'a');
    const id = firstId(engine.files('writer', { tenant: 'a' }));
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    for (const options of [{}, { tenant: 'b' }, { tenant: '' }, { tenant: 'undefined' }]) {
      const files = engine.files('writer', options);
      expect(paths(files)).toEqual([]);
      expect(await files.open(id)).toBeUndefined();
    }
    expect(await fetched(engine.files('writer', { tenant: 'a' }), '/workspace/a.txt')).toBe('of a');
  });

  it('is not fetched through its former owner once another tenant has written it', async () => {
    const { engine, ws, write } = await start();
    for (const path of ['/workspace/shared.txt', join(ws, 'shared.txt')]) {
      await write([['writeFile', path, 'of a']], 'a');
      const id = firstId(engine.files('writer', { tenant: 'a' }));
      await write([['writeFile', path, 'secret of b']], 'b');
      expect(await engine.files('writer', { tenant: 'a' }).open(id)).toBeUndefined();
      expect(paths(engine.files('writer', { tenant: 'a' }))).toEqual([]);
      expect(await fetched(engine.files('writer', { tenant: 'b' }), path)).toBe('secret of b');
    }
  });

  it('is of no tenant if two have appended to it, or if what it had is unknown', async () => {
    const { engine, ws, write } = await start();
    writeFileSync(join(ws, 'old.log'), 'of an unknown tenant\n');
    for (const path of ['/workspace/both.log', join(ws, 'both.log')]) {
      await write([['appendFile', path, 'a']], 'a');
      await write([['appendFile', path, 'b']], 'b');
    }
    await write([['appendFile', join(ws, 'old.log'), 'b']], 'b');
    expect(paths(engine.files('writer', { tenant: 'a' }))).toEqual([]);
    expect(paths(engine.files('writer', { tenant: 'b' }))).toEqual([]);
  });

  it('is of no tenant if calls of several run in the guest that writes it', async () => {
    const { engine, ws, write } = await start();
    await write([['writeFile', join(ws, 'mixed.txt'), 'of a']], 'a');
    const waiting = write([['wait']], 'a');
    // The call of a waits in the guest when that of b writes.
    await write(
      [['writeFile', join(ws, 'mixed.txt'), 'of whom'], ['writeFile', '/tmp/x', 'x'], ['go']],
      'b',
    );
    await waiting;
    expect(paths(engine.files('writer', { tenant: 'a' }))).toEqual([]);
    expect(paths(engine.files('writer', { tenant: 'b' }))).toEqual([]);
  });
});

describe('a path out of the plugin’s places', () => {
  const secret = (): string => {
    const outside = realpathSync(makeDirectory());
    writeFileSync(join(outside, 'secret.txt'), 'TOP SECRET');
    return outside;
  };

  it('is not a valid id', async () => {
    const { engine, ws, write } = await start();
    const outside = secret();
    await write([['writeFile', join(ws, 'x.txt'), 'x']]);
    const files = engine.files('writer');
    for (const id of [
      '/etc/passwd',
      '../secret.txt',
      join(ws, 'x.txt'),
      `mount:${join(outside, 'secret.txt')}`,
      'storage:work/../../../etc/passwd',
      '__proto__',
      '',
    ]) {
      expect([id, await files.open(id)]).toEqual([id, undefined]);
    }
  });

  it('behind a link in a mount is refused', async () => {
    const { engine, ws, write } = await start();
    const outside = secret();
    mkdirSync(join(ws, 'sub'));
    const callId = await write([
      ['writeFile', join(ws, 'secret.txt'), 'mine'],
      ['writeFile', join(ws, 'sub', 'secret.txt'), 'mine'],
    ]);
    const files = engine.files('writer', { callId });
    rmSync(join(ws, 'secret.txt'));
    symlinkSync(join(outside, 'secret.txt'), join(ws, 'secret.txt'));
    renameSync(join(ws, 'sub'), join(ws, 'former'));
    symlinkSync(outside, join(ws, 'sub'));
    for (const { id } of files.list()) {
      await expect(files.open(id)).rejects.toMatchObject({ code: 'FILESYSTEM_DENIED' });
    }
  });

  it('behind a link or a hard link in the storage is refused', async () => {
    const { engine, storage, write } = await start();
    const outside = secret();
    const callId = await write([
      ['writeFile', '/plugin/data/secret.txt', 'mine'],
      ['mkdir', '/plugin/data/sub'],
      ['writeFile', '/plugin/data/sub/secret.txt', 'mine'],
      ['writeFile', '/plugin/data/hard.txt', 'mine'],
    ]);
    const files = engine.files('writer', { callId });
    const data = join(storage, 'writer', 'data');
    rmSync(join(data, 'secret.txt'));
    symlinkSync(join(outside, 'secret.txt'), join(data, 'secret.txt'));
    rmSync(join(data, 'sub'), { recursive: true });
    symlinkSync(outside, join(data, 'sub'));
    rmSync(join(data, 'hard.txt'));
    linkSync(join(outside, 'secret.txt'), join(data, 'hard.txt'));
    expect(files.list()).toHaveLength(3);
    const outcomes = await Promise.all(
      files.list().map(({ id }) =>
        files.open(id).then(
          async (opened) => opened && (await new Response(opened.content).text()),
          (error: unknown) => Reflect.get(Object(error), 'code'),
        ),
      ),
    );
    expect(outcomes).toEqual(['STORAGE_DENIED', undefined, 'STORAGE_DENIED']);
  });

  it('that another program deleted is not there', async () => {
    const { engine, ws, storage, write } = await start();
    await write([
      ['writeFile', join(ws, 'x.txt'), 'x'],
      ['writeFile', '/plugin/data/x.txt', 'x'],
    ]);
    rmSync(join(ws, 'x.txt'));
    rmSync(join(storage, 'writer', 'data', 'x.txt'));
    const files = engine.files('writer');
    expect(files.list()).toHaveLength(2);
    for (const { id } of files.list()) expect(await files.open(id)).toBeUndefined();
  });
});

describe('options of engine.files', () => {
  it('that are wrong say so', async () => {
    const { engine } = await start();
    expect(() => engine.files('writr')).toThrow('Did you mean "writer"?');
    // @ts-expect-error a typing error
    expect(() => engine.files('writer', { call: 'x' })).toThrow(/not an option of engine.files/);
    // @ts-expect-error not a text
    expect(() => engine.files('writer', { tenant: 5 })).toThrow(/takes a text/);
    // @ts-expect-error not an object
    expect(() => engine.files('writer', 'call_1')).toThrow(/takes an object/);
  });
});
