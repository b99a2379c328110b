import { unseal } from './chain.js';
import type { AuditRecord } from './record.js';
import type { AuditStore } from './store.js';

/** Which records are wanted: those that fit everything that is given. */
export interface AuditFilter {
  readonly plugin?: string;
  readonly tool?: string;
  /** Records of that call, and those of which it may have been the cause. */
  readonly call?: string;
  readonly types?: readonly string[];
  readonly sinceMs?: number;
  readonly untilMs?: number;
  /** Only records after that one. */
  readonly afterSeq?: number;
}

export function matches(record: AuditRecord, filter: AuditFilter): boolean {
  return (
    (filter.plugin === undefined || textOf(record, 'plugin') === filter.plugin) &&
    (filter.tool === undefined || textOf(record, 'tool') === filter.tool) &&
    (filter.call === undefined || isOf(record, filter.call)) &&
    (filter.types === undefined || filter.types.includes(record.type)) &&
    record.atMs >= (filter.sinceMs ?? -Infinity) &&
    record.atMs <= (filter.untilMs ?? Infinity) &&
    record.seq > (filter.afterSeq ?? 0)
  );
}

/** The records of a store that fit, in order. Lines that are no records are left to `verify`. */
export async function* queryStore(
  store: Pick<AuditStore, 'read'>,
  filter: AuditFilter,
): AsyncGenerator<AuditRecord> {
  const hint = filter.afterSeq === undefined ? {} : { afterSeq: filter.afterSeq };
  for await (const { line } of store.read(hint)) {
    const record = unseal(line);
    if (typeof record !== 'string' && matches(record, filter)) yield record;
  }
}

function isOf(record: AuditRecord, call: string): boolean {
  return (
    textOf(record, 'call') === call || ('among' in record && (record.among ?? []).includes(call))
  );
}

function textOf(record: AuditRecord, name: 'plugin' | 'tool' | 'call'): unknown {
  return new Map<string, unknown>(Object.entries(record)).get(name);
}
