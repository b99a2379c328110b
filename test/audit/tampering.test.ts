import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seal } from '../../src/audit/chain.js';
import { canonicalJson } from '../../src/canonical.js';
import { makeJsonlStore } from '../../src/audit/disk/jsonl-store.js';
import type { AuditRecord } from '../../src/audit/record.js';
import { type Anchor, verify } from '../../src/audit/verify.js';
import { callEvents, freshDirectory, openLog } from './logs.js';

/** A log of two calls, eight lines; `change` rewrites its lines. */
async function verdictOn(
  change: (lines: string[]) => readonly string[],
  anchors: readonly Anchor[] = [],
): Promise<Awaited<ReturnType<typeof verify>>> {
  const path = join(freshDirectory(), 'audit.jsonl');
  const store = makeJsonlStore(path);
  const log = await openLog(store);
  for (const event of [...callEvents('a'), ...callEvents('b')]) log.listener(event);
  await log.close();
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  writeFileSync(path, `${change(lines).join('\n')}\n`);
  return verify(store.read(), { anchors });
}

describe('verify', () => {
  it('accepts an unchanged log', async () => {
    expect(await verdictOn((lines) => lines)).toMatchObject({ ok: true, records: 8 });
  });

  it('names the changed record', async () => {
    const verdict = await verdictOn((lines) => lines.with(3, edit(lines[3], 'ok', 'error')));
    expect(verdict).toMatchObject({ ok: false, kind: 'changed', seq: 4, line: 4, records: 3 });
  });

  it('names the record after one that was changed and hashed again', async () => {
    const verdict = await verdictOn((lines) => {
      const { v: _v, seq, prev, hash: _hash, ...entry } = parse(lines[3]);
      return lines.with(3, seal({ seq: seq - 1, hash: prev }, { ...entry, atMs: 7 }).line);
    });
    expect(verdict).toMatchObject({ ok: false, kind: 'replaced', seq: 5, line: 5 });
  });

  it('names the records that were removed from the middle', async () => {
    const verdict = await verdictOn((lines) => lines.toSpliced(3, 2));
    expect(verdict).toMatchObject({ ok: false, kind: 'missing', seq: 4, line: 4 });
    expect(verdict).toMatchObject({ message: 'records 4 to 5 are missing' });
  });

  it('names the first record that is out of order', async () => {
    const verdict = await verdictOn((lines) => [
      ...lines.slice(0, 2),
      ...lines.slice(2, 4).toReversed(),
      ...lines.slice(4),
    ]);
    expect(verdict).toMatchObject({ ok: false, kind: 'missing', seq: 3, line: 3 });
    const twice = await verdictOn((lines) => lines.toSpliced(3, 0, lines[2] ?? ''));
    expect(twice).toMatchObject({ ok: false, kind: 'reordered', seq: 4, line: 4 });
  });

  it('reports that the first records are missing', async () => {
    const verdict = await verdictOn((lines) => lines.slice(2));
    expect(verdict).toMatchObject({ ok: false, kind: 'missing', seq: 1 });
    expect(verdict).toMatchObject({ message: 'records 1 to 2 are missing at the beginning' });
  });

  it('reports a line that is not a record', async () => {
    expect(await verdictOn((lines) => lines.with(5, 'gone'))).toMatchObject({
      kind: 'unreadable',
      seq: 6,
      line: 6,
    });
  });

  it('detects missing last records only with an anchor; without one it notes that the log was not closed', async () => {
    let anchor = { seq: 0, hash: '' };
    const cut = (lines: string[]): string[] => {
      anchor = parse(lines[7]);
      return lines.slice(0, 5);
    };
    const blind = await verdictOn(cut);
    expect(blind).toMatchObject({ ok: true, records: 5 });
    expect(blind.ok && blind.notes.join()).toContain('the log was not closed');
    const lines: AuditRecord[] = [];
    const seeing = await verdictOn(
      (all) => {
        lines.push(...all.map(parse));
        return all.slice(0, 5);
      },
      [{ seq: 8, hash: anchor.hash }],
    );
    expect(seeing).toMatchObject({ ok: false, kind: 'truncated', seq: 6 });
    expect(seeing).toMatchObject({
      message: 'records 6 to 8 are missing at the end: record 8 was anchored',
    });
  });

  it('detects with an anchor that the whole log was replaced', async () => {
    const verdict = await verdictOn((lines) => lines, [{ seq: 3, hash: 'f'.repeat(64) }]);
    expect(verdict).toMatchObject({ ok: false, kind: 'replaced', seq: 3 });
  });

  it('refuses an anchor before the first record, unless it is that of the deleted tail', async () => {
    // A forged log from record 19 on, with an invented hash before it and a record that explains it.
    const forged = [
      { type: 'log-opened', atMs: 1, pid: 1 } as const,
      {
        type: 'files-removed',
        atMs: 1,
        through: 18,
        tail: 'a'.repeat(64),
        files: ['audit.000000000001.jsonl'],
      } as const,
    ];
    const verdict = (anchors: readonly Anchor[]) =>
      verdictOn(() => {
        let head = { seq: 18, hash: 'a'.repeat(64) };
        return forged.map((entry) => {
          const { record, line } = seal(head, entry);
          head = record;
          return line;
        });
      }, anchors);
    expect(await verdict([])).toMatchObject({ ok: true, anchored: 0 });
    expect(await verdict([{ seq: 18, hash: 'b'.repeat(64) }])).toMatchObject({
      ok: false,
      kind: 'missing',
      seq: 18,
    });
    expect(await verdict([{ seq: 5, hash: 'b'.repeat(64) }])).toMatchObject({ ok: false, seq: 5 });
    const tail = { seq: 18, hash: 'a'.repeat(64) };
    expect(await verdict([tail])).toMatchObject({ ok: true, anchored: 1 });
  });

  it('counts the anchors that it compared, and compares two anchors of one record', async () => {
    const lines: AuditRecord[] = [];
    await verdictOn((all) => {
      lines.push(...all.map(parse));
      return all;
    });
    const found = await verdictOn((all) => {
      lines.splice(0, lines.length, ...all.map(parse));
      return all;
    }, []);
    expect(found).toMatchObject({ ok: true, anchored: 0 });
    const right = { seq: 3, hash: lines[2]?.hash ?? '' };
    const path = join(freshDirectory(), 'audit.jsonl');
    mkdirSync(join(path, '..'));
    writeFileSync(path, `${lines.map((line) => canonicalJson(line)).join('\n')}\n`);
    const check = (anchors: readonly Anchor[]) => verify(makeJsonlStore(path).read(), { anchors });
    expect(await check([right, right])).toMatchObject({ ok: true, anchored: 2 });
    const wrong = { seq: 3, hash: 'f'.repeat(64) };
    expect(await check([wrong, right])).toMatchObject({ ok: false, kind: 'replaced', seq: 3 });
    expect(await check([right, wrong])).toMatchObject({ ok: false, kind: 'replaced', seq: 3 });
  });

  it('never accepts a log in which one byte was changed', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.integer({ min: 1, max: 255 }), async (at, flip) => {
        const verdict = await verdictOn((lines) => {
          const text = Buffer.from(lines.join('\n'));
          const index = at % text.length;
          text[index] = (text[index] ?? 0) ^ flip;
          return [text.toString('latin1')];
        });
        return !verdict.ok;
      }),
      { numRuns: 30 },
    );
  });
});

