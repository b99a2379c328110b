import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { isRecord } from '../../../sandbox/wire/json.js';
import { type FileMutex, tryFileMutex } from '../../file-mutex.js';
import type { Usage } from './directory.js';

/** Longest wait for another engine's change, in milliseconds. */
const WAIT_MS = 30_000;
const POLL_MS = 2;

/** What all engines that share a store know of it, in a file. */
export interface SharedUsage {
  readonly usage: Usage;
  /** Differs after each change, by any engine. */
  readonly stamp: string;
}

/** Takes the store for one change; no other engine, in no process, has it meanwhile. */
export async function lockStore(home: string): Promise<FileMutex> {
  const path = join(home, 'mutex');
  for (let waitedMs = 0; ; waitedMs += POLL_MS) {
    const mutex = tryFileMutex(path);
    if (!('heldBy' in mutex)) return mutex;
    if (waitedMs >= WAIT_MS) {
      throw new Error(`process ${mutex.heldBy} has used it for ${WAIT_MS / 1_000} s`);
    }
    await setTimeout(POLL_MS);
  }
}

/** `undefined` if the file is missing or not valid: then the store has to be counted. */
export function readSharedUsage(home: string): SharedUsage | undefined {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(join(home, FILE), 'utf8'));
  } catch {
    return undefined;
  }
  if (!isRecord(value)) return undefined;
  const { bytes, files, stamp } = value;
  if (!isCount(bytes) || !isCount(files) || typeof stamp !== 'string') return undefined;
  return { usage: { bytes, files }, stamp };
}

export function writeSharedUsage(home: string, { usage, stamp }: SharedUsage): void {
  const { bytes, files } = usage;
  writeFileSync(join(home, FILE), JSON.stringify({ bytes, files, stamp }), { mode: 0o600 });
}

/** Before a change. A process that dies during the change leaves no wrong count behind. */
export function forgetSharedUsage(home: string): void {
  rmSync(join(home, FILE), { force: true });
}

const FILE = 'usage.json';

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
