/**
 * What Node 24.21 answers, as JSON. `F(name)` is a file of the case, `T(work)` is the result of work or its error.
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
    run: `const db=new DatabaseSync(F('a')); const e=db.exec('CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT, b REAL, c BLOB)'); const i=db.prepare('INSERT INTO t(a,b,c) VALUES(?,?,?)'); const r=i.run('x',1.5,new Uint8Array([1,2,3])); const r2=i.run('y',2,null); const all=db.prepare('SELECT * FROM t').all(); return [e===undefined,r,r2,all.map(o=>({...o,c:o.c&&[...o.c]})), Object.getPrototypeOf(all[0])===null, db.prepare('select * from t where id=9').get()===undefined, db.location().endsWith('a'), new DatabaseSync(':memory:').location()]`,
    answer: [
      true,
      { changes: 1, lastInsertRowid: 1 },
      { changes: 1, lastInsertRowid: 2 },
      [
        { id: 1, a: 'x', b: 1.5, c: [1, 2, 3] },
        { id: 2, a: 'y', b: 2, c: null },
      ],
      true,
      true,
      true,
      null,
    ],
  },
  {
    name: 'types',
    run: `const db=new DatabaseSync(':memory:'); return [Object.values(db.prepare('SELECT typeof(?),typeof(?),typeof(?),typeof(?),typeof(?),typeof(?)').get(1,1.5,null,'s',10n,new Uint8Array(2))), T(()=>db.prepare('select ?').get(true)), T(()=>db.prepare('select ?').get(undefined)), T(()=>db.prepare('select ?').get({})), T(()=>db.prepare('select ?').get(2n**70n)), T(()=>db.prepare('select ?').get(1,2)), T(()=>db.prepare('select ? a').get()), T(()=>db.prepare('select ?').get([1]))]`,
    answer: [
      ['blob'],
      { '?': 1 },
      {
        error: 'TypeError',
        message: 'Provided value cannot be bound to SQLite parameter 1.',
        code: 'ERR_INVALID_ARG_TYPE',
      },
      { '?': null },
      {
        error: 'TypeError',
        message: 'BigInt value is too large to bind.',
        code: 'ERR_INVALID_ARG_VALUE',
      },
      {
        error: 'Error',
        message: 'column index out of range',
        code: 'ERR_SQLITE_ERROR',
        errcode: 25,
        errstr: 'column index out of range',
      },
      { a: null },
      { error: 'Error', message: "Unknown named parameter '0'", code: 'ERR_INVALID_STATE' },
    ],
  },
  {
    name: 'big',
    run: `const db=new DatabaseSync(':memory:'); const q=db.prepare('select 9007199254740993 a'); const t=T(()=>q.get()); q.setReadBigInts(true); const i=db.prepare('select 1'); i.setReadBigInts(true); const r=i.run(); return [t,String(q.get().a), typeof r.changes, typeof r.lastInsertRowid, T(()=>q.setReadBigInts(1))]`,
    answer: [
      {
        error: 'RangeError',
        message: 'Value is too large to be represented as a JavaScript number: 9007199254740993',
        code: 'ERR_OUT_OF_RANGE',
      },
      '9007199254740993',
      'bigint',
      'bigint',
      {
        error: 'TypeError',
        message: 'The "readBigInts" argument must be a boolean.',
        code: 'ERR_INVALID_ARG_TYPE',
      },
    ],
  },
  {
    name: 'named',
    run: `const db=new DatabaseSync(':memory:'); const q=db.prepare('SELECT $a AS a, :b AS b, @c AS c'); return [{...q.get({$a:1,':b':2,'@c':3})}, {...q.get({a:1,b:2,c:3})}, {...q.get({a:1})}, T(()=>q.get({z:1})), T(()=>{q.setAllowBareNamedParameters(false); return q.get({a:1})}), T(()=>{q.setAllowUnknownNamedParameters(true); return {...q.get({z:1})}}), T(()=>({...db.prepare('select :k k, ? v').get({k:1},2)}))]`,
    answer: [
      { a: 1, b: 2, c: 3 },
      { a: 1, b: 2, c: 3 },
      { a: 1, b: null, c: null },
      { error: 'Error', message: "Unknown named parameter 'z'", code: 'ERR_INVALID_STATE' },
      { error: 'Error', message: "Unknown named parameter 'a'", code: 'ERR_INVALID_STATE' },
      { a: null, b: null, c: null },
      { k: 1, v: 2 },
    ],
  },
  {
    name: 'bad',
    run: `const db=new DatabaseSync(':memory:'); db.exec('create table t(a unique not null)'); db.exec('insert into t values(1)'); return [T(()=>db.exec('insert into t values(1)')), T(()=>db.prepare('insert into t values(null)').run()), T(()=>db.prepare('SELEC 1')), T(()=>db.exec('select * from nope')), T(()=>db.prepare('')), T(()=>db.prepare(5)), T(()=>db.exec()), T(()=>new DatabaseSync()), T(()=>new DatabaseSync(':memory:',5)), T(()=>new DatabaseSync(':memory:',{open:1})), T(()=>new StatementSync())]`,
    answer: [
      {
        error: 'Error',
        message: 'UNIQUE constraint failed: t.a',
        code: 'ERR_SQLITE_ERROR',
        errcode: 2067,
        errstr: 'constraint failed',
      },
      {
        error: 'Error',
        message: 'NOT NULL constraint failed: t.a',
        code: 'ERR_SQLITE_ERROR',
        errcode: 1299,
        errstr: 'constraint failed',
      },
      {
        error: 'Error',
        message: 'near "SELEC": syntax error',
        code: 'ERR_SQLITE_ERROR',
        errcode: 1,
        errstr: 'SQL logic error',
      },
      {
        error: 'Error',
        message: 'no such table: nope',
        code: 'ERR_SQLITE_ERROR',
        errcode: 1,
        errstr: 'SQL logic error',
      },
      {
        error: 'TypeError',
        message: 'The SQL query contains no statements.',
        code: 'ERR_INVALID_ARG_VALUE',
      },
      {
        error: 'TypeError',
        message: 'The "sql" argument must be a string.',
        code: 'ERR_INVALID_ARG_TYPE',
      },
      {
        error: 'TypeError',
        message: 'The "sql" argument must be a string.',
        code: 'ERR_INVALID_ARG_TYPE',
      },
      {
        error: 'TypeError',
        message: 'The "path" argument must be a string, Uint8Array, or URL without null bytes.',
        code: 'ERR_INVALID_ARG_TYPE',
      },
      {
        error: 'TypeError',
        message: 'The "options" argument must be an object.',
        code: 'ERR_INVALID_ARG_TYPE',
      },
      {
        error: 'TypeError',
        message: 'The "options.open" argument must be a boolean.',
        code: 'ERR_INVALID_ARG_TYPE',
      },
      { error: 'Error', message: 'Illegal constructor', code: 'ERR_ILLEGAL_CONSTRUCTOR' },
    ],
  },
  {
    name: 'missing',
    run: `return [T(()=>new DatabaseSync(F('none'),{readOnly:true})), T(()=>{const d=new DatabaseSync(F('c')); d.exec('create table t(a)'); d.close(); const r=new DatabaseSync(F('c'),{readOnly:true}); return [{...r.prepare('select count(*) n from t').get()}, T(()=>r.exec('insert into t values(1)'))]}), T(()=>new DatabaseSync(F('nodir/x')))]`,
    answer: [
      {
        error: 'Error',
        message: 'unable to open database file',
        code: 'ERR_SQLITE_ERROR',
        errcode: 14,
        errstr: 'unable to open database file',
      },
      [
        { n: 0 },
        {
          error: 'Error',
          message: 'attempt to write a readonly database',
          code: 'ERR_SQLITE_ERROR',
          errcode: 8,
          errstr: 'attempt to write a readonly database',
        },
      ],
      {},
    ],
    differs: 'a missing directory is made, because fs.mkdirSync may still be on its way',
  },
  {
    name: 'closed',
    run: `const db=new DatabaseSync(':memory:'); const q=db.prepare('select 1 a'); db.close(); return [T(()=>q.get()), T(()=>db.prepare('select 1')), T(()=>db.exec('select 1')), T(()=>db.close()), T(()=>db.isTransaction), db.isOpen, T(()=>{const d=new DatabaseSync(':memory:',{open:false}); const a=d.isOpen; d.open(); return [a,d.isOpen,T(()=>d.open())]})]`,
    answer: [
      { error: 'Error', message: 'statement has been finalized', code: 'ERR_INVALID_STATE' },
      { error: 'Error', message: 'database is not open', code: 'ERR_INVALID_STATE' },
      { error: 'Error', message: 'database is not open', code: 'ERR_INVALID_STATE' },
      { error: 'Error', message: 'database is not open', code: 'ERR_INVALID_STATE' },
      { error: 'Error', message: 'database is not open', code: 'ERR_INVALID_STATE' },
      false,
      [
        false,
        true,
        { error: 'Error', message: 'database is already open', code: 'ERR_INVALID_STATE' },
      ],
    ],
  },
  {
    name: 'fk',
    run: `const db=new DatabaseSync(':memory:'); return [{...db.prepare('PRAGMA foreign_keys').get()}, {...new DatabaseSync(':memory:',{enableForeignKeyConstraints:false}).prepare('PRAGMA foreign_keys').get()}, T(()=>db.prepare('select "hello" a').get()), T(()=>({...new DatabaseSync(':memory:',{enableDoubleQuotedStringLiterals:true}).prepare('select "hello" a').get()}))]`,
    answer: [
      { foreign_keys: 1 },
      { foreign_keys: 0 },
      {
        error: 'Error',
        message: 'no such column: "hello" - should this be a string literal in single-quotes?',
        code: 'ERR_SQLITE_ERROR',
        errcode: 1,
        errstr: 'SQL logic error',
      },
      { a: 'hello' },
    ],
  },
  {
    name: 'iterate',
    run: `const db=new DatabaseSync(':memory:'); const q=db.prepare('with recursive c(x) as (values(1) union all select x+1 from c where x<5) select x from c'); const out=[]; for(const r of q.iterate()){out.push(r.x); if(r.x===3) break;} const it=q.iterate(); return [out,it.toArray?it.toArray().length:[...it].length]`,
    answer: [[1, 2, 3], 5],
  },
  {
    name: 'cols',
    run: `const db=new DatabaseSync(':memory:'); db.exec('create table t(id integer primary key, n text)'); const q=db.prepare('select id, n as m, 1+1 as two from t where id=?'); return [q.columns().map(c=>({...c})), q.sourceSQL, T(()=>{q.get(4); return q.expandedSQL}), db.prepare('select 1; select 2').sourceSQL]`,
    answer: [
      [
        { column: 'id', database: 'main', name: 'id', table: 't', type: 'INTEGER' },
        { column: 'n', database: 'main', name: 'm', table: 't', type: 'TEXT' },
        { column: null, database: null, name: 'two', table: null, type: null },
      ],
      'select id, n as m, 1+1 as two from t where id=?',
      'select id, n as m, 1+1 as two from t where id=4.0',
      'select 1;',
    ],
  },
  {
    name: 'arrays',
    run: `const db=new DatabaseSync(':memory:'); const q=db.prepare('select 1 a, 2 b'); q.setReturnArrays(true); return [q.get(), q.all(), T(()=>q.setReturnArrays('x')), new DatabaseSync(':memory:',{returnArrays:true}).prepare('select 3 z').get()]`,
    answer: [
      [1, 2],
      [[1, 2]],
      {
        error: 'TypeError',
        message: 'The "returnArrays" argument must be a boolean.',
        code: 'ERR_INVALID_ARG_TYPE',
      },
      [3],
    ],
  },
  {
    name: 'fn',
    run: `const db=new DatabaseSync(':memory:'); db.function('twice', (x)=>x*2); db.function('cat',{varargs:true},(...a)=>a.join('-')); db.function('big',{useBigIntArguments:true},(x)=>typeof x); db.function('boom',()=>{throw new TypeError('mine')}); db.function('bad',()=>Symbol('q')); return [{...db.prepare('select twice(4) a, cat(1,2,3) b, big(1) c, typeof(twice(4)) d').get()}, T(()=>db.prepare('select boom()').get()), T(()=>db.prepare('select bad()').get()), T(()=>db.function('x')), T(()=>db.prepare('select twice(1,2)').get())]`,
    answer: [
      { a: 8, b: '1-2-3', c: 'bigint', d: 'real' },
      { error: 'TypeError', message: 'mine' },
      {
        error: 'Error',
        message: 'Returned JavaScript value cannot be converted to a SQLite value',
        code: 'ERR_SQLITE_ERROR',
        errcode: 1,
        errstr: 'SQL logic error',
      },
      {
        error: 'TypeError',
        message: 'The "function" argument must be a function.',
        code: 'ERR_INVALID_ARG_TYPE',
      },
      {
        error: 'Error',
        message: 'wrong number of arguments to function twice()',
        code: 'ERR_SQLITE_ERROR',
        errcode: 1,
        errstr: 'SQL logic error',
      },
    ],
  },
  {
    name: 'tx',
    run: `const db=new DatabaseSync(F('t')); db.exec('create table t(a)'); db.exec('begin; insert into t values(1)'); const a=db.isTransaction; db.exec('rollback'); db.exec('begin immediate; insert into t values(2); commit;'); return [a,db.isTransaction, db.prepare('select a from t').all().map(r=>r.a), {...db.prepare('pragma journal_mode').get()}]`,
    answer: [true, false, [2], { journal_mode: 'delete' }],
  },
  {
    name: 'changes',
    run: `const db=new DatabaseSync(':memory:'); db.exec('create table t(a)'); const r=db.prepare('insert into t values(1),(2),(3)').run(); const s=db.prepare('select * from t').run(); return [r,s,db.prepare('delete from t').run()]`,
    answer: [
      { changes: 3, lastInsertRowid: 3 },
      { changes: 3, lastInsertRowid: 3 },
      { changes: 3, lastInsertRowid: 3 },
    ],
  },
  {
    name: 'ext',
    run: `const db=new DatabaseSync(':memory:'); return [T(()=>db.loadExtension('x')), T(()=>db.prepare("select load_extension('x')").get()), T(()=>db.enableLoadExtension(true))]`,
    answer: [
      { error: 'Error', message: 'extension loading is not allowed', code: 'ERR_INVALID_STATE' },
      {
        error: 'Error',
        message: 'no such function: load_extension',
        code: 'ERR_SQLITE_ERROR',
        errcode: 1,
        errstr: 'SQL logic error',
      },
      {
        error: 'Error',
        message: 'Cannot enable extension loading because it was disabled at database creation.',
        code: 'ERR_INVALID_STATE',
      },
    ],
    differs: 'the function does not exist',
  },
  {
    name: 'blob',
    run: `const db=new DatabaseSync(':memory:'); const v=db.prepare("select x'0102' b, zeroblob(0) z").get(); return [v.b.constructor.name,[...v.b],v.z.length]`,
    answer: ['Uint8Array', [1, 2], 0],
  },
  {
    name: 'att',
    run: `const db=new DatabaseSync(F('m')); db.exec("attach '"+F('n')+"' as n; create table n.t(a); insert into n.t values(5)"); return [{...db.prepare('select a from n.t').get()}, db.location('n').endsWith('n')]`,
    answer: [{ a: 5 }, true],
  },
];
