import { builtin as fs } from './fs.js';
import { ReadStream, WriteStream } from './fs-streams.js';

/** `node:fs` of a program, with streams. The bundles of other plugins do without their weight. */
export const builtin: object = Object.assign(fs, {
  ReadStream,
  WriteStream,
  createReadStream: (path: unknown, options?: unknown): ReadStream => new ReadStream(path, options),
  createWriteStream: (path: unknown, options?: unknown): WriteStream =>
    new WriteStream(path, options),
});
