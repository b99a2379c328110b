/** Transactions of several connections against a model: the same transactions, one after the other. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SqliteConnection } from '../../sandbox/endowments/sqlite/connection.js';
import { runs } from '../property-runs.js';
import {
  busy,
  DATABASE,
  full,
  makeTestHost,
  outcome,
  run,
  type TestHost,
} from '../sandbox/endowments/sqlite/guests.js';

const small = fc.integer({ min: 0, max: 30 });
const statement = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .tuple(small, fc.integer({ min: 0, max: 6_000 }))
      .map(([id, size]) => `insert into t values (${id}, hex(zeroblob(${size}))) returning id`),
  },
  { weight: 3, arbitrary: small.map((id) => `update t set a = a || 'x' where id >= ${id}`) },
  { weight: 3, arbitrary: small.map((id) => `delete from t where id < ${id}`) },
  {
    weight: 2,
    arbitrary: small.map(
      (count) =>
        `with recursive n(i) as (values (40) union all select i + 1 from n where i < ${40 + count})
         insert or ignore into t select i, hex(zeroblob(900)) from n`,
    ),
  },
  small.map((version) => `pragma user_version = ${version}`),
  fc.constantFrom(
    'create table u(x)',
    'drop table if exists u',
    'insert into u values (1)',
    'create index if not exists i on t(a)',
    'drop index if exists i',
    'alter table t rename to v; alter table v rename to t',
    'select count(*), sum(length(a)) from t',
    'vacuum',
  ),
);

const step = fc.record({
  who: fc.integer({ min: 0, max: 2 }),
  what: fc.oneof(
    { weight: 6, arbitrary: statement },
    {
      weight: 3,
      arbitrary: fc.constantFrom('begin', 'begin immediate', 'commit', 'commit', 'rollback'),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom('savepoint s', 'rollback to s', 'release s'),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom('!lapse', '!busy', '!full', '!unread', '!kill' as const),
    },
  ),
});

const settings = fc.constantFrom(
  '',
  'pragma journal_mode = truncate',
  'pragma journal_mode = memory',
  'pragma synchronous = off',
  'pragma auto_vacuum = full; vacuum',
  'pragma page_size = 1024; vacuum',
);

interface Done {
  readonly sql: string;
  readonly answer: unknown;
}

class Client {
  readonly #open: () => SqliteConnection;
  connection: SqliteConnection;
  /** The statements of the open transaction, with the one that began it. */
  pending: Done[] | undefined;

  constructor(open: () => SqliteConnection) {
    this.#open = open;
    this.connection = open();
  }

  restart(isKilled: boolean): void {
    if (!isKilled) this.connection.close();
    this.connection = this.#open();
    this.pending = undefined;
  }
}

/** Whether the host was the reason: then nothing changed. */
function isRefused(answer: unknown): boolean {
  return typeof answer === 'number' && [5, 13].includes(answer % 256);
}

function dump(connection: SqliteConnection): unknown {
  const names = run(connection, 'select name from sqlite_schema order by name').flat();
  return [
    run(connection, 'pragma integrity_check'),
    run(connection, 'pragma user_version'),
    run(connection, 'select sql from sqlite_schema order by name'),
    names.includes('u') ? run(connection, 'select * from u') : undefined,
    run(connection, 'select * from t order by id'),
  ];
}

function start(setting: string): { host: TestHost; clients: Client[]; model: SqliteConnection } {
  const host = makeTestHost();
  const model = host.guest().open(undefined, false, true);
  const create = 'create table t(id integer primary key, a text)';
  run(model, create);
  run(host.guest().open(DATABASE, false, true), `${setting}; ${create}`);
  // Two of the connections are in one guest.
  const guest = host.guest();
  const clients = [0, 1, 2].map(
    (index) =>
      new Client(() => {
        const face = index === 0 ? host.guest() : guest;
        const connection = face.open(DATABASE, false, true);
        // Few pages in memory: transactions are written before they end.
        run(connection, `pragma cache_size = 4; ${setting.endsWith('vacuum') ? '' : setting}`);
        return connection;
      }),
  );
  return { host, clients, model };
}

function repeat(model: SqliteConnection, done: readonly Done[]): void {
  for (const { sql, answer } of done) expect([sql, outcome(model, sql)]).toEqual([sql, answer]);
}

function perform(client: Client, sql: string, host: TestHost, model: SqliteConnection): void {
  const { connection } = client;
  const wasOpen = client.pending !== undefined;
  const commits = host.steps.filter((name) => name === 'db-commit').length;
  const answer = outcome(connection, sql);
  const isOpen = connection.inTransaction();
  const hasCommitted = host.steps.filter((name) => name === 'db-commit').length > commits;
  if (wasOpen && isOpen) {
    if (!isRefused(answer)) client.pending?.push({ sql, answer });
  } else if (isOpen) {
    client.pending = [{ sql, answer }];
  } else if (wasOpen) {
    const done = client.pending ?? [];
    client.pending = undefined;
    const isStored = /^(?:commit|release)/.test(sql) && !isRefused(answer);
    // A transaction that only read has perhaps read an older state.
    if (isStored && hasCommitted) repeat(model, [...done, { sql, answer }]);
  } else if (!isRefused(answer)) {
    repeat(model, [{ sql, answer }]);
  }
}

describe('a database in the storage', () => {
  it('has all committed transactions and nothing else', () => {
    fc.assert(
      fc.property(settings, fc.array(step, { minLength: 5, maxLength: 60 }), (setting, steps) => {
        const { host, clients, model } = start(setting);
        for (const { who, what } of steps) {
          const client = clients[who];
          if (client === undefined) throw new Error('no such client');
          switch (what) {
            case '!kill':
              // The first one is alone in its guest.
              client.restart(who === 0);
              break;
            case '!lapse':
              for (const file of host.files.values()) file.turn = undefined;
              break;
            case '!busy':
            case '!full':
            case '!unread':
              host.before = ({ op }) => {
                if (op !== (what === '!unread' ? 'db-read' : 'db-commit')) return;
                host.before = () => {};
                throw what === '!full' ? full() : busy();
              };
              break;
            default:
              perform(client, what, host, model);
          }
          host.before = what.startsWith('!') ? host.before : () => {};
        }
        host.before = () => {};
        expect(dump(host.guest().open(DATABASE, false, true))).toEqual(dump(model));
      }),
      { numRuns: runs(60) },
    );
  });
});
