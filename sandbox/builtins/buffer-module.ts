import { Buffer } from './buffer.js';
import { offer } from './denied.js';
import { compartmentGlobal } from './compartment-globals.js';

export const builtin: object = offer('buffer', {
  Buffer,
  SlowBuffer: Buffer,
  kMaxLength: 2 ** 31 - 1,
  kStringMaxLength: 2 ** 29 - 24,
  constants: { MAX_LENGTH: 2 ** 31 - 1, MAX_STRING_LENGTH: 2 ** 29 - 24 },
  INSPECT_MAX_BYTES: 50,
  atob: (text: string): string => Buffer.from(text, 'base64').toString('latin1'),
  btoa: (text: string): string => Buffer.from(text, 'latin1').toString('base64'),
  isUtf8: (bytes: Uint8Array): boolean => !Buffer.from(bytes).toString().includes('\uFFFD'),
  isAscii: (bytes: Uint8Array): boolean => bytes.every((byte) => byte < 0x80),
  get Blob() {
    return compartmentGlobal('Blob');
  },
});
