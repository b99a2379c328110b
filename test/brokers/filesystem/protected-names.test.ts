/** Names that other programs execute or trust: no change of a mount makes, writes, moves or deletes them. */
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sourceOf } from '../storage/keeper.js';
import { brokerIn, makeTree } from './tree.js';

const NAMES = [
  '.git',
  '.hg',
  '.svn',
  '.vscode',
  '.idea',
  '.mcp.json',
  '.envrc',
  '.npmrc',
  '.claude',
  '.cursor',
  '.github/workflows',
  'node_modules/.bin',
  'bulkhead.lock.json',
  'bulkhead.config.json',
  'bulkhead.rules.json',
];

/** Forms of a name that some disk takes for the name. */
const FORMS: readonly (readonly [form: string, of: (name: string) => string])[] = [
  ['as it is', (name) => name],
  ['in upper case', (name) => name.toUpperCase()],
  [
    'in full width',
    (name) => name.replace(/[a-z]/, (c) => String.fromCharCode(c.charCodeAt(0) + 0xfee0)),
  ],
  ['with a character without width', (name) => name.replace(/(?<=\w)/, '\u200d')],
  ['with a variation selector', (name) => `${name}\ufe0f`],
  ['with a dot and a blank at its end', (name) => `${name}. `],
  ['with a stream of NTFS', (name) => `${name}::$INDEX_ALLOCATION`],
];

const DENIED = 'FILESYSTEM_DENIED';

async function start() {
  const { root, plugin } = await makeTree({ 'plugin/a': '', 'ws/own.txt': 'own' });
  const ws = join(root, 'ws');
  const broker = brokerIn(plugin, [`${ws}:rw`]);
  /** The code of the refusal of a change. */
  const refusal = (op: string, path: string, more: object = {}): Promise<unknown> =>
    broker
      .change(
        { op, path: join(ws, path), recursive: true, ...more },
        op === 'write' || op === 'append' ? sourceOf(Buffer.from('evil')) : undefined,
        new AbortController().signal,
      )
      .then(
        () => 'done',
        (error: unknown) => (error instanceof Error ? Reflect.get(error, 'code') : error),
      );
  return { ws, refusal };
}

/** All paths below a directory, with the content of files. */
function contentOf(top: string): readonly string[] {
  return readdirSync(top, { recursive: true, encoding: 'utf8' })
    .map((path) => {
      const stats = lstatSync(join(top, path));
      return stats.isFile() ? `${path}: ${readFileSync(join(top, path), 'utf8')}` : path;
    })
    .toSorted();
}

describe.each(NAMES)('%s', (name) => {
  it('is not made, in any form and at any depth', async () => {
    const { ws, refusal } = await start();
    for (const [form, of] of FORMS) {
      for (const path of [of(name), join('a/b', of(name)), join(of(name), 'deep/file')]) {
        for (const op of ['write', 'append', 'mkdir']) {
          expect([op, path, form, await refusal(op, path)]).toEqual([op, path, form, DENIED]);
        }
        const to = join(ws, path);
        expect([to, await refusal('move', 'own.txt', { to })]).toEqual([to, DENIED]);
      }
    }
    const made = contentOf(ws).filter((path) => !['a', 'a/b'].includes(path));
    expect(
      made.filter(
        (path) => !/^(?:a\/b\/)?(?:\.github|node_modules)$/i.test(path.normalize('NFKC')),
      ),
    ).toEqual(['own.txt: own']);
  });

  it('is not changed, deleted or moved away, also through links', async () => {
    const { ws, refusal } = await start();
    const file = join(ws, 'sub', name, 'file');
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, 'trusted');
    symlinkSync(join(ws, 'sub', name), join(ws, 'directory'));
    symlinkSync(file, join(ws, 'link'));
    const before = contentOf(ws);
    for (const path of [join('sub', name, 'file'), 'directory/file', 'link', 'directory/new']) {
      for (const op of ['write', 'append']) {
        expect([op, path, await refusal(op, path)]).toEqual([op, path, DENIED]);
      }
    }
    for (const path of [join('sub', name, 'file'), join('sub', name), 'sub', 'directory/file']) {
      expect([path, await refusal('delete', path)]).toEqual([path, DENIED]);
    }
    for (const path of [join('sub', name, 'file'), join('sub', name), 'sub', 'directory/file']) {
      const to = join(ws, 'moved');
      expect([path, await refusal('move', path, { to })]).toEqual([path, DENIED]);
    }
    expect(contentOf(ws)).toEqual(before);
    expect(existsSync(join(ws, 'moved'))).toBe(false);
  });
});
