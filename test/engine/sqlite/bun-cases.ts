/**
 * What Bun 1.4.5 answers, as JSON. `F(name)` is a file of the case, `T(work)` is the result of work or its error.
 * Answers that differ from it on purpose say so.
 */
export const CASES: readonly {
  readonly name: string;
  readonly run: string;
  readonly answer: unknown;
  readonly differs?: string;
}[] = [
  {
    name: 'basics',
    run: `const db=new Database(F('a')); const r=db.run('CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT, b REAL, c BLOB)'); const i=db.run('INSERT INTO t(a,b,c) VALUES(?,?,?)',['x',1.5,new Uint8Array([1,2,3])]); const j=db.query('INSERT INTO t(a,b,c) VALUES(?,?,?)').run('y',2,null); return [r,i,j,db.query('SELECT * FROM t').all().map(o=>({...o,c:o.c&&[...o.c]})), db.query('SELECT * FROM t WHERE id=?').get(9), db.query('SELECT a FROM t').values(), db.filename.endsWith('a')]`,
    answer: [
      { changes: 0, lastInsertRowid: 0 },
      { changes: 1, lastInsertRowid: 1 },
      { changes: 1, lastInsertRowid: 2 },
      [
        { id: 1, a: 'x', b: 1.5, c: [1, 2, 3] },
        { id: 2, a: 'y', b: 2, c: null },
      ],
      null,
      [['x'], ['y']],
      true,
    ],
  },
  {
    name: 'types',
    run: `const db=new Database(); return [db.query('SELECT typeof(?1),typeof(?2),typeof(?3),typeof(?4),typeof(?5),typeof(?6),typeof(?7),typeof(?8)').values(1,1.5,true,null,'s',10n,new Uint8Array(2),2**40), db.query('select typeof(?)').values(2**31),db.query('select typeof(?)').values(-0), db.query('select typeof(?)').values(2**53)]`,
    answer: [
      [['integer', 'real', 'integer', 'null', 'text', 'integer', 'blob', 'integer']],
      [['integer']],
      [['real']],
      [['real']],
    ],
  },
  {
    name: 'big',
    run: `const db=new Database(); const q=db.query('SELECT 9007199254740993 AS a'); const x=q.get().a; const s=new Database(':memory:',{safeIntegers:true}); return [typeof x, String(x), typeof s.query('SELECT 1 AS a').get().a, typeof s.query('select 1 a').safeIntegers(false).get().a, String(db.query('SELECT ? AS a').safeIntegers(true).get(9007199254740993n).a)]`,
    answer: ['number', '9007199254740992', 'bigint', 'number', '9007199254740993'],
  },
  {
    name: 'named',
    run: `const db=new Database(); const q=db.query('SELECT $a AS a, :b AS b, @c AS c'); return [q.get({$a:1,':b':2,'@c':3}), q.get({a:1,b:2,c:3}), q.get({$a:1}), q.paramsCount, q.columnNames]`,
    answer: [
      { a: 1, b: 2, c: 3 },
      { a: 1, b: 2, c: 3 },
      { a: 1, b: null, c: null },
      3,
      ['a', 'b', 'c'],
    ],
  },
  {
    name: 'strict',
    run: `const db=new Database(':memory:',{strict:true}); const q=db.query('SELECT $a AS a, :b AS b'); return [q.get({a:1,b:2}), T(()=>q.get({a:1})), T(()=>q.get({$a:1,':b':2})) ]`,
    answer: [
      { a: 1, b: 2 },
      { error: 'Error', message: 'Missing parameter "b"' },
      { a: 1, b: 2 },
    ],
  },
  {
    name: 'count',
    run: `const db=new Database(); return [T(()=>db.query('SELECT ?, ?').get(1)), T(()=>db.query('SELECT ?').get(1,2)), T(()=>db.query('SELECT ?1').get({})), T(()=>db.query('SELECT ?').get()), T(()=>db.query('SELECT ?').get([7])), T(()=>db.run('SELECT ?',[1,2]))]`,
    answer: [
      { error: 'Error', message: 'SQLite query expected 2 values, received 1' },
      { error: 'Error', message: 'SQLite query expected 1 values, received 2' },
      { '?1': null },
      { '?': null },
      { '?': 7 },
      { error: 'Error', message: 'SQLite query expected 1 values, received 2' },
    ],
  },
  {
    name: 'bad',
    run: `const db=new Database(); db.run('create table t(a unique not null)'); db.run('insert into t values(1)'); return [T(()=>db.run('insert into t values(1)')), T(()=>db.run('insert into t values(null)')), T(()=>db.query('SELEC 1')), T(()=>db.run('select * from nope')), T(()=>db.query('select ?').get({})), T(()=>db.query('select ?').get(Symbol('x'))), T(()=>db.query('select ?').get(()=>1)), T(()=>db.query('select ?').get(2n**70n))]`,
    answer: [
      {
        error: 'SQLiteError',
        message: 'UNIQUE constraint failed: t.a',
        code: 'SQLITE_CONSTRAINT_UNIQUE',
        errno: 2067,
        byteOffset: -1,
      },
      {
        error: 'SQLiteError',
        message: 'NOT NULL constraint failed: t.a',
        code: 'SQLITE_CONSTRAINT_NOTNULL',
        errno: 1299,
        byteOffset: -1,
      },
      {
        error: 'SQLiteError',
        message: 'near "SELEC": syntax error',
        code: 'SQLITE_ERROR',
        errno: 1,
        byteOffset: 0,
      },
      {
        error: 'SQLiteError',
        message: 'no such table: nope',
        code: 'SQLITE_ERROR',
        errno: 1,
        byteOffset: -1,
      },
      { '?': null },
      {
        error: 'TypeError',
        message: 'Binding expected string, TypedArray, boolean, number, bigint or null',
      },
      {
        error: 'TypeError',
        message: 'Binding expected string, TypedArray, boolean, number, bigint or null',
      },
      { '?': 0 },
    ],
  },
  {
    name: 'missing',
    run: `return [T(()=>new Database(F('none'),{readonly:true})), T(()=>new Database(F('none2'),{readwrite:true})), T(()=>new Database(F('none3'),{create:false})).toString().slice(0,20), T(()=>new Database(':memory:',{readonly:true})), T(()=>{const d=new Database(F('c'),{create:true}); d.run('create table t(a)'); d.close(); const r=new Database(F('c'),{readonly:true}); return [r.query('select count(*) n from t').get(), T(()=>r.run('insert into t values(1)'))]})]`,
    answer: [
      {
        error: 'SQLiteError',
        message: 'unable to open database file',
        code: 'SQLITE_CANTOPEN',
        errno: 14,
        byteOffset: -1,
      },
      {
        error: 'SQLiteError',
        message: 'unable to open database file',
        code: 'SQLITE_CANTOPEN',
        errno: 14,
        byteOffset: -1,
      },
      '[object Object]',
      { error: 'Error', message: 'Cannot open an anonymous database in read-only mode.' },
      [
        { n: 0 },
        {
          error: 'SQLiteError',
          message: 'attempt to write a readonly database',
          code: 'SQLITE_READONLY',
          errno: 8,
          byteOffset: -1,
        },
      ],
    ],
  },
  {
    name: 'flags',
    run: `const d=new Database(F('f'), 6); d.run('create table t(a)'); d.close(); const r=new Database(F('f'),1); return [T(()=>r.run('insert into t values(1)')), r.inTransaction, T(()=>new Database(F('nodir/x'))) ]`,
    answer: [
      {
        error: 'SQLiteError',
        message: 'attempt to write a readonly database',
        code: 'SQLITE_READONLY',
        errno: 8,
        byteOffset: -1,
      },
      false,
      { filename: '/workspace/plugins/s/data/flags-nodir/x' },
    ],
    differs: 'a missing directory is made, because fs.mkdirSync may still be on its way',
  },
  {
    name: 'closed',
    run: `const db=new Database(); const q=db.query('select 1 a'); db.close(); return [T(()=>q.get()), T(()=>db.query('select 1')), T(()=>db.run('select 1')), T(()=>db.close()), T(()=>db.inTransaction)]`,
    answer: [
      { error: 'Error', message: 'Database has closed' },
      { error: 'RangeError', message: 'Cannot use a closed database' },
      { error: 'Error', message: 'Database has closed' },
      null,
      { error: 'Error', message: 'Database has closed' },
    ],
  },
  {
    name: 'tx',
    run: `const db=new Database(); db.run('create table t(a)'); const ins=db.transaction((rows)=>{for(const r of rows) db.run('insert into t values(?)',[r]); return rows.length+':'+db.inTransaction}); const a=ins([1,2]); const b=T(()=>db.transaction(()=>{db.run('insert into t values(3)'); throw new Error('no')})()); const outer=db.transaction(()=>{db.run('insert into t values(4)'); T(()=>db.transaction(()=>{db.run('insert into t values(5)'); throw new Error('in')})()); ins([6]); return 'ok'}); const c=outer.immediate(); return [a,b,c,db.query('select a from t').values(), Object.keys(ins), typeof ins.deferred, typeof ins.exclusive, db.inTransaction]`,
    answer: [
      '2:true',
      { error: 'Error', message: 'no' },
      'ok',
      [[1], [2], [4], [6]],
      ['database'],
      'function',
      'function',
      false,
    ],
  },
  {
    name: 'multi',
    run: `const db=new Database(); const r=db.run('create table t(a); insert into t values(1); insert into t values(2);'); return [r, db.query('select count(*) n from t').get(), T(()=>db.exec('insert into t values(3)')), T(()=>db.query('select 1; select 2').get()), T(()=>db.run('')), T(()=>db.query('')), T(()=>db.run('-- c')), T(()=>db.prepare('  '))]`,
    answer: [
      { changes: 2, lastInsertRowid: 2 },
      { n: 2 },
      { changes: 1, lastInsertRowid: 3 },
      { '1': 1 },
      { error: 'Error', message: "SQL string mustn't be blank" },
      { error: 'Error', message: 'SQL query cannot be empty.' },
      { error: 'Error', message: 'Query contained no valid SQL statement; likely empty query.' },
      { error: 'RangeError', message: 'Invalid SQL statement' },
    ],
  },
  {
    name: 'changes',
    run: `const db=new Database(); db.run('create table t(a)'); db.run('insert into t values(1),(2),(3)'); const q=db.prepare('update t set a=a+1'); const r=q.run(); const s=db.prepare('select * from t').run(); db.run('create table l(a)'); db.run('create trigger g after insert on t begin insert into l values(new.a); end'); return [r,s,db.run('delete from t where a>3'), db.run('insert into t values(9)')]`,
    answer: [
      { changes: 3, lastInsertRowid: 3 },
      { changes: 0, lastInsertRowid: 3 },
      { changes: 1, lastInsertRowid: 3 },
      { changes: 1, lastInsertRowid: 3 },
    ],
  },
  {
    name: 'iterate',
    run: `const db=new Database(); const q=db.query('with recursive c(x) as (values(1) union all select x+1 from c where x<5) select x from c'); const out=[]; for(const r of q.iterate()){out.push(r.x); if(r.x===3) break;} return [out,[...q].length, q.all().length]`,
    answer: [[1, 2, 3], 5, 5],
  },
  {
    name: 'as',
    run: `class P{get twice(){return this.a*2}} const db=new Database(); const r=db.query('select 4 a').as(P).get(); return [r.twice, r instanceof P, r.a]`,
    answer: [8, true, 4],
  },
  {
    name: 'str',
    run: `const db=new Database(); const q=db.query('select ?1 a, $b b'); return [String(q), T(()=>{ q.get({$b:2}); return String(q)}), JSON.stringify(db.prepare("select 'x' || ?").values(null))]`,
    answer: ['select NULL a, NULL b', 'select NULL a, 2 b', '[[null]]'],
  },
  {
    name: 'ser',
    run: `const db=new Database(); db.run('create table t(a)'); db.run('insert into t values(7)'); const s=db.serialize(); const d=Database.deserialize(s); d.run('insert into t values(8)'); return [s.length, Buffer.isBuffer(s), d.query('select * from t').values(), new Database(s).query('select count(*) n from t').get(), T(()=>Database.deserialize(s,true).run('insert into t values(1)'))]`,
    answer: [
      8192,
      true,
      [[7], [8]],
      { n: 1 },
      {
        error: 'SQLiteError',
        message: 'attempt to write a readonly database',
        code: 'SQLITE_READONLY',
        errno: 8,
        byteOffset: -1,
      },
    ],
  },
  {
    name: 'journal',
    run: `const db=new Database(F('j')); return [db.query('PRAGMA foreign_keys').get(), db.query('pragma busy_timeout').get(), db.query('PRAGMA synchronous').get(),db.query('PRAGMA page_size').get(), db.query('pragma encoding').get()]`,
    answer: [{ foreign_keys: 0 }, { timeout: 0 }, { synchronous: 2 }, { page_size: 4096 }, null],
    differs: 'this SQLite is built without UTF-16, so that it has no PRAGMA encoding',
  },
  {
    name: 'dqs',
    run: `const db=new Database(); return [T(()=>db.query('select "hello" a').get()), db.query("select json_extract('{\\"a\\":5}','$.a') x").get(), T(()=>db.run('create virtual table f using fts5(t)')), T(()=>db.query("select upper('ä')||sqrt(16) u").get())]`,
    answer: [{ a: 'hello' }, { x: 5 }, { changes: 1, lastInsertRowid: 10 }, { u: 'ä4.0' }],
  },
  {
    name: 'dup',
    run: `const db=new Database(); return [db.query('select 1 a, 2 a, 3 b').get(), db.query('select 1 a, 2 a, 3 b').values()]`,
    answer: [{ a: 2, b: 3 }, [[1, 2, 3]]],
  },
  {
    name: 'fn',
    run: `const db=new Database(); const q=db.query('select 1 a'); return [db.query('select 1 a')===q, db.prepare('select 1 a')===q, q.finalize(), T(()=>q.get()), db.query('select 1 a')===q, 1]`,
    answer: [true, false, null, { error: 'Error', message: 'Statement has finalized' }, false, 1],
  },
  {
    name: 'undef',
    run: `const db=new Database(); return [db.query('select ? a').get(undefined), db.query('select $a a').get({$a:undefined}), db.query('select ? a').get(new Date(0)) ]`,
    answer: {
      error: 'TypeError',
      message: 'Binding expected string, TypedArray, boolean, number, bigint or null',
    },
  },
  {
    name: 'raw',
    run: `const db=new Database(); return db.query("select 1 a,'x' b,null c").raw().map(r=>r.map(x=>x&&[...x]))`,
    answer: [[[1, 0, 0, 0, 0, 0, 0, 0], [120], null]],
  },
  {
    name: 'att',
    run: `const db=new Database(F('m')); db.run("attach '"+F('n')+"' as n"); db.run('create table n.t(a)'); db.run('begin'); db.run('insert into n.t values(1)'); db.run('commit'); return [db.query('select * from n.t').values(), db.query('pragma database_list').values().map(r=>r[1])]`,
    answer: [[[1]], ['main', 'n']],
  },
  {
    name: 'ext',
    run: `const db=new Database(); return [T(()=>db.query("select load_extension('x')").get())]`,
    answer: [
      {
        error: 'SQLiteError',
        message: 'no such function: load_extension',
        code: 'SQLITE_ERROR',
        errno: 1,
        byteOffset: 7,
      },
    ],
    differs: 'the function does not exist',
  },
  {
    name: 'con',
    run: `const m=M; return [m.default===Database, Object.keys(m).filter(k=>['Database','Statement','SQLiteError','constants','default'].includes(k)).sort(), Object.keys(m.constants).length]`,
    answer: [true, ['Database', 'SQLiteError', 'Statement', 'constants', 'default'], 10],
    differs: 'fewer constants',
  },
];
