import type { DeniedUse } from '../engine/types/result.js';
import type { TestedCall } from './load-plugin.js';

/** What a matcher of vitest and jest answers. */
export interface MatcherResult {
  readonly pass: boolean;
  readonly message: () => string;
}

/** Matchers for `expect.extend` of vitest, jest and `expect`. Each takes the result of a call. */
export const matchers: {
  /** The call was denied a permission: of that kind, and if `wanted` is given, one that contains it. */
  toDeny(call: unknown, permission: DeniedUse['permission'], wanted?: string): MatcherResult;
  /** A person was asked before the call, or before a request of it. */
  toAsk(call: unknown): MatcherResult;
} = {
  toDeny: (call, permission, wanted) => {
    const { denied = [] } = callOf(call);
    const pass = denied.some(
      (use) =>
        use.permission === permission && (wanted === undefined || use.wanted.includes(wanted)),
    );
    const found = denied.map((use) => `${use.permission}: ${use.wanted}`).join(', ') || 'nothing';
    const expected = wanted === undefined ? permission : `${permission}: ${wanted}`;
    return { pass, message: () => verdict(pass, `denied ${expected}`, `it was denied ${found}`) };
  },
  toAsk: (call) => {
    const { asked, isError, code } = callOf(call);
    const pass = asked.length > 0;
    const found = pass ? (asked[0]?.why ?? '') : `it ${isError ? `failed with ${code}` : 'ran'}`;
    return { pass, message: () => verdict(pass, 'asked about', found) };
  },
};

/** For `node:test`: throws if the call was not denied it. See `matchers.toDeny`. */
export function assertDenies(
  call: TestedCall,
  permission: DeniedUse['permission'],
  wanted?: string,
): void {
  assert(matchers.toDeny(call, permission, wanted));
}

/** For `node:test`: throws if the call was not asked about. See `matchers.toAsk`. */
export function assertAsks(call: TestedCall): void {
  assert(matchers.toAsk(call));
}

function assert({ pass, message }: MatcherResult): void {
  if (pass) return;
  const error = new Error(message());
  error.name = 'AssertionError';
  throw error;
}

function verdict(pass: boolean, what: string, found: string): string {
  return `The call was expected ${pass ? 'not ' : ''}to be ${what}: ${found}.`;
}

/** Throws a TypeError for what is not the result of a call. */
function callOf(call: unknown): TestedCall {
  if (isTestedCall(call)) return call;
  throw new TypeError('This matcher takes the result of `await plugin.call(…)`.');
}

function isTestedCall(call: unknown): call is TestedCall {
  return typeof call === 'object' && call !== null && 'asked' in call && 'callId' in call;
}
