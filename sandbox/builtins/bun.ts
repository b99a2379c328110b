import { Buffer } from './buffer.js';
import { offer } from './denied.js';
import { encode } from './fs-options.js';
import { lookAt } from './fs-operations.js';
import { waiting } from './fs-promises.js';
import { toPath } from './fs-paths.js';
import { linkedFiles } from './linked-files.js';
import { makeEnvironment } from './environment.js';
import { always } from './surroundings.js';

async function bytesOf(path: unknown): Promise<Uint8Array> {
  const content = await waiting['readFile']?.(path);
  return content instanceof Uint8Array ? content : new Uint8Array(0);
}

/** What `Bun.file(path)` gives: nothing is read before one of its methods is asked. */
class BunFile {
  readonly name: string;

  constructor(path: unknown) {
    this.name = toPath(path);
  }

  async text(): Promise<string> {
    return Buffer.from(await bytesOf(this.name)).toString('utf8');
  }
  async json(): Promise<unknown> {
    return JSON.parse(await this.text());
  }
  async bytes(): Promise<Uint8Array> {
    return new Uint8Array(await bytesOf(this.name));
  }
  async arrayBuffer(): Promise<ArrayBufferLike> {
    return (await this.bytes()).buffer;
  }
  async exists(): Promise<boolean> {
    const files = linkedFiles()?.later;
    const entry = files === undefined ? undefined : await lookAt(files, this.name);
    return entry?.kind === 'file';
  }
  async stat(): Promise<unknown> {
    return waiting['stat']?.(this.name);
  }
  async delete(): Promise<void> {
    await waiting['unlink']?.(this.name);
  }
  async unlink(): Promise<void> {
    await this.delete();
  }
  async write(data: unknown): Promise<number> {
    return write(this.name, data);
  }
  get size(): number {
    return linkedFiles()?.now.stat(this.name).bytes ?? 0;
  }
}

async function write(target: unknown, data: unknown): Promise<number> {
  const path = target instanceof BunFile ? target.name : target;
  const content = encode(data instanceof BunFile ? await data.bytes() : data, undefined);
  await waiting['writeFile']?.(path, content);
  return content.length;
}

const members = {
  file: (path: unknown): BunFile => new BunFile(path),
  write,
  env: makeEnvironment(),
  version: '',
  sleep: (ms: number): Promise<void> =>
    new Promise((resolve) => {
      always('setTimeout')(() => resolve(), ms);
    }),
};

/** What of Bun a plugin has: its files. Everything else throws where it is used. */
export const Bun: object = offer('bun', { ...members });

export const builtin: object = offer('bun', members);
