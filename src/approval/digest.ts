import { createHash } from 'node:crypto';
import type { Json } from '../../sandbox/wire/messages.js';
import type { HeldRequest } from './approver.js';
import { canonicalJson } from '../plugin/canonical.js';

/** What a yes is a yes to. */
export interface Subject {
  /** Hash of the bundle that would run. */
  readonly bundle: string;
  /** `plugin:tool`. */
  readonly id: string;
  readonly input: Json;
  readonly tenant: string | undefined;
  readonly effect?: HeldRequest | undefined;
}

/** sha256, as hex: equal where, and only where, the subject is the same. */
export function digestOf({ bundle, id, input, tenant, effect }: Subject): string {
  const held =
    effect === undefined
      ? null
      : [effect.method, effect.url, effect.headers, effect.body ?? null, effect.bodyBytes ?? null];
  return createHash('sha256')
    .update(JSON.stringify([bundle, id, canonicalJson(input), tenant ?? null, held]))
    .digest('hex');
}
