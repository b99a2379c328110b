import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { Guarantee } from '../../src/index.js';
import { ROOT } from '../architecture/sources.js';
import { afterEachFile } from '../tidying.js';

const directory = mkdtempSync(join(tmpdir(), 'bulkhead-poor-'));
afterEachFile(() => rmSync(directory, { recursive: true, force: true }));

const isRoot = process.geteuid?.() === 0;
const UNSHARE = '/usr/bin/unshare';

/** What a host does there, as JSON. */
const HOST = `
import { createEngine } from ${JSON.stringify(pathToFileURL(join(ROOT, 'dist/lib/index.js')).href)};
const warnings = [];
const warn = (fields, text) => warnings.push(text);
const logger = { debug() {}, info() {}, warn, error: warn };
const options = { limits: { pool: 0 }, logger };
const engine = await createEngine({
  ...options, plugins: [${JSON.stringify(join(ROOT, 'fixtures/plugins/pandora/lorem'))}], grant: 'declared' });
const { isError } = await engine.call('lorem:lorem', { count: 3 });
const walls = await engine.guarantees();
await engine.close();
const refusals = {};
for (const wall of ['process', 'own-filesystem', 'no-file-writes', 'no-network']) {
  refusals[wall] = await createEngine({ ...options, plugins: [], walls: { require: [wall] } })
    .then((one) => one.close().then(() => 'started'), ({ code, message }) => code + ' ' + message);
}
console.log(JSON.stringify({ isError, walls, warnings, refusals }));
`;

interface Outcome {
  readonly isError: boolean;
  readonly walls: readonly Guarantee[];
  readonly warnings: readonly string[];
  readonly refusals: Readonly<Record<string, string>>;
}

const ENVIRONMENT = { PATH: '/usr/bin:/bin', HOME: directory, XDG_CACHE_HOME: directory };

function outcomeOf(file: string, args: readonly string[]): Outcome {
  const { stdout, stderr } = spawnSync(file, args, { encoding: 'utf8', env: ENVIRONMENT });
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout) as Outcome;
}

/** A Linux without these programs: an empty file is mounted over each. */
function without(names: readonly string[]): Outcome {
  const hide = names
    .flatMap((name) => [`/usr/bin/${name}`, `/bin/${name}`])
    .map((path) => `if test -x ${path}; then mount --bind /dev/null $(readlink -f ${path}); fi;`);
  return outcomeOf(UNSHARE, [
    ...(isRoot ? [] : ['--map-root-user']),
    '--mount',
    '--',
    '/bin/sh',
    '-c',
    `mount --make-rprivate /; ${hide.join(' ')} exec "$@"`,
    'sh',
    process.execPath,
    '--input-type=module',
    '-e',
    HOST,
  ]);
}

/** The same Node on a system of another name. */
function onMacOs(): Outcome {
  const rename = `Object.defineProperty(process, 'platform', { value: 'darwin' })`;
  return outcomeOf(process.execPath, [
    '--import',
    `data:text/javascript,${encodeURIComponent(rename)}`,
    '--input-type=module',
    '-e',
    HOST,
  ]);
}

const canHide =
  process.platform === 'linux' &&
  spawnSync(UNSHARE, [...(isRoot ? [] : ['--map-root-user']), '--mount', 'true']).status === 0;

const KERNEL_WALLS = [
  'own-filesystem',
  'no-file-writes',
  'no-local-sockets',
  'no-other-processes',
  'no-child-processes',
  'no-uncounted-memory',
  'system-call-filter',
  'no-network',
];

function missingOf({ walls }: Outcome): string[] {
  return walls.filter(({ active, unused }) => !active && !unused).map(({ wall }) => wall);
}

describe.each<[string, () => Outcome, boolean]>([
  [
    'without perl, bubblewrap, unshare and setpriv',
    () => without(['perl', 'bwrap', 'unshare', 'setpriv']),
    canHide,
  ],
  ['without a shell, too', () => without(['perl', 'bwrap', 'unshare', 'setpriv', 'sh']), canHide],
  ['that is not Linux', onMacOs, true],
])('a machine %s', (_, run, can) => {
  it.skipIf(!can)('runs plugins, says what is missing, and refuses required walls', () => {
    const outcome = run();
    expect(outcome.isError).toBe(false);
    expect(missingOf(outcome)).toEqual(expect.arrayContaining(KERNEL_WALLS));
    const active = outcome.walls.filter((wall) => wall.active).map(({ wall }) => wall);
    expect(active).toEqual(
      expect.arrayContaining(['compartment', 'scuttled', 'process', 'permission-model']),
    );
    // One line, with everything that is missing.
    const lines = outcome.warnings.filter((text) => text.includes('A guest lacks here'));
    expect(new Set(lines).size).toBe(1);
    expect(lines[0]).toContain('a root of its own');
    expect(lines[0]).toContain('a filter of system calls');
    expect(lines[0]).toContain('namespaces of its own (net, pid, ipc)');
    expect(lines[0]).toContain('bulkhead doctor');
    for (const { wall, remedy, active: stands } of outcome.walls) {
      if (!stands && KERNEL_WALLS.includes(wall))
        expect(remedy).toMatch(/install perl .*bubblewrap/);
    }
    const { process: started, ...refused } = outcome.refusals;
    expect(started).toBe('started');
    for (const [wall, words] of Object.entries(refused)) {
      expect(words).toContain('WALL_MISSING');
      expect(words).toContain(wall);
    }
  });
});

describe.skipIf(!canHide)('a machine with util-linux alone', () => {
  it('gives a guest a root of its own, and no filter', () => {
    const outcome = without(['perl', 'bwrap']);
    expect(outcome.isError).toBe(false);
    const missing = missingOf(outcome);
    expect(missing).not.toContain('own-filesystem');
    expect(missing).not.toContain('no-network');
    expect(missing).toContain('system-call-filter');
    expect(outcome.refusals['own-filesystem']).toBe('started');
  });
});
