import { readFileSync } from 'node:fs';
import { ownFile } from '../../own-file.js';

let code: Uint8Array | undefined;

/** The compiled code of SQLite, for guests. Read once. */
export function readSqlite(): Uint8Array {
  code ??= readFileSync(ownFile('dist/sandbox/sqlite3.wasm'));
  return code;
}
