import { isRecord } from '../../../sandbox/wire/json.js';
import { FROM_GUEST } from '../../../sandbox/wire/limits.js';
import type { Json } from '../../../sandbox/wire/messages.js';
import type { PluginIdentity } from '../../../sandbox/wire/methods.js';
import { parsePayload } from '../../../sandbox/wire/parse.js';
import { makeSemaphore } from '../../../sandbox/wire/semaphore.js';
import type { ByteSource } from '../../../sandbox/wire/streams.js';
import { type BulkheadError, isBulkheadError, messageOf } from '../../errors.js';
import { POWER_LIMITS, type PowerLimits } from '../limits.js';
import {
  type Attribution,
  type OpenFields,
  openRecord,
  type OpenRecord,
  type PowerRecord,
} from '../record.js';
import type { HostPower, HostPowers } from './host-powers.js';
import { type BytePart, collect, parseParts, placeBytes, sourceOf, splitBytes } from './bytes.js';
import { makeRefusals, type Refusals } from './refusals.js';

export interface PowerBrokerSpec {
  readonly plugin: PluginIdentity;
  /** The only tenant whose calls its guests run. */
  readonly tenant?: string | undefined;
  readonly hostPowers: HostPowers;
  /** Names of the granted permissions. */
  readonly granted: readonly string[];
  readonly limits?: Partial<PowerLimits>;
  readonly onEvent?: (record: PowerRecord) => void;
}

/** Uses the host's powers for one plugin, within its grant. */
export interface PowerBroker {
  /**
   * Uses one power. `params` come from a guest (`PowerParams`) and are parsed here. `body` has the
   * bytes of the arguments; it is cancelled if it is not used. Answers a copy of the result.
   *
   * Rejects with `POWER_DENIED`, `POWER_UNAVAILABLE`, `POWER_INVALID`, `POWER_FAILED`, `POWER_LIMIT`,
   * `CANCELLED` by the signal, or `PERMISSION_REVOKED` once the permission is revoked.
   */
  use(
    params: unknown,
    signal: AbortSignal,
    attribution?: Attribution,
    body?: ByteSource,
  ): Promise<PowerAnswer>;
  /** Replaces the grant, and ends the open uses whose permission is not in it. */
  updateGrant(granted: readonly string[]): void;
  /** Refuses every open and every later use. */
  close(): void;
}

/** A result as JSON text, with its bytes apart. */
export interface PowerAnswer {
  readonly text: string;
  /** Absent if the result has no bytes. The caller reads the content to its end or cancels it. */
  readonly bytes?: { readonly parts: readonly BytePart[]; readonly content: ByteSource };
}

