import { WireError } from '../wire/failure.js';
import { isRecord } from '../wire/parse.js';
import type { ByteSource } from '../wire/streams.js';
import { joinBytes } from './bytes.js';
import { withCode } from './coded-error.js';
import { makeRevocation } from './denial.js';
import type { Endowed, Endowment, EndowmentPowers } from './endowment.js';
import { makeTurnstile } from './turnstile.js';

/**
 * Files that are read at a time: what the broker has open at once. More of them wait their turn here,
 * since a host takes a guest that asks for hundreds of things at once for hostile.
 */
const MAX_READS = 32;

/** `readFile(path)`: the text of one file, read by the host's filesystem broker, as UTF-8. */
export const filesystem: Endowment = {
  permission: 'filesystem',
  globals: ['readFile'],
  make: (powers): Endowed => {
    const turnstile = makeTurnstile(MAX_READS);
    let revoked = false;
    let revocations = 0;
    // What began before a revocation ends with it, although the permission may be back by then.
    const demandGrant = (path: string, since: number): void => {
      if (revoked || since !== revocations) {
        throw makeRevocation(powers.plugin, 'filesystem', path);
      }
    };
    return {
      globals: {
        readFile: async (path: unknown): Promise<string> => {
          if (typeof path !== 'string') throw new TypeError('readFile takes a path as a string');
          const turn = turnstile.enter();
          const since = revocations;
          try {
            await turn.come;
            demandGrant(path, since);
            const answer = await powers.host.request('readFile', { path });
            const source = powers.host.acceptStream(parseAnswer(answer));
            const bytes = await gather(source, powers.limits.maxBodyBytes, path);
            demandGrant(path, since);
            return decode(bytes, powers);
          } catch (error) {
            throw toFilesystemError(error, path);
          } finally {
            turn.leave();
          }
        },
      },
      revoke: () => {
        revoked = true;
        revocations += 1;
      },
      restore: () => {
        revoked = false;
        return undefined;
      },
    };
  },
};

function parseAnswer(answer: unknown): number {
  if (!isRecord(answer) || typeof answer['body'] !== 'number') {
    throw new TypeError('The host answered with something else than a file');
  }
  return answer['body'];
}

async function gather(source: ByteSource, maxBytes: number, path: string): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const part = await source.pull();
    if (part === undefined) return joinBytes(parts);
    size += part.length;
    if (size > maxBytes) {
      source.cancel('more bytes than the guest takes');
      const message = `${path} holds more than the ${maxBytes} bytes that readFile takes`;
      throw withCode(new Error(message), 'FILESYSTEM_LIMIT');
    }
    parts.push(part);
  }
}

function decode(bytes: Uint8Array, { text }: EndowmentPowers): string {
  return text.decoder('utf-8', { fatal: false, ignoreBOM: false })?.decode(bytes, false) ?? '';
}

/** What the wire threw stays on this side: it carries the host's own name and stack for it. */
function toFilesystemError(error: unknown, path: string): unknown {
  if (error instanceof WireError) {
    return withCode(new Error(error.message), error.code ?? 'FILESYSTEM_FAILED');
  }
  const isOurs = error instanceof Error && Object.getPrototypeOf(error) === Error.prototype;
  if (isOurs && 'code' in error) return error;
  return withCode(new Error(`${path} could not be read`), 'FILESYSTEM_FAILED');
}
