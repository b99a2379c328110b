import type { DialectWorld } from '../dialect.js';

/**
 * `crypto.randomUUID`, for names that are to be unlike each other. It draws from the same source as
 * `Math.random`: whoever wants to guess such a name can. What is for secrets is refused where it is called.
 */
export function makeCrypto({ powers }: DialectWorld): object {
  return Object.freeze({
    getRandomValues: (): never => {
      throw new Error(
        `${powers.plugin.id} may not use crypto.getRandomValues: no permission grants cryptographic randomness. Use crypto.randomUUID where guessable values do no harm.`,
      );
    },
    randomUUID: (): string => {
      if (!powers.grant.random) throw powers.denial('random', 'crypto.randomUUID');
      const digits = Array.from({ length: 32 }, (_, at) => digitAt(at, powers.random()));
      const hex = digits.join('');
      return [
        hex.slice(0, 8),
        hex.slice(8, 12),
        hex.slice(12, 16),
        hex.slice(16, 20),
        hex.slice(20),
      ].join('-');
    },
  });
}

/** Version 4, variant 1. */
function digitAt(at: number, drawn: number): string {
  if (at === 12) return '4';
  const value = Math.floor(drawn * 16);
  return (at === 16 ? 8 + (value % 4) : value).toString(16);
}
