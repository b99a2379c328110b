import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { isRecord } from '../../../sandbox/wire/json.js';
import type { JsonObject } from '../../../sandbox/wire/messages.js';
import { BulkheadError, messageOf } from '../../errors.js';
import { hasProgramLogKey, programLogKey } from '../node/enclave-keys.js';
import { openSealedLogs } from '../node/sealed-logs.js';
import type { Logger } from '../types/options.js';
import { PROGRAM_LIMITS, type ProgramCall } from './program.js';
import type { ProgramHead } from './program-log.js';

/** A program that ended without an error, for `bulkhead add --program`. It has no results of calls. */
export interface FinishedProgram {
  readonly id: string;
  readonly source: string;
  /** The input that it ran with. */
  readonly input: JsonObject;
  /** The ids of the tools that it called, sorted. */
  readonly tools: readonly string[];
}

export interface FinishedPrograms {
  /** Keeps the source until the program's expiry. A source that cannot be written is logged. */
  keep(head: ProgramHead, calls: readonly ProgramCall[]): void;
  /** Throws `INVALID_OPTIONS` if it is not kept, and `PROGRAM_FAILED` if its file was changed. */
  read(id: string): FinishedProgram;
}

export interface FinishedProgramsPlace {
  readonly storageDirectory: string;
  readonly enclaveKeyFile: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * The sources of finished programs, in `.programs/finished` of the storage directory: files with mode 0600,
 * authenticated, named by expiry, tenant and id, so that expired ones are found without reading them.
 */
export function openFinishedPrograms(
  { storageDirectory, enclaveKeyFile, now }: FinishedProgramsPlace,
  logger: Pick<Logger, 'warn'>,
): FinishedPrograms {
  const directory = join(storageDirectory, '.programs', 'finished');
  const logs = openSealedLogs(directory, () => programLogKey(enclaveKeyFile, storageDirectory));

  const stored = (): readonly Name[] =>
    logs
      .list()
      .flatMap((name) => readName(name) ?? [])
      .toSorted((a, b) => a.expiresAtMs - b.expiresAtMs);

  const makeRoom = (tenant: string): void => {
    let all = stored();
    const remove = (gone: readonly Name[]): void => {
      for (const { name } of gone) logs.remove(name);
      all = all.filter((one) => !gone.includes(one));
    };
    remove(all.filter(({ expiresAtMs }) => expiresAtMs <= now()));
    const own = all.filter((one) => one.tenant === tenant);
    // guard: finished-programs-cap
    remove(own.slice(0, Math.max(0, own.length + 1 - PROGRAM_LIMITS.maxFinishedPerTenant)));
    remove(all.slice(0, Math.max(0, all.length + 1 - PROGRAM_LIMITS.maxFinished)));
  };

  return {
    keep: ({ id, tenant, source, input = {}, expiresAtMs }, calls) => {
      const tools = [...new Set(calls.map(({ tool }) => tool))].toSorted();
      const finished: FinishedProgram = { id, source, input, tools };
      try {
        const owner = nameOfTenant(tenant);
        makeRoom(owner);
        logs.create(`${expiresAtMs}-${owner}-${id}`, JSON.stringify(finished)).close();
      } catch (error) {
        logger.warn({ program: id }, `its source was not kept: ${messageOf(error)}`);
      }
    },
    read: (id) => {
      const found = stored().find((one) => one.id === id && one.expiresAtMs > now());
      if (found === undefined) {
        throw new BulkheadError(
          'INVALID_OPTIONS',
          `There is no finished program ${JSON.stringify(id)} in ${storageDirectory}. A program that ended without an error is kept for 24 hours. Check the id and --storage-directory.`,
          { option: 'program' },
        );
      }
      // guard: reading-creates-no-key
      if (!hasProgramLogKey(enclaveKeyFile)) {
        throw new BulkheadError(
          'INVALID_KEY',
          `The key file ${enclaveKeyFile} does not exist, so the source of ${id} cannot be checked. Name the key file of the engine that ran it with --key-file.`,
          { file: enclaveKeyFile },
        );
      }
      try {
        const [text = ''] = logs.read(found.name);
        const value: unknown = JSON.parse(text);
        // guard: finished-program-id-compared
        if (isFinished(value) && value.id === id) return value;
      } catch {
        // Below.
      }
      throw new BulkheadError(
        'PROGRAM_FAILED',
        `${logs.pathOf(found.name)} was changed after it was written, or has another key. Run the program again.`,
        { reason: 'its source was changed' },
      );
    },
  };
}

interface Name {
  readonly name: string;
  readonly expiresAtMs: number;
  readonly tenant: string;
  readonly id: string;
}

const NAME = /^(\d{13})-([0-9a-f]{16})-(call_[0-9a-f]{32})$/;

function readName(name: string): Name | undefined {
  const [, expires = '', tenant = '', id = ''] = NAME.exec(name) ?? [];
  return id === '' ? undefined : { name, expiresAtMs: Number(expires), tenant, id };
}

/** A tenant's name may have any characters. */
function nameOfTenant(tenant: string | undefined): string {
  const text = tenant === undefined ? 'none' : `tenant ${tenant}`;
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/** The MAC vouches for the content. */
function isFinished(value: unknown): value is FinishedProgram {
  return isRecord(value) && typeof value['source'] === 'string' && Array.isArray(value['tools']);
}
