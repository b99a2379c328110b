import { isRecord } from '../../../sandbox/wire/json.js';
import type { ByteSource } from '../../../sandbox/wire/streams.js';
import type { FilesystemLimits } from '../limits.js';
import type { FileChange } from './changes.js';
import { parsePath } from './checked-path.js';
import type { Refusals } from './refusals.js';

/** Reads the params of `changeFile` and the content that comes with them. */
export async function readChange(
  params: unknown,
  path: string,
  content: ByteSource | undefined,
  limits: FilesystemLimits,
  refusals: Refusals,
): Promise<FileChange> {
  const { op, to, recursive } = isRecord(params) ? params : {};
  switch (op) {
    case 'write':
    case 'append':
      return { op, path, content: await collect(content, path, limits, refusals) };
    case 'mkdir':
      return { op, path };
    case 'delete':
      return { op, path, recursive: recursive === true };
    case 'move':
      return { op, path, to: parsePath({ path: to }, limits, refusals) };
    default:
      throw refusals.malformed('has an unknown operation');
  }
}

async function collect(
  source: ByteSource | undefined,
  path: string,
  { maxFileBytes }: FilesystemLimits,
  refusals: Refusals,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for (;;) {
    const chunk = await source?.pull();
    if (chunk === undefined) return Buffer.concat(chunks);
    bytes += chunk.length;
    if (bytes > maxFileBytes) {
      source?.cancel('it is too long');
      throw refusals.limit('maxFileBytes', `${path} is too long`);
    }
    chunks.push(chunk);
  }
}
