import type { ByteSource } from '../../../sandbox/wire/streams.js';
import { makeTurnstile } from '../turnstile.js';
import { type AreaCopy, copyArea } from './copying.js';
import type { StorageLimits } from './limits.js';
import type { OpenRecord } from './record.js';
import type { Refusals } from './refusals.js';
import type { Ground } from './walk.js';

/** A copy whose content has to be read to its end, or cancelled. */
export interface LentCopy extends Omit<AreaCopy, 'content'> {
  readonly content?: ByteSource;
}

/** Copies areas, few at a time: each is in memory until its guest has read it, and need not be. */
export interface Copies {
  make(
    ground: Ground,
    since: number | undefined,
    ended: AbortSignal,
    record: Pick<OpenRecord, 'bytesRead'>,
  ): Promise<LentCopy>;
}

export function makeCopies({ maxCopies, maxWaiting }: StorageLimits, refusals: Refusals): Copies {
  const turnstile = makeTurnstile({
    maxActive: maxCopies,
    maxWaiting,
    full: () => refusals.limit('maxWaiting', 'too many of its operations wait already'),
  });
  return {
    make: async (ground, since, ended, record) => {
      const leave = await turnstile.enter(ended);
      try {
        const { content, ...rest } = await ground.store.inTurn(() => copyArea(ground, since));
        if (content !== undefined) {
          record.bytesRead = content.length;
          return { ...rest, content: lend(content, leave) };
        }
        leave();
        return rest;
      } catch (error) {
        leave();
        throw error;
      }
    },
  };
}

function lend(content: Uint8Array, end: () => void): ByteSource {
  const left = [content];
  return {
    pull: async () => {
      const bytes = left.shift();
      if (bytes === undefined) end();
      return bytes;
    },
    cancel: () => {
      left.length = 0;
      end();
    },
  };
}
