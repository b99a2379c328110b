import { offer } from './denied.js';

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

function isIP(text: unknown): 0 | 4 | 6 {
  const address = String(text);
  if (IPV4.test(address)) return 4;
  return isIPv6(address) ? 6 : 0;
}

/** The functions of `node:net` that only parse text. */
export const builtin: object = offer('net', {
  isIP,
  isIPv4: (text: unknown): boolean => isIP(text) === 4,
  isIPv6: (text: unknown): boolean => isIP(text) === 6,
});
