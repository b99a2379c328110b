import zlib from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { runFiles } from './fixture.js';

const TEXT = 'Ünïcode and text, text, text. '.repeat(3000);

const capital = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

/** Runs a function body with the plugin's `zlib`. Bytes go in and out as base64. */
async function run(body: string): Promise<unknown> {
  return runFiles({
    'index.ts': `import zlib from 'node:zlib'; import { promisify } from 'node:util'; import { Readable } from 'node:stream'; import { pipeline } from 'node:stream/promises';
      const TEXT = ${JSON.stringify(TEXT)}; const b64 = (bytes: any) => bytes.toString('base64'); const from = (text: string) => Buffer.from(text, 'base64');
      const all = async (stream: any) => { const parts = []; for await (const part of stream) parts.push(part); return Buffer.concat(parts) };
      const failed = (use: any) => { try { use(); return 'no error' } catch (e: any) { return [e.code, e.errno, e.message] } };
      export const run = async () => { ${body} };`,
  });
}

describe('node:zlib of a plugin', () => {
  it.each([
    ['gzip', 'gunzip'],
    ['deflate', 'inflate'],
    ['deflateRaw', 'inflateRaw'],
  ] as const)('%s and %s exchange with the platform’s', async (compress, decompress) => {
    const theirs = zlib[`${compress}Sync`](TEXT, { level: 9 }).toString('base64');
    const [ours, ...read] = (await run(`return [
      b64(zlib.${compress}Sync(TEXT)), zlib.${decompress}Sync(from('${theirs}')).toString() === TEXT,
      (await promisify(zlib.${decompress})(from('${theirs}'))).toString() === TEXT,
      (await all(Readable.from([...from('${theirs}').toString('latin1')].map((c) => Buffer.from(c, 'latin1'))).pipe(zlib.create${capital(decompress)}()))).toString() === TEXT,
      (await all(Readable.from([TEXT]).pipe(zlib.create${capital(compress)}({ level: 9 })))).length < 2000];`)) as [
      string,
      ...boolean[],
    ];
    expect(zlib[`${decompress}Sync`](Buffer.from(ours, 'base64')).toString()).toBe(TEXT);
    expect(read).toEqual([true, true, true, true]);
  });

  it('unzip reads both formats, and members that follow each other', async () => {
    const [a, b] = [zlib.gzipSync('one '), zlib.deflateSync('two')];
    const two = Buffer.concat([a, zlib.gzipSync('and more')]).toString('base64');
    expect(
      await run(
        `return [zlib.unzipSync(from('${a.toString('base64')}')), zlib.unzipSync(from('${b.toString('base64')}')), zlib.gunzipSync(from('${two}'))].map(String)`,
      ),
    ).toEqual(['one ', 'two', 'one and more']);
  });

  it('fails as Node does', async () => {
    const whole = zlib.gzipSync(TEXT);
    const cut = whole.subarray(0, -12).toString('base64');
    const spoiled = Buffer.from(whole);
    spoiled[spoiled.length - 6] = (spoiled.at(-6) ?? 0) ^ 255;
    const real = (use: () => unknown): unknown => {
      try {
        use();
        return 'no error';
      } catch (error) {
        const { code, errno, message } = error as NodeJS.ErrnoException;
        return [code, errno, message];
      }
    };
    const ours = await run(`return [
      failed(() => zlib.gunzipSync(Buffer.from('no gzip at all'))), failed(() => zlib.gunzipSync(from('${cut}'))), failed(() => zlib.gunzipSync(from('${spoiled.toString('base64')}'))),
      failed(() => zlib.inflateSync(from('${cut}'))), failed(() => zlib.gunzipSync(from('${whole.toString('base64')}'), { maxOutputLength: 1000 })).slice(0, 1), failed(() => zlib.gzipSync(5 as any)).slice(0, 1),
      zlib.gunzipSync(from('${cut}'), { finishFlush: zlib.constants.Z_SYNC_FLUSH }).length > 1000,
      await promisify(zlib.gunzip)(Buffer.from('x')).catch((e: any) => e.code), await pipeline(Readable.from([Buffer.from('nothing')]), zlib.createGunzip()).catch((e: any) => e.code)];`);
    expect(ours).toEqual([
      real(() => zlib.gunzipSync(Buffer.from('no gzip at all'))),
      real(() => zlib.gunzipSync(Buffer.from(cut, 'base64'))),
      real(() => zlib.gunzipSync(spoiled)),
      real(() => zlib.inflateSync(Buffer.from(cut, 'base64'))),
      ['ERR_BUFFER_TOO_LARGE'],
      ['ERR_INVALID_ARG_TYPE'],
      true,
      'Z_BUF_ERROR',
      'Z_DATA_ERROR',
    ]);
  });

  it('refuses options that are out of range, and what follows a member, as Node does', async () => {
    const options = [{ level: 99 }, { windowBits: 3 }, { chunkSize: 0 }, { memLevel: 0 }];
    const tail = Buffer.concat([zlib.gzipSync('one'), Buffer.from('garbage')]).toString('base64');
    const padded = Buffer.concat([zlib.gzipSync('one'), Buffer.alloc(5)]).toString('base64');
    const real = options.map((one) => {
      try {
        return zlib.gzipSync('x', one).length;
      } catch (error) {
        const { code, message } = error as NodeJS.ErrnoException;
        return [code, null, message];
      }
    });
    expect(
      await run(
        `return [${JSON.stringify(options)}.map((one) => failed(() => zlib.gzipSync('x', one))), failed(() => zlib.gunzipSync(from('${tail}'))).slice(0, 1), String(zlib.gunzipSync(from('${padded}')))];`,
      ),
    ).toEqual([real, ['Z_DATA_ERROR'], 'one']);
  });

  it('has constants, checksums, dictionaries and classes without new, and refuses Brotli', async () => {
    const dictionary = 'text, text';
    const made = zlib.deflateSync(TEXT, { dictionary: Buffer.from(dictionary) }).toString('base64');
    expect(
      await run(`return [zlib.crc32('hello'), zlib.crc32(Buffer.from('lo'), zlib.crc32('hel')), zlib.constants.Z_BEST_COMPRESSION, zlib.Z_SYNC_FLUSH,
        zlib.inflateSync(from('${made}'), { dictionary: Buffer.from('${dictionary}') }).toString() === TEXT, zlib.Gzip({ level: 1 }) instanceof zlib.Gzip,
        failed(() => zlib.brotliCompressSync('x'))[0]];`),
    ).toEqual([0x36_10_a6_86, 0x36_10_a6_86, 9, 2, true, true, 'BUILTIN_DENIED']);
  });

  it('can be the constructor of an older class, and inflates by the internal object as pngjs does', async () => {
    const made = zlib.deflateSync(TEXT).toString('base64');
    const body = `
      function Old(this: any, options: any) { (zlib as any).Inflate.call(this, options); }
      Old.prototype = Object.create(zlib.Inflate.prototype);
      const old = new (Old as any)({ chunkSize: 1000 });
      const [input, parts] = [from('${made}'), [] as Buffer[]];
      for (let [at, left] = [0, input.length];;) {
        const output = Buffer.alloc(old._chunkSize);
        old._handle.writeSync(zlib.constants.Z_FINISH, input, at, left, output, 0, output.length);
        const [free, unread] = old._writeState;
        parts.push(output.subarray(0, output.length - free));
        at += left - unread; left = unread;
        if (free > 0) break;
      }
      old._handle.close(); old._handle = null;
      const streamed = new (Old as any)(); streamed.end(input);
      return [Buffer.concat(parts).toString() === TEXT, parts.length > 2, old._handle, (await all(streamed)).toString() === TEXT, old instanceof zlib.Inflate, new zlib.Inflate()._outOffset];`;
    expect(await run(body)).toEqual([true, true, null, true, true, 0]);
  });

  it('a stream writes out what it has when it is flushed', async () => {
    const value = await run(`const gzip = zlib.createGzip(); const parts: any[] = [];
      gzip.on('data', (part: any) => parts.push(part)); gzip.write('first');
      await new Promise<void>((done) => gzip.flush(() => done())); await new Promise((done) => setTimeout(done, 10));
      return zlib.gunzipSync(Buffer.concat(parts), { finishFlush: zlib.constants.Z_SYNC_FLUSH }).toString();`);
    expect(value).toBe('first');
  });
});
