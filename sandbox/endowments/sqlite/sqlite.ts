import { SQLITE_CODE } from '../../wire/sync.js';
import type { EndowmentCapabilities } from '../endowment.js';
import { toPluginError, withCode } from '../errors.js';
import { openConnection, type SqliteConnection } from './connection.js';
import { SQLITE, SqliteEngine } from './engine.js';
import { registerVfs, type Vfs } from './vfs.js';

/** The module that provides SQLite to the modules that replace those of Node and Bun. */
export const SQLITE_MODULE = 'bulkhead:sqlite';

export interface SqliteFace {
  /** Opens a database at an absolute path in the plugin's storage; in memory without a path. */
  open(path: string | undefined, readOnly: boolean, create: boolean): SqliteConnection;
}

/** SQLite of one plugin. Its code is compiled when the first database opens, once for each guest. */
export function makeSqlite(capabilities: EndowmentCapabilities): SqliteFace {
  const { wasm, host } = capabilities;
  let started: { readonly engine: SqliteEngine; readonly vfs: Vfs } | undefined;
  const start = (): { readonly engine: SqliteEngine; readonly vfs: Vfs } => {
    if (wasm === undefined) {
      throw withCode(
        new Error('SQLite needs WebAssembly, and the operator starts guests without it (no-jit).'),
        'BUILTIN_DENIED',
      );
    }
    try {
      if (!wasm.isCompiled(SQLITE)) {
        wasm.compile(SQLITE, host.requestNow(SQLITE_CODE, null).body);
      }
      const engine = new SqliteEngine(wasm, capabilities);
      return { engine, vfs: registerVfs(engine, capabilities) };
    } catch (error) {
      throw toPluginError(
        error,
        'STORAGE_FAILED',
        'SQLite could not start: the memory is too small',
      );
    }
  };
  return {
    open: (path, readOnly, create) => {
      // After a crash the next database gets a memory of its own.
      if (started?.engine.isBroken === true) started = undefined;
      const { engine, vfs } = (started ??= start());
      const at = path === undefined ? undefined : String(path);
      return openConnection(engine, vfs, at, { readOnly, create });
    },
  };
}
