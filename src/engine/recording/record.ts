import { isRecord, parseMessage } from '../../../sandbox/wire/parse.js';
import { FROM_HOST } from '../../../sandbox/wire/limits.js';
import type { TapeContent } from '../../../sandbox/wire/tape.js';
import { BulkheadError } from '../../errors.js';
import type { Frame } from './frames.js';

/**
 * All that crossed the boundary for one call, from the bundle that was loaded to its answer. It holds
 * the values of the variables that the plugin was granted, and what servers and files gave it: treat
 * it like these.
 */
export interface CallRecord {
  readonly format: 'bulkhead-record';
  readonly version: 1;
  readonly recordedAt: string;
  /** The Node that ran it. */
  readonly node: string;
  readonly call: string;
  readonly plugin: string;
  readonly tool: string;
  /** Hash of the bundle. */
  readonly bundle: string;
  /** `ok`, or the code of the error. */
  readonly outcome: string;
  /** Whether everything that happened found room in it. */
  readonly complete: boolean;
  readonly tape: TapeContent & { readonly seed: readonly number[] };
  readonly frames: readonly Frame[];
}

/** Reads a record out of a file. Throws `INVALID_OPTIONS` where it is none. */
export function parseRecord(value: unknown): CallRecord {
  if (!isRecord(value) || value['format'] !== 'bulkhead-record' || value['version'] !== 1) {
    throw invalid('it is no record of a call, as `bulkhead call --record` writes them');
  }
  const { tape, frames } = value;
  if (!isRecord(tape) || !Array.isArray(frames)) throw invalid('it has no tape or no frames');
  return {
    format: 'bulkhead-record',
    version: 1,
    recordedAt: textIn(value, 'recordedAt'),
    node: textIn(value, 'node'),
    call: textIn(value, 'call'),
    plugin: textIn(value, 'plugin'),
    tool: textIn(value, 'tool'),
    bundle: textIn(value, 'bundle'),
    outcome: textIn(value, 'outcome'),
    complete: value['complete'] === true,
    tape: {
      seed: numbersIn(tape, 'seed'),
      turns: numbersIn(tape, 'turns'),
      times: numbersIn(tape, 'times'),
    },
    frames: frames.map(parseFrame),
  };
}

function parseFrame(frame: unknown, index: number): Frame {
  const by = isRecord(frame) ? frame['by'] : undefined;
  if (!isRecord(frame) || (by !== 'host' && by !== 'guest'))
    throw invalid(`frame ${index} is none`);
  const { stream, bytes, message } = frame;
  if (typeof stream === 'number' && typeof bytes === 'string') return { by, stream, bytes };
  try {
    return { by, message: parseMessage(JSON.stringify(message ?? null), FROM_HOST) };
  } catch {
    throw invalid(`frame ${index} holds no message`);
  }
}

function textIn(value: Readonly<Record<string, unknown>>, key: string): string {
  const text = value[key];
  if (typeof text !== 'string') throw invalid(`"${key}" is no text`);
  return text;
}

function numbersIn(value: Readonly<Record<string, unknown>>, key: string): number[] {
  const list: unknown = value[key];
  if (Array.isArray(list) && list.every((one) => typeof one === 'number')) return list;
  throw invalid(`"${key}" is no list of numbers`);
}

function invalid(what: string): BulkheadError {
  return new BulkheadError('INVALID_OPTIONS', `This record cannot be replayed: ${what}.`, {
    option: 'record',
  });
}
