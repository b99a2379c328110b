const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/;

function isIPv6(text: string): boolean {
  const [address = ''] = text.split('%');
  const halves = address.split('::');
  if (halves.length > 2 || !/^[\da-f:.]+$/i.test(address)) return false;
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')));
  const last = groups.at(-1) ?? '';
  const hasIPv4 = last.includes('.');
  if (hasIPv4 && !IPV4.test(last)) return false;
  const plain = hasIPv4 ? groups.slice(0, -1) : groups;
  const count = plain.length + (hasIPv4 ? 2 : 0);
  return (
    plain.every((group) => /^[\da-f]{1,4}$/i.test(group)) &&
    (halves.length === 2 ? count < 8 : count === 8)
  );
}

/** `net.isIP` */
export function isIP(text: unknown): 0 | 4 | 6 {
  const address = String(text);
  if (IPV4.test(address)) return 4;
  return isIPv6(address) ? 6 : 0;
}

/** The number of an address that `isIP` knows: 32 bits of IPv4, or 128 of IPv6. */
export function numberOf(address: string): bigint {
  const [text = ''] = address.split('%');
  if (IPV4.test(text)) return joined(text.split('.').map(BigInt), 256n);
  const [before = [], after] = text.split('::').map(groupsOf);
  const missing = 8 - before.length - (after?.length ?? 0);
  const groups = [...before, ...(after === undefined ? [] : [...zeros(missing), ...after])];
  return joined(groups, 0x1_0000n);
}

/** The number whose digits these are. */
function joined(digits: readonly bigint[], base: bigint): bigint {
  return digits.reduce((sum, digit) => sum * base + digit, 0n);
}

function groupsOf(half: string): bigint[] {
  return half
    .split(':')
    .filter((group) => group !== '')
    .flatMap((group) => {
      if (!group.includes('.')) return [BigInt(`0x${group}`)];
      const last = numberOf(group);
      return [last / 0x1_0000n, last % 0x1_0000n];
    });
}

function zeros(count: number): bigint[] {
  return Array.from({ length: Math.max(0, count) }, () => 0n);
}
