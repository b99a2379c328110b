import { isRecord } from '../wire/json.js';
import { withCode, toPluginError } from './errors.js';
import { makeRevocation } from './denial.js';
import type { Endowed, Endowment, EndowmentCapabilities } from './endowment.js';
import { collectBytes } from './collect-bytes.js';
import { makeSemaphore } from '../wire/semaphore.js';

/**
 * The maximum number of concurrent reads. Further reads wait here, because the host treats hundreds
 * of open requests as hostile.
 */
const MAX_READS = 32;

/** `readFile(path)`: the text of one file as UTF-8, read by the host's filesystem broker. */
export const filesystem: Endowment = {
  permission: 'fs',
  globals: ['readFile'],
  make: (capabilities): Endowed => {
    const semaphore = makeSemaphore({ maxActive: MAX_READS });
    let revoked = false;
    let revocations = 0;
    // A read that started before a revocation fails, even if the permission is back by then.
    const demandGrant = (path: string, since: number): void => {
      if (revoked || since !== revocations) {
        throw makeRevocation(capabilities.plugin, 'fs', path);
      }
    };
    return {
      globals: {
        readFile: async (path: unknown): Promise<string> => {
          // guard: read-path-is-string
          if (typeof path !== 'string') throw new TypeError('readFile takes a path as a string');
          const turn = semaphore.enter();
          const since = revocations;
          try {
            await turn.ready;
            demandGrant(path, since);
            const answer = await capabilities.host.request('readFile', { path });
            const { maxBodyBytes: maxBytes } = capabilities.limits;
            const source = capabilities.host.acceptStream(parseAnswer(answer));
            const bytes = await collectBytes(source, maxBytes, () => tooLarge(path, maxBytes));
            demandGrant(path, since);
            return decode(bytes, capabilities);
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

function decode(bytes: Uint8Array, { text }: EndowmentCapabilities): string {
  return text.decoder('utf-8', { fatal: false, ignoreBOM: false })?.decode(bytes, false) ?? '';
}
