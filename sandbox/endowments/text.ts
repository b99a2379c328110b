import { isTypedArray, typedArrayName, viewBytes } from './bytes.js';
import { makeBrand } from './brand.js';
import { withCode } from './errors.js';
import type { Endowed, Endowment, TextCapability } from './endowment.js';
import { member, toOptions, toScalarText, toText } from './web-idl.js';

/** `TextEncoder` and `TextDecoder`: classes of our own over the platform's codecs. */
export const text: Endowment = {
  globals: ['TextEncoder', 'TextDecoder'],
  make: (capabilities): Endowed => ({
    globals: {
      TextEncoder: makeTextEncoder(capabilities.text),
      TextDecoder: makeTextDecoder(capabilities.text),
    },
    // Converting text is not an authority, so nothing is revoked.
    revoke: () => undefined,
  }),
};

function makeTextEncoder(power: TextCapability): object {
  return class TextEncoder {
    get encoding(): string {
      return 'utf-8';
    }

    encode(input: unknown = ''): Uint8Array {
      return power.encode(toText(input));
    }

    encodeInto(source: unknown, destination: unknown): { read: number; written: number } {
      const input = toScalarText(source);
      const target = asUint8Array(destination);
      if (input.length * MOST_BYTES <= target.length) {
        const bytes = power.encode(input);
        target.set(bytes);
        return { read: input.length, written: bytes.length };
      }
      let read = 0;
      let written = 0;
      for (const character of input) {
        const code = character.codePointAt(0) ?? 0;
        const size = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
        if (written + size > target.length) break;
        writeUtf8(target, written, code, size);
        written += size;
        read += character.length;
      }
      return { read, written };
    }

    get [Symbol.toStringTag](): string {
      return 'TextEncoder';
    }
  };
}

/** Bytes of one UTF-16 unit in UTF-8, at most. */
const MOST_BYTES = 3;

function asUint8Array(value: unknown): Uint8Array {
  const view =
    typeof value === 'object' && value !== null && isTypedArray(value)
      ? viewBytes(value)
      : undefined;
  if (view === undefined || typedArrayName(Object(value)) !== 'Uint8Array') {
    throw new TypeError('encodeInto writes into a Uint8Array');
  }
  return view;
}

function writeUtf8(target: Uint8Array, at: number, code: number, size: number): void {
  if (size === 1) {
    target[at] = code;
    return;
  }
  for (let index = size - 1, rest = code; index > 0; index -= 1, rest >>>= 6) {
    target[at + index] = 0x80 | (rest & 0x3f);
  }
  const marker = size === 2 ? 0xc0 : size === 3 ? 0xe0 : 0xf0;
  target[at] = marker | (code >>> (6 * (size - 1)));
}

interface DecoderState {
  readonly encoding: string;
  readonly fatal: boolean;
  readonly ignoreBOM: boolean;
  /**
   * The platform's decoder. Replaced after an error, because it may contain a partial character.
   */
  codec: ReturnType<TextCapability['decoder']>;
}

function makeTextDecoder(power: TextCapability): object {
  const decoders = makeBrand<DecoderState>('TextDecoder');
  return class TextDecoder {
    constructor(label: unknown = 'utf-8', options?: unknown) {
      const name = toText(label);
      const given = toOptions(options, 'options argument of TextDecoder');
      const fatal = Boolean(member(given, 'fatal'));
      const ignoreBOM = Boolean(member(given, 'ignoreBOM'));
      const codec = power.decoder(name, { fatal, ignoreBOM });
      if (codec === undefined) {
        const error = new RangeError(`There is no encoding called ${JSON.stringify(name)}`);
        throw withCode(error, 'ERR_ENCODING_NOT_SUPPORTED');
      }
      decoders.give(this, { encoding: codec.encoding, fatal, ignoreBOM, codec });
    }

    get encoding(): string {
      return decoders.demand(this).encoding;
    }
    get fatal(): boolean {
      return decoders.demand(this).fatal;
    }
    get ignoreBOM(): boolean {
      return decoders.demand(this).ignoreBOM;
    }

    decode(input?: unknown, options?: unknown): string {
      const state = decoders.demand(this);
      const more = Boolean(member(toOptions(options, 'options argument of decode'), 'stream'));
      const bytes = input === undefined ? new Uint8Array(0) : viewBytes(input);
      if (bytes === undefined) throw new TypeError('decode takes an ArrayBuffer or a view of one');
      state.codec ??= power.decoder(state.encoding, state);
      try {
        return state.codec?.decode(bytes, more) ?? '';
      } catch {
        state.codec = undefined;
        // The platform's error is an object of the host's realm, so ours replaces it.
        const error = new TypeError(`The bytes are not valid ${state.encoding}`);
        throw withCode(error, 'ERR_ENCODING_INVALID_ENCODED_DATA');
      }
    }

    get [Symbol.toStringTag](): string {
      return 'TextDecoder';
    }
  };
}
