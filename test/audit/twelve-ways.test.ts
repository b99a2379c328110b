import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { seal } from '../../src/audit/chain.js';
import { makeJsonlStore } from '../../src/audit/disk/jsonl-store.js';
import { type AuditEntry, type AuditRecord, GENESIS, type Head } from '../../src/audit/record.js';
import { parseAnchors, verify } from '../../src/audit/verify.js';
import { newSigner, parseLine, signedLog, type SignedLog } from './signed.js';
import { freshDirectory } from './logs.js';
import { textToSign } from '../../src/audit/checkpoint.js';

interface Tampering {
  readonly how: string;
  /** Returns the new lines. `before`: the lines of the log as it was two calls earlier. */
  readonly change: (
    lines: readonly string[],
    before: readonly string[],
    log: SignedLog,
  ) => readonly string[] | Promise<readonly string[]>;
  /** The verdict without a key and an anchor. `undefined`: the chain alone does not show it. */
  readonly chain: string | undefined;
  /** The verdict with the public key. */
  readonly key: string | undefined;
  /** The verdict with the anchors of the second place. */
  readonly anchor: string | undefined;
}

const ways: readonly Tampering[] = [
  {
    how: 'change a record',
    change: (lines) => lines.with(3, (lines[3] ?? '').replace('sample', 'simple')),
    chain: 'changed',
    key: 'changed',
    anchor: 'changed',
  },
  {
    how: 'change a record and its hash',
    change: (lines) => lines.with(3, again(lines, 3)),
    chain: 'replaced',
    key: 'replaced',
    anchor: 'replaced',
  },
  {
    how: 'change a record, and chain the rest again',
    change: (lines) => rechained(lines, (entry, at) => (at === 3 ? { ...entry, atMs: 7 } : entry)),
    chain: undefined,
    key: 'forged',
    anchor: 'replaced',
  },
  {
    how: 'remove a record from the middle',
    change: (lines) => lines.toSpliced(3, 1),
    chain: 'missing',
    key: 'missing',
    anchor: 'missing',
  },
  {
    how: 'exchange two records',
    change: (lines) => lines.with(3, lines[4] ?? '').with(4, lines[3] ?? ''),
    chain: 'missing',
    key: 'missing',
    anchor: 'missing',
  },
  {
    how: 'insert a copy of a record',
    change: (lines) => lines.toSpliced(3, 0, lines[2] ?? ''),
    chain: 'reordered',
    key: 'reordered',
    anchor: 'reordered',
  },
  {
    how: 'remove the first records',
    change: (lines) => lines.slice(2),
    chain: 'missing',
    key: 'missing',
    anchor: 'missing',
  },
  {
    how: 'remove the first records, and explain that with a record that files were removed',
    change: (lines) => {
      const tail = 'a'.repeat(64);
      const removed = { type: 'files-removed', atMs: 1, through: 40, tail, files: [] } as const;
      return chained([{ type: 'log-opened', atMs: 1, pid: 1 }, removed, ...lines.map(entryOf)], {
        seq: 40,
        hash: tail,
      });
    },
    chain: undefined,
    key: 'forged',
    anchor: 'missing',
  },
  {
    how: 'cut off the tail',
    change: (lines) => lines.slice(0, -3),
    chain: undefined,
    key: 'unattested',
    anchor: 'truncated',
  },
  {
    how: 'empty the file',
    change: () => [],
    chain: undefined,
    key: 'unattested',
    anchor: 'truncated',
  },
  {
    // Its signatures are right: only a second place knows that the log was longer.
    how: 'put an older copy in its place',
    change: (_lines, before) => before,
    chain: undefined,
    key: undefined,
    anchor: 'truncated',
  },
  {
    how: 'write the whole log again, without signatures',
    change: (lines) => chained(lines.map(entryOf).filter(({ type }) => type !== 'checkpoint')),
    chain: undefined,
    key: 'unattested',
    anchor: 'replaced',
  },
  {
    how: 'write the whole log again, with another key',
    change: async (lines) => {
      const other = newSigner(freshDirectory());
      const result: string[] = [];
      let head: Head = { seq: 0, hash: GENESIS };
      for (const entry of lines.map(entryOf)) {
        const { record, line } = seal(
          head,
          entry.type !== 'checkpoint'
            ? { ...entry, atMs: entry.atMs + 1 }
            : {
                ...entry,
                key: other.publicKey.id,
                signature: Buffer.from(
                  await other.sign(
                    textToSign({
                      ...entry,
                      key: other.publicKey.id,
                      seq: head.seq + 1,
                      prev: head.hash,
                    }),
                  ),
                ).toString('base64url'),
              },
        );
        result.push(line);
        head = record;
      }
      return result;
    },
    chain: undefined,
    key: 'unattested',
    anchor: 'replaced',
  },
  {
    how: 'append a record with a valid hash',
    change: (lines) => [...lines, appended(lines)],
    chain: undefined,
    key: 'unattested',
    // The second place knows the record before it, and no later one.
    anchor: undefined,
  },
  {
    how: 'append a record, and let an engine continue the log',
    change: async (lines, _before, log) => {
      log.replace([...lines, appended(lines)]);
      await log.write(2);
      return log.lines();
    },
    chain: undefined,
    key: 'unattested',
    anchor: undefined,
  },
  {
    how: 'move a signature to a later checkpoint',
    change: (lines) => {
      const signatures = lines
        .map(entryOf)
        .flatMap((entry) => (entry.type === 'checkpoint' ? [entry.signature] : []));
      return rechained(lines, (entry) =>
        entry.type === 'checkpoint' ? { ...entry, signature: signatures[0] ?? '' } : entry,
      );
    },
    chain: undefined,
    key: 'forged',
    anchor: 'replaced',
  },
];

