import { unseal } from './chain.js';
import type { AuditRecord } from './record.js';
import { type AuditStore, OLDER, auditFailed } from './store.js';

/** Selects the records that match every member that is present. Default: all records. */
export interface AuditFilter {
  readonly plugin?: string;
  readonly tool?: string;
  /** Records of that call, and records that it may have caused. */
  readonly call?: string;
  readonly types?: readonly string[];
  readonly sinceMs?: number;
  readonly untilMs?: number;
  /** Only records after this one. */
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

/** The matching records of a store, in order. Skips invalid lines: `verify` reports them. */
export async function* queryStore(
  store: Pick<AuditStore, 'read'>,
  filter: AuditFilter,
): AsyncGenerator<AuditRecord> {
  const hint = filter.afterSeq === undefined ? {} : { afterSeq: filter.afterSeq };
  for await (const { line, file } of store.read(hint)) {
    const record = unseal(line);
    if (record === 'older') throw auditFailed(file, OLDER);
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
