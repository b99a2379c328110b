import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

let code: Uint8Array | undefined;

/** The compiled code of SQLite, for guests. Read once. */
export function readSqlite(): Uint8Array {
  code ??= readFileSync(createRequire(import.meta.url).resolve('#sandbox/sqlite3.wasm'));
  return code;
}
