import type { SqliteEngine } from './engine.js';
import { argumentValue, setError, setResult, type SqlValue } from './values.js';

/** Functions of a plugin that SQL calls. */
export interface SqlFunctions {
  /** The number in SQLite's table of the function that calls them all. */
  readonly entry: number;
  /** Whether one of them runs now. */
  readonly isRunning: boolean;
  /** Returns the number by which SQLite names it. */
  add(run: (values: readonly SqlValue[]) => unknown, longs: boolean): number;
  /** What one of them threw since the last time. */
  takeThrown(): { readonly error: unknown } | undefined;
  clear(): void;
}

interface Defined {
  readonly run: (values: readonly SqlValue[]) => unknown;
  readonly longs: boolean;
}

/** Functions that run statements that call functions. The stack of compiled code is small. */
const MAX_DEPTH = 20;

/** The functions of all connections of an engine. */
const tables = new WeakMap<
  SqliteEngine,
  { readonly entry: number; readonly all: Map<number, Call> }
>();

type Call = (context: number, values: readonly number[]) => void;

export function makeFunctions(engine: SqliteEngine): SqlFunctions {
  const { entry, all } = tables.get(engine) ?? makeTable(engine);
  const own: number[] = [];
  let depth = 0;
  let thrown: { readonly error: unknown } | undefined;
  const makeCall =
    ({ run, longs }: Defined): Call =>
    (context, values) => {
      if (depth >= MAX_DEPTH) {
        return setError(engine, context, 'functions of SQL are nested too deeply');
      }
      depth += 1;
      try {
        setResult(engine, context, run(values.map((value) => argumentValue(engine, value, longs))));
      } catch (error) {
        thrown = { error };
        setError(engine, context, 'a function of the plugin failed');
      } finally {
        depth -= 1;
      }
    };
  return {
    entry,
    get isRunning() {
      return depth > 0;
    },
    add: (run, longs) => {
      const id = all.size + 1;
      all.set(id, makeCall({ run, longs }));
      own.push(id);
      return id;
    },
    takeThrown: () => {
      const taken = thrown;
      thrown = undefined;
      return taken;
    },
    // The numbers are not used again.
    clear: () => {
      for (const id of own) all.set(id, () => {});
    },
  };
}

function makeTable(engine: SqliteEngine): { entry: number; all: Map<number, Call> } {
  const all = new Map<number, Call>();
  const run = (context: number, count: number, values: number): void => {
    const pointers = Array.from({ length: count }, (_, index) =>
      engine.pointerAt(values + 4 * index),
    );
    all.get(engine.call('sqlite3_user_data', context))?.(context, pointers);
  };
  const [entry = 0] = engine.add([{ signature: 'iii:', run }]);
  const table = { entry, all };
  tables.set(engine, table);
  return table;
}
