import { parseSync } from 'oxc-parser';
import { describe, expect, it } from 'vitest';
import { readText } from '../architecture/sources.js';
import { commands } from '../cli/grammar.js';
import { guards } from '../guards/table.js';

const text = readText('SECURITY.md');

describe('what is claimed', () => {
  const claims = [...text.matchAll(/^\| (\d+) +\| (.+?) +\| (.+?) +\|$/gm)];
  const guarding = new Set(
    Object.values(guards).flatMap((all) => all.flatMap(({ tests }) => tests)),
  );
  /** The compiler, a collection of attacks, and a table hold these: there is no line to take out. */
  const WITHOUT = ['1', '4', '28'];

  it('rests on guards: take one out, and a test of the claim fails', () => {
    const unguarded = claims.flatMap(([, number = '', claim = '', tests = '']) => {
      const paths = [...tests.matchAll(/`([^`]+)`/g)].map(([, path]) => path ?? '');
      return paths.some((path) => guarding.has(path)) ? [] : [`${number} ${claim}`];
    });
    expect(unguarded.map((claim) => claim.split(' ')[0])).toEqual(WITHOUT);
  });
});

describe('the trusted computing base', () => {
  it('names every package that is installed with this one, and its version', () => {
    const { dependencies } = JSON.parse(readText('package.json')) as {
      dependencies: Record<string, string>;
    };
    const told = [...text.matchAll(/^\| `([@\w/.-]+)` +\| (\d+\.\d+) +\|/gm)];
    const rows = told.map(([, name, version]) => [name, version]);
    expect(new Map(rows as [string, string][])).toEqual(
      new Map(
        Object.entries(dependencies).map(([name, range]) => [
          name,
          range.replace(/^[~^]/, '').split('.').slice(0, 2).join('.'),
        ]),
      ),
    );
    expect(rows).toHaveLength(Object.keys(dependencies).length);
  });
});

/** The rows of the table of what gives something up: its options, flags and keys of a configuration. */
const [, table = ''] = /^(\| Option .*?)\n\n/ms.exec(text) ?? [];
const rows = [...table.matchAll(/^\|(.*)\|(.*)\|(.*)\|(.*)\|$/gm)].slice(2);

function named(column: 1 | 3 | 4): Set<string> {
  return new Set(
    rows.flatMap((row) =>
      [...(row[column] ?? '').matchAll(/`([^`]+)`/g)].map(([, one]) => one ?? ''),
    ),
  );
}

describe('what weakens the defaults', () => {
  it('is told of every option of an engine, and of a call, that does', () => {
    // Values that stand for themselves (`'relaxed'`) belong to the option before them.
    const told = [...named(1)].flatMap((option) => /^(?:call: )?[\w.[\]]+/.exec(option)?.[0] ?? []);
    expect(told.length).toBeGreaterThan(20);
    const all = [
      ...membersOf('src/engine/options/options.ts', 'EngineOptions', ['network', 'walls', 'audit']),
      ...membersOf('src/engine/options/options.ts', 'NetworkOptions').map(
        (name) => `network.${name}`,
      ),
      ...membersOf('src/engine/options/options.ts', 'WallOptions').map((name) => `walls.${name}`),
      ...membersOf('src/audit/options.ts', 'AuditOptions').map((name) => `audit.${name}`),
      ...membersOf('src/engine/options/options.ts', 'CallOptions').map((name) => `call: ${name}`),
    ];
    const weak = new Set(told.map((name) => name.replace(/^config\[id\].*/, 'config')));
    expect(classed(all, weak, HARMLESS_OPTIONS)).toEqual([]);
  });

  it('is told of every option of the command line that does', () => {
    const all = commands.flatMap(({ command }) => command.options.map(({ long }) => long ?? ''));
    const told = new Set([...named(3)].map((flag) => flag.split(' ')[0] ?? ''));
    expect(classed(all, told, HARMLESS_FLAGS)).toEqual([]);
  });

  it('is told of every key of a configuration that does', () => {
    const { properties } = JSON.parse(readText('bulkhead.config.schema.json')) as {
      properties: object;
    };
    expect(classed(Object.keys(properties), named(4), HARMLESS_KEYS)).toEqual([]);
  });
});

/** What is neither in the table nor known to give nothing up, is both, or is told and not there. */
function classed(
  all: readonly string[],
  told: ReadonlySet<string>,
  harmless: readonly string[],
): string[] {
  const there = new Set(all);
  return [
    ...[...there].filter((one) => told.has(one) === harmless.includes(one)),
    ...[...told].filter((one) => !there.has(one)),
  ];
}

function membersOf(path: string, name: string, without: readonly string[] = []): string[] {
  const { program } = parseSync(path, readText(path));
  for (const statement of program.body) {
    const declared =
      statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
    if (declared?.type !== 'TSInterfaceDeclaration' || declared.id.name !== name) continue;
    return declared.body.body.flatMap((member) =>
      member.type === 'TSPropertySignature' &&
      member.key.type === 'Identifier' &&
      !without.includes(member.key.name)
        ? [member.key.name]
        : [],
    );
  }
  throw new Error(`${path} has no interface ${name}`);
}

/** They name things, narrow, listen, or put a wall up. */
const HARMLESS_OPTIONS = [
  'plugins',
  'defaultPlugins',
  'collisions',
  'lockFile',
  'secrets',
  'hooks',
  'policy',
  'identity',
  'logger',
  'onEvent',
  'walls.require',
  'walls.paranoid',
  'audit.file',
  'audit.store',
  'call: signal',
  'call: timeoutMs',
  'call: context',
  'call: tenant',
  'call: policy',
  'call: unattended',
  'call: rehearse',
  'call: onOutput',
];

const HARMLESS_FLAGS = [
  // What is called, with what, and for whom.
  '--input --context --dialect --tenant --unattended --tool --call --credential --storage-directory',
  // What keeps a plugin to less, or lets it do nothing.
  '--lock --locked --secret --rehearse --suggest --require --paranoid --storage --digest',
  // What is written down, and what of it is shown, and how.
  '--audit --file --plugin --type --since --until --follow --anchor --when --reason',
  '--json --verbose --once --watch --format --output --former --unused-after --fail-on --exceptions',
  // Where and how a model is, and a server of ours.
  '--model-name --protocol --key-env --system --script',
  '--port --public-url --vertesia --organization --approvals',
]
  .join(' ')
  .split(' ');

const HARMLESS_KEYS = ['credentials', '$schema', 'lockFile', 'audit', 'identity', 'vertesia'];
