import type { JsonObject } from './messages.js';
import { isRecord } from './json.js';

/**
 * Host → guest: runs one hook of the plugin. Answers `null` if the hook changed nothing and wrote no
 * immutable field, else
 *
 * ```
 *   { changed: { field: { value } | { gone: true } | of a list { at, removed, items } },
 *     dropped: [names of fields that were written in vain] }
 * ```
 */
export interface HookParams {
  readonly hook: string;
  /** The number of this run, for notices of the guest about it. */
  readonly run: number;
  /** Whether a returned object replaces the context, or is merged into its draft. */
  readonly returned: 'replaces' | 'merges';
  /** What `null` or another value that is not a context means. */
  readonly nothing: 'refused' | 'ignored';
  readonly mutable: readonly {
    readonly name: string;
    /** How an absent value is written; `null` if the field must have a value. */
    readonly none: 'undefined' | 'null' | null;
  }[];
  /** Functions that the guest adds to the context. */
  readonly lends: readonly ('logger' | 'broadcast')[];
  /** The fields of the context, except the large ones. */
  readonly fields: JsonObject;
  /** The large fields: the index of each in `lists`. Two fields often are the same list. */
  readonly large: Readonly<Record<string, number>>;
  readonly lists: readonly LargeField[];
  /** Pieces of large fields that the guest does not have yet. */
  readonly pieces: readonly SentPiece[];
  /** Pieces that the host will not use again. */
  readonly forget: readonly number[];
  /** Bytes of JSON that the hook may change. */
  readonly maxBytes: number;
}

/** A part of a list's items, or one value; with the number of items and of all values in it. */
export type SentPiece = readonly [id: number, text: string, items: number, values: number];

/** A field by reference: a list in pieces, or a value in one piece. */
interface LargeField {
  readonly list: boolean;
  /** Their ids, in order. */
  readonly pieces: readonly number[];
}

/** See the guards in `methods.ts`. */
export function isHookParams(params: unknown): params is HookParams {
  return isRecord(params) && typeof params['hook'] === 'string' && isRecord(params['fields']);
}

/** Bytes of JSON of one broadcast, which all listeners receive. */
export const BROADCAST_BYTES: number = 16 * 1024;