describe('an audit log of several files', () => {
  const write = async (path: string, options: object, calls: number): Promise<void> => {
    const log = await openLog(makeJsonlStore(path, { maxFileBytes: 2_000, ...options }));
    for (let call = 0; call < calls; call += 1) {
      for (const event of callEvents(String(call))) log.listener(event);
      await log.flush();
    }
    await log.close();
  };

  it('continues its chain from file to file, also when it is opened again', async () => {
    const path = join(freshDirectory(), 'audit.jsonl');
    await write(path, {}, 5);
    await write(path, {}, 5);
    expect(readdirSync(join(path, '..')).length).toBeGreaterThan(3);
    expect(await verify(makeJsonlStore(path).read())).toMatchObject({ ok: true, records: 34 });
  });

  it('is broken if a file is missing that keepFiles did not delete', async () => {
    const path = join(freshDirectory(), 'audit.jsonl');
    await write(path, {}, 6);
    const [first = '', second = ''] = readdirSync(join(path, '..')).toSorted();
    rmSync(join(path, '..', second));
    expect(await verify(makeJsonlStore(path).read())).toMatchObject({ ok: false, kind: 'missing' });
    rmSync(join(path, '..', first));
    expect(await verify(makeJsonlStore(path).read())).toMatchObject({ kind: 'missing', seq: 1 });
  });

  it('is valid after keepFiles deleted files, and notes the deletion', async () => {
    const path = join(freshDirectory(), 'audit.jsonl');
    await write(path, { keepFiles: 1 }, 12);
    expect(readdirSync(join(path, '..')).length).toBe(2);
    const verdict = await verify(makeJsonlStore(path).read());
    expect(verdict).toMatchObject({ ok: true });
    expect(verdict.ok && verdict.notes.join()).toContain('deleted');
  });
});

function edit(line: string | undefined, from: string, to: string): string {
  return (line ?? '').replace(from, to);
}

function parse(line: string | undefined): AuditRecord {
  return JSON.parse(line ?? '') as AuditRecord;
}
