/** The names, widths and accessors of the numbers that a buffer reads and writes. */
interface Kind {
  readonly name: string;
  readonly bytes: number;
  readonly read: (view: DataView, at: number, little: boolean) => number | bigint;
  readonly write: (view: DataView, at: number, value: unknown, little: boolean) => void;
}

const KINDS: readonly Kind[] = [
  {
    name: 'Int8',
    bytes: 1,
    read: (v, at) => v.getInt8(at),
    write: (v, at, x) => v.setInt8(at, Number(x)),
  },
  {
    name: 'UInt8',
    bytes: 1,
    read: (v, at) => v.getUint8(at),
    write: (v, at, x) => v.setUint8(at, Number(x)),
  },
  {
    name: 'Int16',
    bytes: 2,
    read: (v, at, le) => v.getInt16(at, le),
    write: (v, at, x, le) => v.setInt16(at, Number(x), le),
  },
  {
    name: 'UInt16',
    bytes: 2,
    read: (v, at, le) => v.getUint16(at, le),
    write: (v, at, x, le) => v.setUint16(at, Number(x), le),
  },
  {
    name: 'Int32',
    bytes: 4,
    read: (v, at, le) => v.getInt32(at, le),
    write: (v, at, x, le) => v.setInt32(at, Number(x), le),
  },
  {
    name: 'UInt32',
    bytes: 4,
    read: (v, at, le) => v.getUint32(at, le),
    write: (v, at, x, le) => v.setUint32(at, Number(x), le),
  },
  {
    name: 'Float',
    bytes: 4,
    read: (v, at, le) => v.getFloat32(at, le),
    write: (v, at, x, le) => v.setFloat32(at, Number(x), le),
  },
  {
    name: 'Double',
    bytes: 8,
    read: (v, at, le) => v.getFloat64(at, le),
    write: (v, at, x, le) => v.setFloat64(at, Number(x), le),
  },
  {
    name: 'BigInt64',
    bytes: 8,
    read: (v, at, le) => v.getBigInt64(at, le),
    write: (v, at, x, le) => v.setBigInt64(at, BigInt(x as bigint), le),
  },
  {
    name: 'BigUInt64',
    bytes: 8,
    read: (v, at, le) => v.getBigUint64(at, le),
    write: (v, at, x, le) => v.setBigUint64(at, BigInt(x as bigint), le),
  },
];

/** `readUInt16LE`, `writeDoubleBE` and the rest, as methods of whatever is made of bytes. */
export function numberMethods(): Record<string, (this: Uint8Array, ...args: never[]) => unknown> {
  const methods: Record<string, (this: Uint8Array, ...args: never[]) => unknown> = {};
  const add = (name: string, method: (this: Uint8Array, ...args: never[]) => unknown): void => {
    methods[name] = method;
    methods[name.replace('UInt', 'Uint')] = method;
  };
  for (const { name, bytes, read, write } of KINDS) {
    for (const order of bytes === 1 ? [''] : ['LE', 'BE']) {
      const little = order === 'LE';
      add(`read${name}${order}`, function (this: Uint8Array, at = 0) {
        return read(viewOf(this), checkRange(this, at, bytes), little);
      });
      add(`write${name}${order}`, function (this: Uint8Array, value: unknown, at = 0) {
        write(viewOf(this), checkRange(this, at, bytes), value, little);
        return at + bytes;
      });
    }
  }
  for (const order of ['LE', 'BE']) {
    for (const signed of [true, false]) {
      const name = `${signed ? 'Int' : 'UInt'}${order}`;
      add(`read${name}`, function (this: Uint8Array, at: number, width: number) {
        return readWide(this, checkRange(this, at, width), width, order === 'LE', signed);
      });
      add(`write${name}`, function (this: Uint8Array, value: number, at: number, width: number) {
        checkRange(this, at, width);
        let rest = value;
        for (let index = 0; index < width; index += 1) {
          this[order === 'LE' ? at + index : at + width - 1 - index] = rest & 0xff;
          rest = Math.floor(rest / 256);
        }
        return at + width;
      });
    }
  }
  return methods;
}

function readWide(
  bytes: Uint8Array,
  at: number,
  width: number,
  little: boolean,
  signed: boolean,
): number {
  let value = 0;
  for (let index = 0; index < width; index += 1) {
    value = value * 256 + (bytes[little ? at + width - 1 - index : at + index] ?? 0);
  }
  return signed && value >= 2 ** (8 * width - 1) ? value - 2 ** (8 * width) : value;
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function checkRange(bytes: Uint8Array, at: number, width: number): number {
  if (!Number.isInteger(at) || at < 0 || at + width > bytes.length) {
    throw Object.assign(
      new RangeError(
        `The value of "offset" is out of range: ${at} (the buffer has ${bytes.length} bytes)`,
      ),
      { code: 'ERR_OUT_OF_RANGE' },
    );
  }
  return at;
}
