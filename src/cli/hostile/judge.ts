import { isDeepStrictEqual } from 'node:util';
import { textOf, type CallResult, type ErrorCode, type Json } from '../../index.js';
import { isJsonObject } from '../arguments.js';
import type { Expectation } from './expectations.js';

export interface Judgement {
  readonly held: boolean;
  /** What stopped it, or what it got. */
  readonly evidence: string;
}

/** Failures that mean that the attack did not take place, so that nothing was stopped. */
const NOT_TRIED: ReadonlySet<ErrorCode | undefined> = new Set([
  'INVALID_INPUT',
  'TOOL_NOT_FOUND',
  'PLUGIN_INACTIVE',
  'LOAD_FAILED',
  'GUEST_START_FAILED',
  // Nothing was there to be kept from it.
  'NETWORK_FAILED',
  'FILESYSTEM_FAILED',
  'QUARANTINED',
  'BUSY',
  'ENGINE_CLOSED',
] as const);

/**
 * Whether an attempt came to nothing: it was stopped, or returned `{ got: null }`, or ended as it is
 * expected to. Whatever it is expected to, no secret may be in what it returned.
 */
export function judge(
  result: CallResult,
  expected: Pick<Expectation, 'codes' | 'gots'>,
  secrets: readonly string[],
): Judgement {
  const text = textOf(result.content);
  if (secrets.some((secret) => text.includes(secret)))
    return { held: false, evidence: `IT GOT THE SECRET: ${text}` };
  if (result.isError) {
    const { code = 'TOOL_FAILED' } = result;
    const evidence = `${code}: ${text}`;
    if (expected.codes === undefined && expected.gots === undefined) {
      return NOT_TRIED.has(code)
        ? { held: false, evidence: `NOT TRIED: ${evidence}` }
        : { held: true, evidence };
    }
    return expected.codes?.includes(code) === true
      ? { held: true, evidence }
      : { held: false, evidence: `OTHERWISE THAN EXPECTED: ${evidence}` };
  }
  return judgeValue(gotOf(result.value), expected);
}

function judgeValue(got: Json, expected: Pick<Expectation, 'codes' | 'gots'>): Judgement {
  if (expected.gots?.some((one) => isDeepStrictEqual(got, one)) === true) {
    return { held: true, evidence: 'it got what it was granted, and no more' };
  }
  if (got !== null) return { held: false, evidence: `IT GOT ${JSON.stringify(got)}` };
  return expected.codes === undefined && expected.gots === undefined
    ? { held: true, evidence: 'it found nothing' }
    : { held: false, evidence: 'OTHERWISE THAN EXPECTED: it came to its end' };
}

/** What a tool returned, or the `got` of it. What JSON has no word for was left out on the way. */
function gotOf(value: Json | undefined): Json {
  if (!isJsonObject(value)) return value ?? null;
  return 'got' in value || Object.keys(value).length === 0 ? (value['got'] ?? null) : value;
}
