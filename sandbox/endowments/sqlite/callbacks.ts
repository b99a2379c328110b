import { joinBytes } from '../bytes.js';

/** A function for compiled code. `i` is a 32-bit and `j` a 64-bit integer: `iij:i`. */
export interface Callback {
  readonly signature: string;
  readonly run: unknown;
}

/**
 * A WebAssembly module that imports functions of JavaScript and exports each as its own. Only such
 * functions can be in a table of compiled code.
 */
export function wrappingModule(signatures: readonly string[]): Uint8Array {
  const types = signatures.map((signature) => {
    const [params = '', results = ''] = signature.split(':');
    return [
      0x60,
      ...vector(params.split('').map(typeOf)),
      ...vector(results.split('').map(typeOf)),
    ];
  });
  const imports = signatures.map((_, index) => [
    ...name('host'),
    ...name(String(index)),
    0,
    ...unsigned(index),
  ]);
  const exports = signatures.map((_, index) => [...name(String(index)), 0, ...unsigned(index)]);
  return joinBytes([
    Uint8Array.of(0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0),
    section(1, types),
    section(2, imports),
    section(7, exports),
  ]);
}

function section(id: number, items: readonly (readonly number[])[]): Uint8Array {
  const content = [...unsigned(items.length), ...items.flat()];
  return Uint8Array.from([id, ...unsigned(content.length), ...content]);
}

function vector(bytes: readonly number[]): number[] {
  return [...unsigned(bytes.length), ...bytes];
}

function name(text: string): number[] {
  return vector(text.split('').map((character) => character.charCodeAt(0)));
}

function typeOf(letter: string): number {
  return letter === 'j' ? 0x7e : 0x7f;
}

/** LEB128. */
function unsigned(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)];
}
