import { isRecord } from '../wire/json.js';
import { RawJson } from '../wire/service.js';
import { cloneBytes } from './bytes.js';
import { collectBytes } from './collect-bytes.js';
import type { EndowmentCapabilities } from './endowment.js';
import { withCode } from './errors.js';

export type PowerRequester = Pick<EndowmentCapabilities, 'host' | 'serialize' | 'limits' | 'text'>;

export interface PowerRequestOptions {
  /** Registers a listener that cancels the request. Returns a function that removes it. */
  readonly onAbort?: (listener: () => void) => () => void;
}

/** Uses a power of the host by name. Rejects with `POWER_INVALID` as `preparePower` throws. */
export async function requestPower(
  requester: PowerRequester,
  name: string,
  args: unknown,
  options?: PowerRequestOptions,
): Promise<unknown> {
  return preparePower(requester, name, args)(options);
}

/**
 * Copies the arguments of a power, which later changes then do not affect. Returns the function that
 * sends the request. JSON has no bytes, so typed arrays and ArrayBuffers in the arguments are sent
 * as one stream, and `null` is in their places. Arguments that are too large for a message begin the
 * stream. The result's bytes arrive the same way, as Uint8Arrays. Throws `POWER_INVALID` if the arguments cannot be sent.
 */
export function preparePower(
  { host, serialize, limits, text: codec }: PowerRequester,
  name: string,
  args: unknown,
): (options?: PowerRequestOptions) => Promise<unknown> {
  const parts: [path: readonly (string | number)[], length: number][] = [];
  const contents: Uint8Array[] = [];
  let size = 0;
  const subject = `The argument of ${name}`;
  const text = serializeArguments(() =>
    serialize(args, {
      subject,
      maxBytes: limits.maxBodyBytes,
      onBytes: (path, bytes) => {
        size += bytes.length;
        if (parts.length >= MAX_PARTS || size > limits.maxBodyBytes) {
          throw new Error(
            `${subject} contains more than ${MAX_PARTS} byte arrays or ${limits.maxBodyBytes} bytes`,
          );
        }
        parts.push([path, bytes.length]);
        contents.push(cloneBytes(bytes));
      },
    }),
  );
  return async (options) => {
    const json = text.length > MAX_MESSAGE_CHARACTERS ? codec.encode(text) : undefined;
    const all = json === undefined ? contents : [json, ...contents];
    const lengths = { parts, ...(json === undefined ? {} : { json: json.length }) };
    const sent = json === undefined ? text : 'null';
    const head = `{"name":${JSON.stringify(name)},"arguments":${sent}`;
    const params = (): RawJson =>
      new RawJson(
        all.length === 0
          ? `${head}}`
          : `${head},"bytes":${JSON.stringify({ stream: host.openStream(sourceOf(all)), ...lengths })}}`,
      );
    return readAnswer(await host.request('power', params, options), host, limits.maxBodyBytes);
  };
}

/** UTF-16 code units, of at most 3 bytes each. The host accepts messages of 8 MiB. */
const MAX_MESSAGE_CHARACTERS = 2 * 1024 * 1024;

/** Byte arrays in one request. Stops a list of empty arrays. */
const MAX_PARTS = 1_000;

function serializeArguments(run: () => string): string {
  try {
    return run();
  } catch (error) {
    const why = error instanceof Error ? error.message : 'The arguments cannot be read';
    throw withCode(new Error(why), 'POWER_INVALID');
  }
}

function sourceOf(contents: readonly Uint8Array[]): {
  pull(): Promise<Uint8Array | undefined>;
  cancel(): void;
} {
  const left = contents.filter(({ length }) => length > 0);
  return {
    pull: async () => left.shift(),
    cancel: () => {
      left.length = 0;
    },
  };
}

/** The host's answer: `{ value, bytes?: { stream, parts } }`. */
async function readAnswer(
  answer: unknown,
  host: PowerRequester['host'],
  maxBytes: number,
): Promise<unknown> {
  if (!isRecord(answer)) return null;
  const value: unknown = answer['value'] ?? null;
  const { stream, parts } = isRecord(answer['bytes']) ? answer['bytes'] : {};
  if (typeof stream !== 'number' || !Array.isArray(parts)) return value;
  const whole = await collectBytes(
    host.acceptStream(stream),
    maxBytes,
    () => new Error(`The result contains more than ${maxBytes} bytes`),
  );
  // A holder, so that the whole value may be bytes.
  const holder = { value };
  let at = 0;
  for (const part of parts) {
    const [path, length]: readonly unknown[] = Array.isArray(part) ? part : [];
    if (!Array.isArray(path) || typeof length !== 'number') continue;
    place(holder, ['value', ...path], cloneBytes(whole.subarray(at, at + length)));
    at += length;
  }
  return holder.value;
}

function place(holder: object, path: readonly unknown[], bytes: Uint8Array): void {
  let current: unknown = holder;
  for (const key of path.slice(0, -1)) {
    if (typeof current !== 'object' || current === null) return;
    current = Object.getOwnPropertyDescriptor(current, String(key))?.value;
  }
  if (typeof current !== 'object' || current === null) return;
  const property = { value: bytes, writable: true, enumerable: true, configurable: true };
  Reflect.defineProperty(current, String(path.at(-1)), property);
}
