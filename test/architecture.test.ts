import { describe, expect, it } from 'vitest';
import { findCycles, findViolations } from './architecture/layers.js';
import { formats } from '../src/formats/table.js';
import { brokers } from '../src/brokers/broker.js';
import { permissionKinds } from '../src/permissions/table.js';
import { endowments } from '../sandbox/endowments/table.js';
import { apiReport, entryPoints } from './architecture/api-report.js';
import { readSources, readText, type SourceFile } from './architecture/sources.js';

const product = readSources('sandbox', 'src');

describe('the tree', () => {
  it('imports only downwards, and crosses the trust line only at the wire', () => {
    expect(findViolations(product)).toEqual([]);
  });

  it('has no import cycle, types included', () => {
    expect(findCycles(product)).toEqual([]);
  });

  it('has one concept for each file, in at most 400 lines', () => {
    const long = product.filter(({ lines }) => lines > 400);
    expect(long.map(({ path, lines }) => `${path}: ${lines} lines`)).toEqual([]);
  });
});

describe('a plugin system', () => {
  /** The tables: formats, engine glue, dialects, public types, sentences about powers, new plugins. */
  const TABLES = [
    'src/formats/table.ts',
    'src/engine/systems.ts',
    'sandbox/dialects/table.ts',
    'src/index.ts',
    'src/permissions/power-words.ts',
    'src/cli/init/templates.ts',
  ];
  /** The fixtures that the demo and the doctor run. */
  const EXAMPLES = ['src/cli/demo/examples.ts', 'src/cli/doctor/machine.ts'];
  const SYSTEM = /(?:formats|dialects)\/([a-z-]+)\//;
  const systems = formats.map(({ name }) => name);
  const outside = product.filter(({ path }) => {
    const system = SYSTEM.exec(path)?.[1] ?? path.split('/').at(-1)?.replace('.ts', '') ?? '';
    return !systems.includes(system) && !TABLES.includes(path);
  });

  it('is imported by its own folders and by the tables alone', () => {
    const importers = outside.flatMap(({ path, imports }) =>
      imports
        .filter((target) => systems.includes(SYSTEM.exec(target)?.[1] ?? ''))
        // The council is an entry point of its own.
        .filter((target) => !target.includes('/council/'))
        .map((target) => `${path} imports ${target}`),
    );
    expect(importers).toEqual([]);
  });

  it('is named in the code of no other file', () => {
    const quoted = new RegExp(`['"\`/](?:${systems.join('|')})['"\`/.]`);
    const named = outside
      .filter(({ path }) => !EXAMPLES.includes(path))
      .flatMap(({ path }) =>
        readText(path)
          .split('\n')
          .filter((line) => !/^\s*(?:\*|\/\*|\/\/)/.test(line) && quoted.test(line))
          .map((line) => `${path}: ${line.trim()}`),
      );
    expect(named).toEqual([]);
  });
});

describe('the tables of capabilities', () => {
  const kinds = Object.keys(permissionKinds).toSorted();

  it('has a broker for each kind of permission, or the reason why none is needed', () => {
    expect(Object.keys(brokers).toSorted()).toEqual(kinds);
  });

  it('has an endowment of the same name for each kind of permission', () => {
    const gated = Object.values(endowments).flatMap(({ permission }) => permission ?? []);
    // `random` has a second one, `crypto`.
    expect([...new Set(gated)].toSorted()).toEqual(kinds);
    for (const kind of kinds) expect(endowments[kind]?.permission).toBe(kind);
  });
});

describe('the public surface', () => {
  it.each(entryPoints)('$specifier is what its API report says', async ({ specifier, types }) => {
    // `npx vitest run test/architecture.test.ts -u` writes the reports again: review the change.
    await expect(apiReport(types)).toMatchFileSnapshot(
      `architecture/api/${specifier.replaceAll('/', '-')}.txt`,
    );
  });
});

describe('the table of layers', () => {
  it.each([
    ['src/permissions/network.ts', 'src/engine/engine.ts', 'upwards'],
    ['src/brokers/network.ts', 'src/guests/walls.ts', 'its sibling'],
    ['src/engine/engine.ts', 'sandbox/endowments/timers.ts', 'crosses the trust line'],
    ['sandbox/wire/peer.ts', 'src/errors.ts', 'crosses the trust line'],
    ['sandbox/endowments/timers.ts', 'node:timers', 'inside the boundary'],
    ['sandbox/guest.ts', 'pino', 'inside the boundary'],
    ['src/engine/engine.ts', 'node:fs', 'takes the power'],
    ['src/audit/chain.ts', 'src/plugin/plugin.ts', 'may import only'],
    ['src/misc/things.ts', 'src/errors.ts', 'has no place'],
  ])('refuses that %s imports %s', (path, target, problem) => {
    expect(findViolations([file(path, target)]).join()).toContain(problem);
  });

  it('refuses a use of the global process outside the places that hold powers', () => {
    const uses = { ...file('src/engine/engine.ts'), processUses: ['env', 'platform'] };
    expect(findViolations([uses])).toEqual([
      'src/engine/engine.ts takes process.env instead of being passed it',
    ]);
    expect(findViolations([{ ...uses, path: 'src/guests/spawn.ts' }])).toEqual([]);
  });

  it('finds a cycle through three files', () => {
    expect(
      findCycles([
        file('src/a.ts', 'src/b.ts'),
        file('src/b.ts', 'src/c.ts'),
        file('src/c.ts', 'src/a.ts'),
      ]),
    ).toEqual(['src/a.ts → src/b.ts → src/c.ts → src/a.ts']);
  });
});

function file(path: string, ...imports: readonly string[]): SourceFile {
  return { path, lines: 1, imports, processUses: [] };
}
