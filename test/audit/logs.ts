import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEachFile } from '../tidying.js';
import { makeSqliteStore } from '../../src/audit/database/sqlite-store.js';
import { makeJsonlStore } from '../../src/audit/disk/jsonl-store.js';
import { type AuditLog, type AuditLogSpec, openAuditLog } from '../../src/audit/log.js';
import type { AuditRecord } from '../../src/audit/record.js';
import type { AuditStore } from '../../src/audit/store.js';
import type { BulkheadEvent } from '../../src/events.js';
import { makeScratch } from '../run-directory.js';

const root = makeScratch('audit');
let count = 0;
process.once('exit', () => rmSync(root, { recursive: true, force: true }));

afterEachFile(() => {
  rmSync(root, { recursive: true, force: true });
  mkdirSync(root);
});

/** A new directory for one test. */
export function freshDirectory(): string {
  count += 1;
  return join(root, `d${count}`);
}

/** Each kind of store. */
export const stores: Readonly<Record<string, (directory: string) => AuditStore>> = {
  'lines of JSON': (directory) => makeJsonlStore(join(directory, 'audit.jsonl')),
  SQLite: (directory) => makeSqliteStore(join(directory, 'audit.db')),
};

export function openLog(store: AuditStore, spec: Partial<AuditLogSpec> = {}): Promise<AuditLog> {
  return openAuditLog({
    store,
    policy: { inputs: 'digest', redact: [] },
    sync: 'never',
    pid: 1,
    now: Date.now,
    onFailure: (error) => {
      throw error;
    },
    ...spec,
  });
}

/** The events of one call of a plugin, from start to end. */
export function callEvents(call: string, input = '{}'): BulkheadEvent[] {
  const about = { atMs: 1_000, call, plugin: 'sample', tool: 'run' };
  return [
    { ...about, type: 'call-started', bundle: 'sha512-x', risk: 'low', input },
    {
      atMs: 1_001,
      type: 'capability-used',
      plugin: 'sample',
      permission: 'network',
      wanted: 'GET https://api.test/',
      call,
    },
    { ...about, type: 'call-ended', outcome: 'ok', durationMs: 2 },
  ];
}

export async function gather<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

export function typesOf(records: readonly AuditRecord[]): string[] {
  return records.map(({ type }) => type);
}
