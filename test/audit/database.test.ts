import { readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../src/audit/database/database.js';
import { makeScratch } from '../run-directory.js';

describe.runIf(process.platform === 'linux')('a database of an audit log', () => {
  it('that is closed holds its file open no more, whatever was prepared', async () => {
    const path = join(makeScratch('database'), 'audit.db');
    const database = await openDatabase(path);
    database.exec('CREATE TABLE records (body TEXT)');
    write(database);
    expect(descriptorsOf(path)).not.toEqual([]);
    await database.close();
    expect(descriptorsOf(path)).toEqual([]);
  });
});

/** Prepares statements, and keeps none. */
function write(database: Database): void {
  for (let count = 0; count < 20; count += 1) {
    database.prepare('INSERT INTO records VALUES (?)').run('a record');
  }
}

function descriptorsOf(path: string): string[] {
  return readdirSync('/proc/self/fd').filter((descriptor) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`).startsWith(path);
    } catch {
      // The descriptor of the listing itself.
      return false;
    }
  });
}
