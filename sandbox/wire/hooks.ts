import type { JsonObject } from './messages.js';
import { isRecord } from './parse.js';

/**
 * Host → guest: runs one hook of the plugin. Answers `null` where it changed nothing and wrote nothing
 * in vain, else
 *
 * ```
 *   { changed: { field: { value } | { gone: true } | of a list { at, removed, items } },
 *     dropped: [names of fields that were written in vain] }
 * ```
 */
export interface HookParams {
  readonly hook: string;
  /** Names this run in what the guest says of it meanwhile. */
  readonly run: number;
  /** What an object means that the hook returns: all of the context, or changes to its draft. */
  readonly returned: 'replaces' | 'merges';
  /** What it means that it returns `null` or another value that is no context. */
  readonly nothing: 'refused' | 'ignored';
  readonly mutable: readonly {
    readonly name: string;
    /** How it is written that there is none; `null` where there has to be one. */
    readonly none: 'undefined' | 'null' | null;
  }[];
  /** Functions that the guest puts into the context. */
  readonly lends: readonly ('logger' | 'broadcast')[];
  /** The fields of the context, but for the large ones. */
  readonly fields: JsonObject;
  /** The large ones: at which place in `told` each is. Two fields often are the same list. */
  readonly large: Readonly<Record<string, number>>;
  readonly told: readonly LargeField[];
  /** Pieces of large fields that the guest has not been told yet. */
  readonly pieces: readonly ToldPiece[];
  /** Pieces that it will not be asked for again. */
  readonly forget: readonly number[];
  /** Bytes of JSON of what the hook may change. */
  readonly maxBytes: number;
}

/** A stretch of a list's items, or one value; and how many values there are in it in all. */
export type ToldPiece = readonly [id: number, text: string, items: number, values: number];

/** A field that is told by reference: a list whose items lie in pieces, or a value in one. */
interface LargeField {
  readonly list: boolean;
  /** Their ids, in order. */
  readonly pieces: readonly number[];
}

/** Tells what a host asks for apart, as the guards of `methods.ts` do. */
export function isHookParams(params: unknown): params is HookParams {
  return isRecord(params) && typeof params['hook'] === 'string' && isRecord(params['fields']);
}

/** Bytes of JSON that one broadcast may be of. It is told to everybody who listens. */
export const BROADCAST_BYTES: number = 16 * 1024;
