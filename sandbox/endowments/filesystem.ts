import { isRecord } from '../wire/parse.js';
import { withCode } from './coded-error.js';
import { makeRevocation } from './denial.js';
import type { Endowed, Endowment, EndowmentPowers } from './endowment.js';
import { toPluginError } from './from-host.js';
import { gather } from './gather.js';
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
            const { maxBodyBytes: maxBytes } = powers.limits;
            const source = powers.host.acceptStream(parseAnswer(answer));
            const bytes = await gather(source, maxBytes, () => tooLarge(path, maxBytes));
            demandGrant(path, since);
            return decode(bytes, powers);
          } catch (error) {
            throw toPluginError(error, 'FILESYSTEM_FAILED', `${path} could not be read`);
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

function tooLarge(path: string, maxBytes: number): Error {
  const message = `${path} holds more than the ${maxBytes} bytes that readFile takes`;
  return withCode(new Error(message), 'FILESYSTEM_LIMIT');
}

function decode(bytes: Uint8Array, { text }: EndowmentPowers): string {
  return text.decoder('utf-8', { fatal: false, ignoreBOM: false })?.decode(bytes, false) ?? '';
}
