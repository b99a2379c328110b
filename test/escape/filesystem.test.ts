import { execFileSync } from 'node:child_process';
import { cpSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { fixture, stage, temporary } from './attempt.js';
import { got, gotNothing } from './verdicts.js';

describe('code that was granted a directory of its own', () => {
  // A copy, with what version control does not keep.
  const home = join(temporary(), 'reads-files');
  cpSync(fixture('reads-files'), home, { recursive: true });
  symlinkSync('/etc/passwd', join(home, 'data/link'));
  symlinkSync('..', join(home, 'data/up'));
  symlinkSync('/proc/self/environ', join(home, 'data/environ'));
  execFileSync('mkfifo', [join(home, 'data/pipe')]);

  const escapeAttempt = stage({
    hostile: 'reads-files',
    options: () => ({ plugins: [home] }),
  });

  const OUTSIDE = [
    '/etc/passwd',
    '../../../../../etc/passwd',
    'data/../secret.txt',
    'data/../../reads-files/secret.txt',
    'secret.txt',
    './secret.txt',
    'data-of-others/secret.txt',
    'DATA/own.txt',
    'data/..\\secret.txt',
    'data/%2e%2e/secret.txt',
    'data/own.txt\0.png',
    'file:///etc/passwd',
    '~/.ssh/id_rsa',
    'pandora.manifest.json',
    'src/index.ts',
    'notesX/note.txt',
    '',
  ];
  const LINKS = ['data/link', 'data/up/secret.txt', 'data/environ', 'data/up'];
  const SPECIAL = [
    '/proc/self/environ',
    '/proc/1/environ',
    '/proc/self/mem',
    '/dev/zero',
    '/dev/stdin',
    'data/pipe',
    'data',
    'data/',
    '/dev/fd/0',
  ];

  for (const [tries, paths] of Object.entries({
    'paths that lead out, and prefixes that only look granted': OUTSIDE,
    'links that lead out': LINKS,
    'what is no file: processes, devices, pipes, directories': SPECIAL,
  })) {
    escapeAttempt({ tries, tool: 'reads', input: { paths }, verdict: gotNothing });
  }

  const tools = {
    'reads-with-node': "the same through Node's own promises",
    'reads-at-once': "the same through Node's own readFileSync",
    'reads-by-shape': 'paths that are another at the second look',
    lists: 'to list directories that it was not granted',
    writes: 'to write, where it may read and where it may not',
  };
  for (const [tool, tries] of Object.entries(tools)) {
    // What lies in a directory that it may read, it may know.
    const granted = tool === 'lists' ? ['data', 'data/'] : [];
    const paths = [
      ...[...OUTSIDE, ...LINKS, ...SPECIAL].filter((path) => !granted.includes(path)),
      ...(tool === 'writes' ? ['data/own.txt'] : []),
    ];
    escapeAttempt({ tries, tool, input: { paths }, verdict: gotNothing });
  }

  escapeAttempt({
    tries: 'for more than what it was granted',
    tool: 'reads',
    input: { paths: ['data/own.txt'] },
    verdict: got('data/own.txt: its own\n'),
  });

  escapeAttempt({
    tries: 'to leave a word of what it may not read in the host’s events',
    tool: 'reads',
    input: { paths: ['secret.txt'] },
    verdict: ({ events }) => {
      expect(JSON.stringify(events)).not.toContain('a secret');
      expect(events.filter(({ type }) => type === 'capability-denied')).toHaveLength(1);
    },
  });
});
