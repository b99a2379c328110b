import { isIP, numberOf } from './ip-address.js';

type Family = 'ipv4' | 'ipv6';

interface Rule {
  readonly family: Family;
  readonly from: bigint;
  readonly to: bigint;
  /** As `rules` lists it. */
  readonly text: string;
}

const BITS: Readonly<Record<Family, number>> = { ipv4: 32, ipv6: 128 };
const NAMES: Readonly<Record<Family, string>> = { ipv4: 'IPv4', ipv6: 'IPv6' };

/** `::ffff:0:0/96`: IPv6 addresses that stand for an IPv4 address. */
const MAPPED = 0xffff_0000_0000n;

/** `net.BlockList`: addresses by rules. It only computes. */
export class BlockList {
  readonly #rules: Rule[] = [];

  static isBlockList(value: unknown): boolean {
    return value instanceof BlockList;
  }

  addAddress(address: unknown, family?: unknown): void {
    const one = read(address, family);
    this.#add({ ...one, to: one.from, text: `Address: ${NAMES[one.family]} ${one.address}` });
  }

  addRange(start: unknown, end: unknown, family?: unknown): void {
    const [first, last] = [read(start, family), read(end, family)];
    if (last.from < first.from) throw invalid('start', `must come before ${last.address}`);
    const text = `Range: ${NAMES[first.family]} ${first.address}-${last.address}`;
    this.#add({ ...first, to: last.from, text });
  }

  addSubnet(net: unknown, prefix: unknown, family?: unknown): void {
    const { family: kind, from, address } = read(net, family);
    const bits = BITS[kind];
    if (typeof prefix !== 'number' || !Number.isInteger(prefix) || prefix < 0 || prefix > bits) {
      throw Object.assign(new RangeError(`The value of "prefix" is out of range`), {
        code: 'ERR_OUT_OF_RANGE',
      });
    }
    const size = 2n ** BigInt(bits - prefix);
    const start = from - (from % size);
    const text = `Subnet: ${NAMES[kind]} ${address}/${prefix}`;
    this.#add({ family: kind, from: start, to: start + size - 1n, text });
  }

  /** Whether a rule has the address, in its own form or the one that stands for it in the other family. */
  check(address: unknown, family?: unknown): boolean {
    let one: Pick<Rule, 'family' | 'from'>;
    try {
      one = read(address, family);
    } catch (error) {
      if (Reflect.get(Object(error), 'code') === 'ERR_INVALID_ADDRESS') return false;
      throw error;
    }
    const other = otherForm(one);
    return this.#has(one) || (other !== undefined && this.#has(other));
  }

  /** The rules, the newest first. */
  get rules(): string[] {
    return this.#rules.map(({ text }) => text).toReversed();
  }

  #add({ family, from, to, text }: Rule): void {
    this.#rules.push({ family, from, to, text });
  }

  #has({ family, from }: Pick<Rule, 'family' | 'from'>): boolean {
    return this.#rules.some(
      (rule) => rule.family === family && from >= rule.from && from <= rule.to,
    );
  }
}

function otherForm({
  family,
  from,
}: Pick<Rule, 'family' | 'from'>): Pick<Rule, 'family' | 'from'> | undefined {
  if (family === 'ipv4') return { family: 'ipv6', from: MAPPED + from };
  return from >> 32n === MAPPED >> 32n ? { family: 'ipv4', from: from & 0xffff_ffffn } : undefined;
}

/** Reads an address: a text with its family (`ipv4` without one), or a `SocketAddress`. */
function read(
  given: unknown,
  family: unknown = 'ipv4',
): { readonly family: Family; readonly from: bigint; readonly address: string } {
  if (typeof given === 'object' && given !== null) {
    return read(Reflect.get(given, 'address'), Reflect.get(given, 'family'));
  }
  if (typeof given !== 'string') {
    throw Object.assign(new TypeError('The "address" argument must be of type string'), {
      code: 'ERR_INVALID_ARG_TYPE',
    });
  }
  const kind = String(family).toLowerCase();
  if (kind !== 'ipv4' && kind !== 'ipv6') throw invalid('family', 'must be ipv4 or ipv6');
  if (isIP(given) !== (kind === 'ipv4' ? 4 : 6)) {
    throw Object.assign(new Error('Invalid address'), { code: 'ERR_INVALID_ADDRESS' });
  }
  return { family: kind, from: numberOf(given), address: given };
}

function invalid(name: string, why: string): Error {
  return Object.assign(new TypeError(`The argument '${name}' ${why}`), {
    code: 'ERR_INVALID_ARG_VALUE',
  });
}
