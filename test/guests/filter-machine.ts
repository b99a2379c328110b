/** What a seccomp filter answers: an error's number, 0 to allow, or `killed`. */
export type Answer = number | 'killed';

/** Runs a filter as the kernel does, so that a test can ask it about either architecture. */
export function runFilter(
  filter: Buffer,
  call: {
    readonly architecture: number;
    readonly number: number;
    readonly args?: readonly number[];
  },
): Answer {
  const data = Buffer.alloc(64);
  data.writeUInt32LE(call.number >>> 0, 0);
  data.writeUInt32LE(call.architecture, 4);
  (call.args ?? []).forEach((arg, index) => data.writeUInt32LE(arg >>> 0, 16 + 8 * index));
  let accumulator = 0;
  for (let at = 0; at < filter.length / 8; at += 1) {
    const code = filter.readUInt16LE(at * 8);
    const jt = filter.readUInt8(at * 8 + 2);
    const jf = filter.readUInt8(at * 8 + 3);
    const k = filter.readUInt32LE(at * 8 + 4);
    switch (code) {
      case 0x20:
        accumulator = data.readUInt32LE(k);
        break;
      case 0x05:
        at += k;
        break;
      case 0x15:
        at += accumulator === k ? jt : jf;
        break;
      case 0x35:
        at += accumulator >= k ? jt : jf;
        break;
      case 0x45:
        at += (accumulator & k) === 0 ? jf : jt;
        break;
      case 0x06:
        if (k === 0x7fff_0000) return 0;
        return k === 0x8000_0000 ? 'killed' : k & 0xffff;
      default:
        throw new Error(`an instruction ${code} that the filter never has`);
    }
  }
  throw new Error('the filter has no end');
}
