import fc from 'fast-check';

/**
 * Which addresses are public hosts, written down a second time and in another way than the product
 * does: on bytes, from the registries of IANA ("Globally Reachable: False", multicast, reserved).
 */
export function isPublic(bytes: readonly number[]): boolean {
  const [a = 0, b = 0, c = 0, d = 0] = bytes;
  if (bytes.length === 4) return isPublicIpv4(a, b, c, d);
  const word = (index: number): number =>
    (bytes[index * 2] ?? 0) * 256 + (bytes[index * 2 + 1] ?? 0);
  const words = Array.from({ length: 8 }, (_, index) => word(index));
  if (words.slice(0, 5).every((value) => value === 0) && words[5] === 0xffff) {
    return isPublic(bytes.slice(12));
  }
  const [first = 0, second = 0] = words;
  // 2000::/3 is all that was ever given to public hosts.
  if (first < 0x2000 || first > 0x3fff) return false;
  if (first === 0x2001 && second < 0x0200) return false;
  if (first === 0x2001 && second === 0x0db8) return false;
  if (first === 0x2002) return false;
  return !(first === 0x3fff && second < 0x1000);
}

function isPublicIpv4(a: number, b: number, c: number, d: number): boolean {
  if (a === 0 || a === 10 || a === 127 || a >= 224) return false;
  if (a === 100) return b < 64 || b > 127;
  if (a === 169) return b !== 254;
  if (a === 172) return b < 16 || b > 31;
  if (a === 192) {
    if (b === 168 || (b === 0 && (c === 0 || c === 2))) return false;
    return !(b === 88 && c === 99);
  }
  if (a === 198) return b !== 18 && b !== 19 && !(b === 51 && c === 100);
  if (a === 203) return !(b === 0 && c === 113);
  return !(a === 168 && b === 63 && c === 129 && d === 16);
}

export interface Address {
  readonly bytes: readonly number[];
  /** As a resolver writes it. */
  readonly text: string;
}

/** Addresses of both families, many of them near the borders of what is special. */
export const addresses: fc.Arbitrary<Address> = fc.oneof(ipv4(), ipv6());

export function ipv4(): fc.Arbitrary<Address> {
  const any = fc.uint8Array({ minLength: 4, maxLength: 4 });
  const near = fc
    .tuple(
      fc.constantFrom(
        [0, 0],
        [10, 0],
        [100, 63],
        [100, 64],
        [100, 127],
        [100, 128],
        [127, 0],
        [168, 63],
        [169, 254],
        [172, 15],
        [172, 16],
        [172, 31],
        [172, 32],
        [192, 0],
        [192, 88],
        [192, 168],
        [198, 17],
        [198, 18],
        [198, 51],
        [203, 0],
        [223, 255],
        [224, 0],
        [255, 255],
      ),
      fc.constantFrom(0, 1, 2, 99, 100, 113, 129, 254, 255),
      fc.constantFrom(0, 1, 16, 255),
    )
    .map(([start, c, d]) => [...start, c, d]);
  return fc.oneof(any, near).map((some) => {
    const bytes = [...some];
    return { bytes, text: bytes.join('.') };
  });
}

function ipv6(): fc.Arbitrary<Address> {
  const any = fc.array(fc.nat(0xffff), { minLength: 8, maxLength: 8 });
  const near = fc
    .tuple(
      fc.constantFrom(
        [0],
        [0x64, 0xff9b],
        [0x100],
        [0x1fff, 0xffff],
        [0x2000],
        [0x2001],
        [0x2001, 2],
        [0x2001, 0x1ff],
        [0x2001, 0x200],
        [0x2001, 0xdb8],
        [0x2002],
        [0x2606, 0x4700],
        [0x3ffe],
        [0x3fff, 0xfff],
        [0x3fff, 0x1000],
        [0x4000],
        [0xfc00],
        [0xfe80],
        [0xfec0],
        [0xff02],
      ),
      fc.array(fc.constantFrom(0, 1, 0xffff, 0x7f00, 0x0a00), { minLength: 8, maxLength: 8 }),
    )
    .map(([start, rest]) => [...start, ...rest].slice(0, 8));
  const disguised = fc
    .tuple(
      fc.constantFrom(
        [0, 0, 0, 0, 0, 0xffff],
        [0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0xffff, 0],
        [0x64, 0xff9b, 0, 0, 0, 0],
      ),
      ipv4(),
    )
    .map(([start, { bytes }]) => {
      const [a = 0, b = 0, c = 0, d = 0] = bytes;
      return [...start, a * 256 + b, c * 256 + d];
    });
  return fc.tuple(fc.oneof(any, near, disguised), fc.boolean()).map(([words, dotted]) => {
    const bytes = words.flatMap((word) => [word >> 8, word & 0xff]);
    const hex = words.map((word) => word.toString(16));
    const text = dotted
      ? `${hex.slice(0, 6).join(':')}:${bytes.slice(12).join('.')}`
      : hex.join(':');
    return { bytes, text };
  });
}
