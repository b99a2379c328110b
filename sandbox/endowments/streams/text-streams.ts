import { viewBytes } from '../bytes.js';
import { makeBrand } from '../brand.js';
import type { TextCapability } from '../endowment.js';
import { member, toOptions, toScalarText, toText } from '../web-idl.js';
import { enqueue, type StreamState } from './stream-state.js';
import { joinStreams, type TransformState } from './transform-stream.js';

/** `TextEncoderStream` and `TextDecoderStream`, over the platform's codecs. */
export function makeTextStreams(power: TextCapability): Readonly<Record<string, object>> {
  return {
    TextEncoderStream: makeEncoderStream(power),
    TextDecoderStream: makeDecoderStream(power),
  };
}

function makeEncoderStream(power: TextCapability): object {
  const states = makeBrand<TransformState>('TextEncoderStream');
  return class TextEncoderStream {
    constructor() {
      // The first half of a character that two chunks share.
      let half = '';
      const put = (text: string, output: StreamState): void => {
        if (text !== '') enqueue(output, power.encode(toScalarText(text)));
      };
      states.give(
        this,
        joinStreams({
          transform: (chunk, output) => {
            const text = half + toText(chunk);
            const isSplit = /[\ud800-\udbff]$/.test(text);
            half = isSplit ? text.slice(-1) : '';
            put(isSplit ? text.slice(0, -1) : text, output);
          },
          flush: (output) => put(half, output),
        }),
      );
    }
    get encoding(): string {
      return 'utf-8';
    }
    get readable(): object {
      return states.demand(this).readable;
    }
    get writable(): object {
      return states.demand(this).writable;
    }
    get [Symbol.toStringTag](): string {
      return 'TextEncoderStream';
    }
  };
}

function makeDecoderStream(power: TextCapability): object {
  const states = makeBrand<
    TransformState & {
      readonly encoding: string;
      readonly fatal: boolean;
      readonly ignoreBOM: boolean;
    }
  >('TextDecoderStream');
  return class TextDecoderStream {
    constructor(label: unknown = 'utf-8', options?: unknown) {
      const name = toText(label);
      const given = toOptions(options, 'options argument of TextDecoderStream');
      const fatal = Boolean(member(given, 'fatal'));
      const ignoreBOM = Boolean(member(given, 'ignoreBOM'));
      const codec = power.decoder(name, { fatal, ignoreBOM });
      if (codec === undefined) {
        throw new RangeError(`There is no encoding called ${JSON.stringify(name)}`);
      }
      const decode = (bytes: Uint8Array, more: boolean, output: StreamState): void => {
        let text: string;
        try {
          text = codec.decode(bytes, more);
        } catch {
          // The platform's error is an object of the host's realm, so ours replaces it.
          throw new TypeError(`The bytes are not valid ${codec.encoding}`);
        }
        if (text !== '') enqueue(output, text);
      };
      const joined = joinStreams({
        transform: (chunk, output) => {
          const bytes = viewBytes(chunk);
          if (bytes === undefined) throw new TypeError('A TextDecoderStream takes bytes');
          decode(bytes, true, output);
        },
        flush: (output) => decode(new Uint8Array(0), false, output),
      });
      states.give(this, { ...joined, encoding: codec.encoding, fatal, ignoreBOM });
    }
    get encoding(): string {
      return states.demand(this).encoding;
    }
    get fatal(): boolean {
      return states.demand(this).fatal;
    }
    get ignoreBOM(): boolean {
      return states.demand(this).ignoreBOM;
    }
    get readable(): object {
      return states.demand(this).readable;
    }
    get writable(): object {
      return states.demand(this).writable;
    }
    get [Symbol.toStringTag](): string {
      return 'TextDecoderStream';
    }
  };
}