describe('an audit log that was tampered with', () => {
  it.each(ways)('$how', async ({ change, chain, key, anchor }) => {
    const log = await signedLog(4);
    const before = log.lines();
    await log.write(2);
    const anchors = parseAnchors(readFileSync(log.anchorFile, 'utf8'));
    const keys = [log.signer.publicKey];
    const check = async (options: Parameters<typeof verify>[1]) => {
      const verdict = await verify(makeJsonlStore(log.path).read(), options);
      return verdict.ok ? undefined : verdict.kind;
    };
    expect(await check({ keys, anchors })).toBeUndefined();
    log.replace(await change(log.lines(), before, log));
    expect({
      chain: await check({}),
      key: await check({ keys }),
      anchor: await check({ anchors }),
    }).toEqual({ chain, key, anchor });
  });
});

function entryOf(line: string): AuditEntry {
  const { v: _v, seq: _seq, prev: _prev, hash: _hash, ...entry } = parseLine(line);
  return entry;
}

/** Chains entries from the start, or after a head. */
function chained(
  entries: readonly AuditEntry[],
  start: Head = { seq: 0, hash: GENESIS },
): string[] {
  let head = start;
  return entries.map((entry) => {
    const { record, line } = seal(head, entry);
    head = record;
    return line;
  });
}

function rechained(
  lines: readonly string[],
  edit: (entry: AuditEntry, at: number) => AuditEntry,
): string[] {
  return chained(lines.map((line, at) => edit(entryOf(line), at)));
}

function again(lines: readonly string[], at: number): string {
  const { seq, prev }: AuditRecord = parseLine(lines[at]);
  return seal({ seq: seq - 1, hash: prev }, { ...entryOf(lines[at] ?? ''), atMs: 7 }).line;
}

function appended(lines: readonly string[]): string {
  const entry = { type: 'alert', atMs: 9, plugin: 'sample', level: 'info', message: 'm' } as const;
  return seal(parseLine(lines.at(-1)), entry).line;
}