export function makePowerBroker(spec: PowerBrokerSpec): PowerBroker {
  const { plugin, hostPowers } = spec;
  const limits: PowerLimits = { ...POWER_LIMITS, ...spec.limits };
  const refusals = makeRefusals(plugin, limits);
  const semaphore = makeSemaphore({
    ...limits,
    full: () => refusals.limit('maxQueued', 'too many of its uses are queued'),
  });
  let granted = spec.granted;
  let closed = false;
  /** The open uses of each permission. */
  const open = new Map<string, Set<AbortController>>();

  const find = (name: string): HostPower => {
    const power = hostPowers.find(name);
    const permission = power?.permission ?? name;
    if (closed) throw refusals.revoked(name);
    // guard: host-power-granted
    if (!granted.includes(permission)) throw refusals.denied(name, permission, granted);
    if (power === undefined) throw refusals.unavailable(name);
    return power;
  };

  const run = async (
    { power, args, sent }: Use,
    signal: AbortSignal,
    { fields }: OpenRecord<PowerRecord>,
    call: string | undefined,
  ): Promise<PowerAnswer> => {
    const { maxArgumentBytes = limits.maxArgumentBytes } = power;
    const { maxResultBytes = limits.maxResultBytes } = power;
    const jsonBytes = sent?.json ?? Buffer.byteLength(JSON.stringify(args));
    fields.bytesOut = jsonBytes + sizeOf(sent?.parts ?? []);
    // guard: power-argument-cap
    if (fields.bytesOut > maxArgumentBytes) {
      throw refusals.limit(
        'maxArgumentBytes',
        `the arguments of ${power.name} are ${fields.bytesOut} bytes`,
        maxArgumentBytes,
      );
    }
    const check = (given: unknown): unknown => {
      const checked = power.checkArguments(given);
      // guard: host-power-arguments-checked
      if (!checked.ok) throw refusals.invalid(power.name, checked.problems);
      return checked.value;
    };
    const early = sent?.json === undefined ? check(args) : undefined;
    const controller = new AbortController();
    const uses = open.get(power.permission) ?? new Set();
    open.set(power.permission, uses.add(controller));
    const stopped = (): BulkheadError =>
      controller.signal.aborted ? refusals.revoked(power.name) : refusals.cancelled(power.name);
    const ended = AbortSignal.any([signal, controller.signal]);
    try {
      const release = await semaphore.acquire(ended);
      try {
        const given = await withBytes(early, sent, (text) => {
          try {
            return check(parsePayload(text, FROM_GUEST));
          } catch (error) {
            throw isBulkheadError(error) ? error : refusals.invalid(power.name, [messageOf(error)]);
          }
        });
        const result = await runHandler(power, given, {
          plugin: plugin.id,
          call,
          among: fields.among,
          tenant: spec.tenant,
          signal: ended,
          refusals,
          stopped,
          maxResultBytes,
        });
        fields.bytesIn = Buffer.byteLength(result.text) + sizeOf(result.bytes?.parts ?? []);
        return result;
      } finally {
        release();
      }
    } catch (error) {
      throw ended.aborted ? stopped() : error;
    } finally {
      uses.delete(controller);
    }
  };

  const endUses = (permission: string): void => {
    for (const controller of open.get(permission) ?? []) controller.abort();
  };

  return {
    use: async (params, signal, attribution, body) => {
      const name = isRecord(params) ? params['name'] : undefined;
      const record = openRecord<OpenFields<PowerRecord>>(
        {
          ...attribution,
          power: typeof name === 'string' ? name.slice(0, 200) : '',
          bytesIn: 0,
          bytesOut: 0,
        },
        spec.onEvent,
      );
      try {
        if (!isRecord(params) || typeof name !== 'string') throw refusals.malformed();
        const sent = readSent(params['bytes'], body);
        if (sent === MALFORMED) throw refusals.malformed();
        const use = { power: find(name), args: params['arguments'] ?? null, sent };
        const result = await run(use, signal, record, attribution?.call);
        record.close('allowed');
        return result;
      } catch (error) {
        body?.cancel('the power was not used');
        const explained = isBulkheadError(error)
          ? error
          : refusals.failed(record.fields.power, 'its host could not run it', error);
        record.close(DENIALS.has(explained.code) ? 'denied' : 'failed', explained);
        throw explained;
      }
    },
    updateGrant: (next) => {
      const revoked = granted.filter((permission) => !next.includes(permission));
      granted = next;
      for (const permission of revoked) endUses(permission);
    },
    close: () => {
      closed = true;
      for (const permission of open.keys()) endUses(permission);
    },
  };
}

/** One use of a power. */
interface Use {
  readonly power: HostPower;
  readonly args: unknown;
  readonly sent: SentBytes | undefined;
}

/** The bytes of a use's arguments, and their places. */
interface SentBytes {
  /** The length of the arguments' JSON text, which begins the body. Absent: it is in the message. */
  readonly json?: number;
  readonly parts: readonly BytePart[];
  readonly body: ByteSource;
}

const MALFORMED = Symbol('malformed');

function readSent(
  given: unknown,
  body: ByteSource | undefined,
): SentBytes | undefined | typeof MALFORMED {
  if (given === undefined) return undefined;
  const { parts: places, json } = isRecord(given) ? given : {};
  const parts = parseParts(places);
  if (parts === undefined || body === undefined) return MALFORMED;
  if (json === undefined) return { parts, body };
  const isLength = typeof json === 'number' && Number.isSafeInteger(json) && json >= 0;
  return isLength ? { parts, body, json } : MALFORMED;
}

