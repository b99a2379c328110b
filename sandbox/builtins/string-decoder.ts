import { StringDecoder as PlainDecoder } from 'string_decoder/lib/string_decoder.js';
import { offer } from './denied.js';

/** The class of the package, which lacks the encoding base64url. May be called without `new`. */
function Decoder(this: PlainDecoder, encoding?: string): void {
  const isBase64Url = String(encoding).toLowerCase() === 'base64url';
  Reflect.apply(PlainDecoder, this, [isBase64Url ? 'base64' : encoding]);
  if (!isBase64Url) return;
  this.encoding = 'base64url';
  for (const method of ['write', 'end'] as const) {
    const plain = this[method];
    this[method] = (bytes: never): string =>
      Reflect.apply(plain, this, [bytes])
        .replaceAll('+', '-')
        .replaceAll('/', '_')
        .replaceAll('=', '');
  }
}
Decoder.prototype = PlainDecoder.prototype;

export const StringDecoder: object = Decoder;

export const builtin: object = offer('string_decoder', { StringDecoder });
