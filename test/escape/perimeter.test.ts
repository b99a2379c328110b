import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { runInNewContext } from 'node:vm';
import { beforeAll, describe, expect, it } from 'vitest';
import { guestCommand } from '../../src/guests/command.js';
import { DEFAULT_WALLS } from '../../src/guests/walls/optional.js';
import { inspectMachine } from '../../src/guests/machine.js';
import { fixture } from './attempt.js';

/** What a guest's own process holds once it is ready, as code that broke out would find it. */
interface Findings {
  /** Paths from the global object to functions that any of Node's modules exports. */
  readonly ofNode: readonly string[];
  /** Names on the start realm's global object and on `process`. */
  readonly globals: readonly string[];
  /** Those of them without a value. */
  readonly emptied: readonly string[];
  /** The globals of a compartment without endowments. */
  readonly compartment: readonly string[];
  readonly process: readonly string[];
  readonly variables: readonly string[];
  /** Per way out: what it got, or what stopped it. */
  readonly ways: Readonly<Record<string, { readonly got?: string; readonly stopped?: string }>>;
}

let found: Findings;

beforeAll(async () => {
  const directory = mkdtempSync(join(tmpdir(), 'bulkhead-perimeter-'));
  try {
    found = await breakOut(directory);
  } finally {
    rmSync(directory, { recursive: true });
  }
});

/**
 * Runs the very file that guests run, behind the walls that guests have, with a burglar at its end:
 * code of the start realm, with the evaluators that no plugin ever sees.
 */
async function breakOut(directory: string): Promise<Findings> {
  const guest = readFileSync(createRequire(import.meta.url).resolve('#sandbox/guest.cjs'), 'utf8');
  const burglar = join(fixture('broken-out'), 'burglar.js');
  const script = join(directory, 'guest.cjs');
  const before = guest.indexOf('new Script(code,');
  expect(before).toBeGreaterThan(0);
  const parts = ['before', 'after'].map((part) =>
    JSON.stringify(section(readFileSync(burglar, 'utf8'), part)),
  );
  writeFileSync(
    script,
    `${guest.slice(0, before)}new Script(code.replace('{', () => '{' + ${parts[0]}).replace(/}\\)$/, () => ${parts[1]} + '})'),${guest.slice(before + 'new Script(code,'.length)}`,
  );
  const { file, args, env } = guestCommand(
    await inspectMachine(script),
    { memoryMb: 64, cpuSeconds: 60 },
    script,
    [script],
    DEFAULT_WALLS,
  );
  const child = spawn(file, args, { env, cwd: '/', stdio: ['ignore', 'ignore', 'pipe', 'pipe'] });
  if (child.stderr === null) throw new Error('no standard error');
  const said = await text(child.stderr);
  const line = said.split('\n').find((one) => one.startsWith('{"ofNode"'));
  if (line === undefined) throw new Error(`the burglar said nothing: ${said}`);
  return JSON.parse(line) as Findings;
}

function section(source: string, part: string): string {
  const [, code] = source.split(`// == ${part} ==\n`);
  if (code === undefined) throw new Error(`no section ${part}`);
  return code.split('// == ')[0] ?? '';
}

describe('what code finds that broke out of its compartment', () => {
  it('is not a function of any of Node’s modules, except the one that makes events', () => {
    const others = found.ofNode.filter((path) => !/= events(\.|$)/.test(path));
    expect(others).toEqual([]);
  });

  it('is a global object with the language and three names of ours', () => {
    // V8 does not let the name `gc` be deleted. Its value is gone.
    expect(found.emptied).toEqual(['gc']);
    expect(found.globals.filter((name) => !found.emptied.includes(name))).toEqual([
      'Compartment',
      'globalThis',
      'harden',
      'process',
    ]);
  });

  it('is a language, in a compartment without endowments, and nothing of the platform', () => {
    const platform = namesOfNode().filter((name) => !LANGUAGE.has(name));
    expect(platform).toEqual(expect.arrayContaining(['TextEncoder', 'TextDecoder', 'URL']));
    expect(found.compartment.filter((name) => platform.includes(name))).toEqual([]);
  });

  it('is a process without signals, modules, descriptors or paths', () => {
    const gone = [
      'kill',
      'binding',
      '_linkedBinding',
      'dlopen',
      'getBuiltinModule',
      'mainModule',
      'stdin',
      'stdout',
      'stderr',
      'openStdin',
      'chdir',
      'cwd',
      'argv',
      'execArgv',
      'execPath',
      'execve',
      'report',
      'send',
      'channel',
      'hrtime',
      'uptime',
      'umask',
      'getuid',
      'setuid',
      'initgroups',
      'abort',
      'exit',
      'ppid',
      'title',
      'config',
      'env0',
      'moduleLoadList',
      '_debugProcess',
      '_debugEnd',
      '_rawDebug',
      'setSourceMapsEnabled',
      'loadEnvFile',
      'memoryUsage',
      'cpuUsage',
      'resourceUsage',
    ];
    expect(found.process.filter((name) => gone.includes(name))).toEqual([]);
  });

  it('is an environment without a variable', () => {
    expect(found.variables).toEqual([]);
  });

  it('is not a way to load a module, for any evaluator', () => {
    const { ways } = found;
    for (const [name, { got }] of Object.entries(ways)) expect({ name, got }).toEqual({ name });
    expect(Object.keys(ways).length).toBeGreaterThan(20);
  });
});

/** What a Node process has on its global object: asked of a fresh one, that no test has added to. */
function namesOfNode(): readonly string[] {
  const ask = 'JSON.stringify(Object.getOwnPropertyNames(globalThis))';
  const { stdout } = spawnSync(process.execPath, ['-p', ask], { encoding: 'utf8' });
  return JSON.parse(stdout);
}

/** What every realm has, of the language alone: asked of one that Node adds nothing to. */
const LANGUAGE: ReadonlySet<string> = new Set(
  runInNewContext('Object.getOwnPropertyNames(globalThis)') as string[],
);
