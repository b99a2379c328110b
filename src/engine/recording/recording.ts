import { hash } from '../../hash.js';
import { isRecord } from '../../../sandbox/wire/json.js';
import { FROM_HOST } from '../../../sandbox/wire/limits.js';
import { MAX_TAPE_ENTRIES } from '../../../sandbox/wire/methods.js';
import { parseMessage } from '../../../sandbox/wire/parse.js';
import { canonicalJson } from '../../canonical.js';
import { BulkheadError } from '../../errors.js';
import type { CallRecording, Frame } from '../types/recording.js';

/** The digest of a recording, over all its other members. */
export function digestOf(recording: Omit<CallRecording, 'digest'>): string {
  const { digest: _digest, ...rest }: { digest?: unknown } & object = recording;
  return hash('sha256', canonicalJson(rest), 'hex');
}

/** Parses the content of a recording file. Throws `INVALID_OPTIONS` if it is not valid. */
export function parseRecording(value: unknown): CallRecording {
  const format = isRecord(value) ? value['format'] : undefined;
  if (format === 'bulkhead-record') {
    throw invalid('it has version 1. Record the call again with `bulkhead call --record <file>`');
  }
  if (!isRecord(value) || format !== 'bulkhead-recording' || value['version'] !== 2) {
    throw invalid('it is not a recording of version 2, as `bulkhead call --record` writes them');
  }
  const { tape, frames } = value;
  if (!isRecord(tape) || !Array.isArray(frames)) throw invalid('it has no tape or no frames');
  return {
    format: 'bulkhead-recording',
    version: 2,
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
      ...(tape['entropy'] === undefined ? {} : { entropy: textsIn(tape, 'entropy') }),
      ...(tape['answers'] === undefined ? {} : { answers: textsIn(tape, 'answers') }),
    },
    frames: frames.map(parseFrame),
    digest: textIn(value, 'digest'),
  };
}

function parseFrame(frame: unknown, index: number): Frame {
  const by = isRecord(frame) ? frame['by'] : undefined;
  if (!isRecord(frame) || (by !== 'host' && by !== 'guest'))
    throw invalid(`frame ${index} is not valid`);
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
  if (typeof text !== 'string') throw invalid(`"${key}" is not text`);
  return text;
}

function textsIn(value: Readonly<Record<string, unknown>>, key: string): string[] {
  const list: unknown = value[key];
  if (Array.isArray(list) && list.every((one) => typeof one === 'string')) return list;
  throw invalid(`"${key}" is not a list of texts`);
}

function numbersIn(value: Readonly<Record<string, unknown>>, key: string): number[] {
  const list: unknown = value[key];
  if (Array.isArray(list) && list.every((one) => typeof one === 'number')) return list;
  throw invalid(`"${key}" is not a list of numbers`);
}

function invalid(what: string): BulkheadError {
  return new BulkheadError('INVALID_OPTIONS', `This recording cannot be replayed: ${what}.`, {
    option: 'recording',
  });
}

/** Limits for one recording. A call that exceeds them still runs; its recording is incomplete. */
export const RECORDING_LIMITS: {
  readonly maxTapeEntries: number;
  readonly maxRecordingCharacters: number;
} = {
  /** Number of tape entries: message and timer turns, and distinct clock readings. */
  maxTapeEntries: MAX_TAPE_ENTRIES,
  /** Characters of all frames, as serialized: 64 Mi. */
  maxRecordingCharacters: 64 * 1024 * 1024,
};
