import { Buffer } from './buffer.js';
import { offer } from './denied.js';
import { encode, toPath } from './fs-arguments.js';
import { lookAt } from './fs-operations.js';
import { waiting } from './fs-promises.js';
import { linkedFiles } from './linked-files.js';
import { makeEnvironment } from './environment.js';
import { always, compartmentGlobal } from './compartment-globals.js';
import { linkedVariables } from './linked-variables.js';
import { createHash, createHmac, getHashes, type Hash } from './crypto.js';

async function bytesOf(path: unknown): Promise<Uint8Array> {
  const content = await waiting['readFile']?.(path);
  return content instanceof Uint8Array ? content : new Uint8Array(0);
}

/** The result of `Bun.file(path)`. Only its methods read the file. */
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

/** Bun's hash, and its HMAC if it has a key. */
class CryptoHasher {
  readonly algorithm: string;
  readonly #hash: Hash;

  constructor(algorithm: string, key?: string | Uint8Array, from?: Hash) {
    this.algorithm = algorithm;
    this.#hash = from ?? (key === undefined ? createHash(algorithm) : createHmac(algorithm, key));
  }

  static get algorithms(): string[] {
    return getHashes();
  }

  static hash(algorithm: string, data: unknown, encoding?: string): unknown {
    return new CryptoHasher(algorithm).update(data).digest(encoding);
  }

  update(data: unknown, encoding?: string): this {
    this.#hash.update(typeof data === 'string' ? data : bytesIn(data), encoding);
    return this;
  }

  /** Text in an encoding, else bytes. An array as argument gets the bytes. */
  digest(into?: unknown): unknown {
    if (typeof into === 'string') return this.#hash.digest(into);
    const bytes = this.#hash.digest();
    if (into === undefined) return bytes;
    bytesIn(into).set(bytesIn(bytes));
    return into;
  }

  copy(): CryptoHasher {
    return new CryptoHasher(this.algorithm, undefined, this.#hash.copy());
  }
}

function bytesIn(data: unknown): Uint8Array {
  if (data instanceof ArrayBuffer) return new Uint8Array(data);
  if (ArrayBuffer.isView(data)) {
    return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  }
  throw new TypeError('A hash takes text, an ArrayBuffer or a view of one');
}

/** Bun's classes of single algorithms: `new Bun.SHA256()`. */
function hasherOf(algorithm: string): object {
  return class extends CryptoHasher {
    constructor() {
      super(algorithm);
    }
    static override hash(data: unknown, encoding?: string): unknown {
      return CryptoHasher.hash(algorithm, data, encoding);
    }
  };
}

const members = {
  CryptoHasher,
  MD5: hasherOf('md5'),
  SHA1: hasherOf('sha1'),
  SHA224: hasherOf('sha224'),
  SHA256: hasherOf('sha256'),
  SHA384: hasherOf('sha384'),
  SHA512: hasherOf('sha512'),

  file: (path: unknown): BunFile => new BunFile(path),
  write,
  env: makeEnvironment({ env: () => compartmentGlobal('env'), variables: linkedVariables }),
  version: '',
  sleep: (ms: number): Promise<void> =>
    new Promise((resolve) => {
      always('setTimeout')(() => resolve(), ms);
    }),
};

/** The part of Bun that plugins have: files. Every other member throws on use. */
export const Bun: object = offer('bun', { ...members });

export const builtin: object = offer('bun', members);
