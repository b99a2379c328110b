import type { JetStreamManager, MsgRequest } from '@nats-io/jetstream';
import { isRecord } from '../../sandbox/wire/json.js';
import type { Cell } from './connection.js';
import { parse } from './frame.js';

/** Reads objects from NATS' object store. */
export interface ObjectReader {
  /** The bytes; `undefined` if there is no such object, or if it is larger than `maxBytes`. */
  read(bucket: string, name: string, maxBytes: number): Promise<Uint8Array | undefined>;
}

/**
 * Reads message by message, and not with a consumer as NATS' own client does: who may create consumers
 * can let the server publish to any subject, also to the subjects of others.
 */
export function makeObjectReader({
  nats,
  connection,
}: Pick<Cell, 'nats' | 'connection'>): ObjectReader {
  let manager: Promise<JetStreamManager> | undefined;
  return {
    read: async (bucket, name, maxBytes) => {
      manager ??= nats.jetstream.jetstreamManager(connection, { checkAPI: false });
      const { streams } = await manager;
      const stream = `OBJ_${bucket}`;
      const key = Buffer.from(name, 'utf8').toString('base64url');
      const meta = await streams.getMessage(stream, {
        // The client writes names with padding.
        last_by_subj: `$O.${bucket}.M.${key}${'='.repeat((4 - (key.length % 4)) % 4)}`,
      });
      const about = meta === null ? undefined : parse(meta.string());
      if (!isRecord(about) || about['deleted'] === true) return undefined;
      const { nuid, size, chunks } = about;
      if (typeof nuid !== 'string' || !/^[0-9A-Za-z]{1,64}$/.test(nuid)) return undefined;
      if (typeof size !== 'number' || size > maxBytes || typeof chunks !== 'number')
        return undefined;
      const parts: Uint8Array[] = [];
      let bytes = 0;
      let after = 0;
      while (parts.length < chunks) {
        const part = await streams.getMessage(stream, next(after + 1, `$O.${bucket}.C.${nuid}`));
        if (part === null) return undefined;
        bytes += part.data.length;
        if (bytes > size) return undefined;
        parts.push(part.data);
        after = part.seq;
      }
      return bytes === size ? Buffer.concat(parts) : undefined;
    },
  };
}

/** The first message of a subject from that number on. The types of the client leave it out. */
function next(seq: number, subject: string): MsgRequest & { readonly next_by_subj: string } {
  return { seq, next_by_subj: subject };
}
