import type { AnyNode } from 'acorn';
import type { Finding } from './finding.js';
import { isPassedOn } from './passed-on.js';
import type { Reading } from './reading.js';

/** What a member of `crypto`, or of Node's module, needs. */
export function cryptoFindings(operation: string | undefined, node: AnyNode): readonly Finding[] {
  return operation !== undefined && DRAWS.has(operation)
    ? [{ permission: 'random', scope: 'true', why: `crypto.${operation}`, node }]
    : [];
}

/** Code that gets the whole object may draw from it. */
export const CRYPTO_AS_VALUE = 'crypto, as a value';

/** What `crypto` without a member needs: other code may get it, and draw. */
export function cryptoValue(node: AnyNode, reading: Reading): readonly Finding[] {
  return isPassedOn(node, reading, drawsFrom)
    ? [{ permission: 'random', scope: 'true', why: CRYPTO_AS_VALUE, node }]
    : [];
}

/** Whether a target takes the whole object, or a function of it that draws. */
function drawsFrom(target: AnyNode): boolean {
  if (target.type !== 'ObjectPattern') return true;
  return target.properties.some(
    (one) =>
      one.type === 'RestElement' ||
      (one.key.type === 'Identifier' && !one.computed && DRAWS.has(one.key.name)),
  );
}

const DRAWS: ReadonlySet<string> = new Set([
  'getRandomValues',
  'randomUUID',
  'randomBytes',
  'randomFill',
  'randomFillSync',
  'randomInt',
]);
