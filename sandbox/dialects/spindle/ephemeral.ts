import { cloneBytes, copyBytes } from '../../endowments/bytes.js';
import type { DialectWorld } from '../dialect.js';
import { type HeldPermissions, type Mutations, permissionDenied } from './permissions.js';
import { pathOf } from './storage.js';
import { strict } from './strict.js';
import { SPINDLE_LIMITS } from './limits.js';

/**
 * `spindle.ephemeral`: temporary files (Spindle ephemeral storage). They are in the guest's memory
 * and are lost when the guest ends. The host may end the guest when no call is open.
 */
export function makeEphemeral(
  world: DialectWorld,
  mutations: Mutations,
  permissions: HeldPermissions,
): object {
  const { clock, text, feralDate, random } = world.powers;
  const files = new Map<string, EphemeralFile>();
  const blocks = new Map<string, Block>();

  const dateOf = (ms: number): string => new feralDate(ms).toISOString();
  const clearExpired = (): number => {
    const before = files.size;
    for (const [path, { expiresMs }] of files) if (expiresMs <= clock.now()) files.delete(path);
    for (const [id, { expiresMs }] of blocks) if (expiresMs <= clock.now()) blocks.delete(id);
    return before - files.size;
  };
  const used = (): number => sum([...files.values()].map(({ bytes }) => bytes.length));
  const reserved = (): number => sum([...blocks.values()].map(({ sizeBytes }) => sizeBytes));
  const demand = (path: unknown): EphemeralFile => {
    const file = files.get(pathOf(path));
    if (file === undefined) throw new Error('File not found');
    return file;
  };
  const put = (path: string, bytes: Uint8Array, options: unknown): void => {
    const before = files.get(path);
    const block = blocks.get(String(read(options, 'reservationId')));
    const free =
      SPINDLE_LIMITS.maxEphemeralBytes - used() - reserved() + (before?.bytes.length ?? 0);
    if (before === undefined && files.size >= SPINDLE_LIMITS.maxEphemeralFiles) {
      throw new Error(`Ephemeral storage holds at most ${SPINDLE_LIMITS.maxEphemeralFiles} files`);
    }
    if (bytes.length > free + (block?.sizeBytes ?? 0)) {
      throw new Error(`Ephemeral storage holds at most ${SPINDLE_LIMITS.maxEphemeralBytes} bytes`);
    }
    if (block !== undefined) block.sizeBytes = Math.max(0, block.sizeBytes - bytes.length);
    files.set(path, { bytes, createdMs: clock.now(), expiresMs: expiryOf(options, clock.now()) });
  };
  const guarded =
    (member: string, run: (...args: unknown[]) => unknown, changes = false) =>
    async (...args: unknown[]): Promise<unknown> => {
      if (changes) mutations.allow(`spindle.ephemeral.${member}`);
      if (!permissions.has('ephemeral_storage')) throw permissionDenied('ephemeral_storage');
      clearExpired();
      return run(...args);
    };

  return strict('spindle.ephemeral', {
    read: guarded('read', (path) => {
      const decoder = text.decoder('utf-8', { fatal: false, ignoreBOM: false });
      return decoder?.decode(demand(path).bytes, false) ?? '';
    }),
    readBinary: guarded('readBinary', (path) => cloneBytes(demand(path).bytes)),
    write: guarded(
      'write',
      (path, data, options) => {
        const bytes = typeof data === 'string' ? text.encode(data) : copyBytes(data);
        if (bytes === undefined) throw new TypeError('spindle.ephemeral.write takes a text');
        return put(pathOf(path), bytes, options);
      },
      true,
    ),
    writeBinary: guarded(
      'writeBinary',
      (path, data, options) => {
        const bytes = copyBytes(data);
        if (bytes === undefined) throw new TypeError('spindle.ephemeral.writeBinary takes bytes');
        put(pathOf(path), bytes, options);
      },
      true,
    ),
    delete: guarded('delete', (path) => void files.delete(pathOf(path)), true),
    list: guarded('list', (prefix) =>
      [...files.keys()].filter((path) =>
        path.startsWith(prefix === undefined ? '' : pathOf(prefix)),
      ),
    ),
    stat: guarded('stat', (path) => {
      const { bytes, createdMs, expiresMs } = demand(path);
      const expiry = expiresMs === Infinity ? {} : { expiresAt: dateOf(expiresMs) };
      return { sizeBytes: bytes.length, createdAt: dateOf(createdMs), ...expiry };
    }),
    clearExpired: guarded('clearExpired', clearExpired, true),
    getPoolStatus: guarded('getPoolStatus', () => {
      const [usedBytes, reservedBytes] = [used(), reserved()];
      const free = Math.max(0, SPINDLE_LIMITS.maxEphemeralBytes - usedBytes - reservedBytes);
      return {
        globalMaxBytes: SPINDLE_LIMITS.maxEphemeralBytes,
        globalUsedBytes: usedBytes,
        globalReservedBytes: reservedBytes,
        globalAvailableBytes: free,
        extensionMaxBytes: SPINDLE_LIMITS.maxEphemeralBytes,
        extensionUsedBytes: usedBytes,
        extensionReservedBytes: reservedBytes,
        extensionAvailableBytes: free,
        fileCount: files.size,
        fileCountMax: SPINDLE_LIMITS.maxEphemeralFiles,
      };
    }),
    requestBlock: guarded(
      'requestBlock',
      (size, options) => {
        const sizeBytes = Math.trunc(Number(size));
        if (!(sizeBytes > 0)) throw new Error('A block has at least one byte');
        if (
          sizeBytes > SPINDLE_LIMITS.maxEphemeralBytes - used() - reserved() ||
          blocks.size >= SPINDLE_LIMITS.maxEphemeralFiles
        ) {
          throw new Error(
            `Ephemeral storage holds at most ${SPINDLE_LIMITS.maxEphemeralBytes} bytes`,
          );
        }
        const reservationId = `block_${Math.floor(random() * 2 ** 48).toString(36)}${blocks.size}`;
        const expiresMs = Math.min(
          expiryOf(options, clock.now()),
          clock.now() + SPINDLE_LIMITS.blockMs,
        );
        blocks.set(reservationId, { sizeBytes, expiresMs });
        return { reservationId, sizeBytes, expiresAt: dateOf(expiresMs) };
      },
      true,
    ),
    releaseBlock: guarded('releaseBlock', (id) => void blocks.delete(String(id)), true),
  });
}

interface EphemeralFile {
  readonly bytes: Uint8Array;
  readonly createdMs: number;
  readonly expiresMs: number;
}

interface Block {
  sizeBytes: number;
  readonly expiresMs: number;
}

function expiryOf(options: unknown, now: number): number {
  const ttl: unknown = read(options, 'ttlMs');
  return typeof ttl === 'number' && ttl > 0 ? now + ttl : Infinity;
}

function read(options: unknown, key: string): unknown {
  return typeof options === 'object' && options !== null ? Reflect.get(options, key) : undefined;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, next) => total + next, 0);
}