function sizeOf(parts: readonly BytePart[]): number {
  return parts.reduce((sum, [, length]) => sum + length, 0);
}

async function withBytes(
  args: unknown,
  sent: SentBytes | undefined,
  parse: (text: string) => unknown,
): Promise<unknown> {
  if (sent === undefined) return args;
  const { parts, body, json } = sent;
  const content = await collect(
    body,
    (json ?? 0) + sizeOf(parts),
    () => new Error('the bytes are more than were announced'),
  );
  if (json === undefined) return placeBytes(args, parts, content);
  const text = Buffer.from(content.buffer, content.byteOffset, Math.min(json, content.length));
  return placeBytes(parse(text.toString('utf8')), parts, content.subarray(json));
}

const DENIALS: ReadonlySet<string> = new Set(['POWER_DENIED', 'PERMISSION_REVOKED']);

interface RunSpec {
  /** The plugin's id. */
  readonly plugin: string;
  readonly call: string | undefined;
  readonly among: readonly string[] | undefined;
  readonly tenant: string | undefined;
  /** Aborts if the use was cancelled or revoked. */
  readonly signal: AbortSignal;
  /** The error for that. */
  readonly stopped: () => BulkheadError;
  readonly refusals: Refusals;
  readonly maxResultBytes: number;
}

/**
 * Runs the handler of a power until its deadline, and answers a copy of the result. At the deadline
 * the handler's signal aborts, and a later result is ignored.
 */
async function runHandler(
  power: HostPower,
  args: unknown,
  { plugin, call, among, tenant, signal, stopped, refusals, maxResultBytes }: RunSpec,
): Promise<PowerAnswer> {
  const { name, permission, timeoutMs } = power;
  const deadline = new AbortController();
  const ended = AbortSignal.any([signal, deadline.signal]);
  const timer = setTimeout(() => deadline.abort(), timeoutMs);
  const over = new Promise<never>((_, reject) => {
    const fail = (): void =>
      reject(
        signal.aborted
          ? stopped()
          : refusals.failed(name, `it did not finish within ${timeoutMs} ms`),
      );
    if (ended.aborted) fail();
    else ended.addEventListener('abort', fail, { once: true });
  });
  try {
    const context = Object.freeze({
      plugin,
      permission,
      signal: ended,
      ...(call === undefined ? {} : { call }),
      ...(among === undefined ? {} : { among }),
      // guard: power-of-one-tenant
      ...(tenant === undefined ? {} : { tenant }),
    });
    const result = Promise.resolve().then(() => power.handler(isJson(args) ? args : null, context));
    return copyResult(await Promise.race([result, over]), power, refusals, maxResultBytes);
  } catch (error) {
    throw isBulkheadError(error) ? error : refusals.failed(name, reasonOf(error), error);
  } finally {
    clearTimeout(timer);
    // The handler may still run: its result is not needed.
    deadline.abort();
    over.catch(() => {});
  }
}

/** The arguments are JSON from the wire, and passed only a validator. */
function isJson(args: unknown): args is Json {
  return args !== undefined;
}

function copyResult(
  result: unknown,
  { name, checkResult }: HostPower,
  refusals: Refusals,
  maxResultBytes: number,
): PowerAnswer {
  const { value, parts, contents } = splitBytes(result);
  const text = JSON.stringify(value ?? null) ?? 'null';
  // guard: power-result-cap
  if (Buffer.byteLength(text) + sizeOf(parts) > maxResultBytes) {
    throw refusals.limit('maxResultBytes', `the result of ${name} is larger`, maxResultBytes);
  }
  const checked = checkResult(JSON.parse(text));
  if (checked.ok) {
    const answer = { text: JSON.stringify(checked.value) };
    return parts.length === 0
      ? answer
      : { ...answer, bytes: { parts, content: sourceOf(contents) } };
  }
  throw refusals.failed(name, 'its result does not fit its own schema', {
    problems: checked.problems,
  });
}

/** The message of a handler's error, if the handler exposes it to plugins. */
function reasonOf(error: unknown): string {
  const exposed = error instanceof Error && 'expose' in error && error.expose === true;
  return exposed ? error.message.replace(/\.$/, '') : 'its handler failed';
}
