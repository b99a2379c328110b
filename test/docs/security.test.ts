import { parseSync } from 'oxc-parser';
import { describe, expect, it } from 'vitest';
import { readText } from '../architecture/sources.js';
import { commands } from '../cli/grammar.js';
import { guards } from '../guards/table.js';
import { claims } from './claims.js';

const text = readText('SECURITY.md');

describe('the claims', () => {
  const guarded = new Set(guards.flatMap(({ tests }) => tests));
  /** The compiler, a collection of attacks, and a table prove these: no line can be taken out. */
  const WITHOUT_GUARD = ['1', '4', '28'];

  it('rest on guards: a test of the claim fails if one is taken out', () => {
    const unguarded = claims.filter(({ tests }) => !tests.some((path) => guarded.has(path)));
    expect(unguarded.map(({ number }) => number)).toEqual(WITHOUT_GUARD);
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
  it('names every option of an engine, and of a call, that does', () => {
    // Values that stand for themselves (`'relaxed'`) belong to the option before them.
    const told = [...named(1)].flatMap((option) => /^(?:call: )?[\w.[\]]+/.exec(option)?.[0] ?? []);
    expect(told.length).toBeGreaterThan(20);
    const all = [
      ...membersOf('src/engine/types/options.ts', 'EngineOptions', ['network', 'walls', 'audit']),
      ...membersOf('src/engine/types/options.ts', 'NetworkOptions').map(
        (name) => `network.${name}`,
      ),
      ...membersOf('src/engine/types/options.ts', 'WallOptions').map((name) => `walls.${name}`),
      ...membersOf('src/audit/options.ts', 'AuditOptions').map((name) => `audit.${name}`),
      ...membersOf('src/engine/types/options.ts', 'CallOptions').map((name) => `call: ${name}`),
    ];
    const weak = new Set(told.map((name) => name.replace(/^config\[id\].*/, 'config')));
    expect(classed(all, weak, HARMLESS_OPTIONS)).toEqual([]);
  });

  it('names every option of the command line that does', () => {
    const all = commands.flatMap(({ command }) => command.options.map(({ long }) => long ?? ''));
    const told = new Set([...named(3)].map((flag) => flag.split(' ')[0] ?? ''));
    expect(classed(all, told, HARMLESS_FLAGS)).toEqual([]);
  });

  it('names every key of a configuration that does', () => {
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
  'packageBuilds',
  'plugins',
  'packages',
  'defaultPlugins',
  'collisions',
  'lockFile',
  'lockedPlugins',
  'trustFile',
  'replicas',
  'isolation',
  'startTime',
  'timeZone',
  'enclaveKeyFile',
  'secrets',
  'hooks',
  'policy',
  'programs',
  'remotesWaitMs',
  'call: client',
  'identity',
  'logger',
  'onEvent',
  'walls.require',
  'walls.users',
  ...['signKey', 'signCommand', 'publicKey', 'checkpointEvery', 'anchors', 'exceptions'].map(
    (name) => `audit.${name}`,
  ),
  'walls.paranoid',
  'audit.file',
  'audit.store',
  'call: approval',
  'call: signal',
  'call: timeoutMs',
  'call: context',
  'call: tenant',
  'call: policy',
  'call: unattended',
  'call: dryRun',
  'call: onOutput',
  'call: onProgress',
];

const HARMLESS_FLAGS = [
  // A person logs in at a server that the operator registered.
  '--login --logout',
  '--install',
  '--uninstall',
  '--import',
  // What a server cannot do fails when it is used.
  '--partial',
  '--check-config',
  '--sarif',
  '--fail-on',
  '--show',
  '--code',
  '--commit',
  // Of `add --program`: the saved program is shown and locked like any other plugin.
  '--program --description --input-schema --key-file',
  '--plugin',
  '--require-signature',
  '--sign',
  '--trust',
  '--out',
  // What is called, with what, and for whom.
  '--check-config --ask --approval --files --input --context --semantics --tenant --unattended --tool --call --credential --storage-directory',
  // What keeps a plugin to less, or lets it do nothing.
  '--lock --locked --only --secret --dry-run --suggest --packages --allow-package --deny-package --package-together --require --paranoid --storage --digest',
  // What is written down, and what of it is shown, and how.
  '--audit --audit-key --audit-anchor --key --accept-unattested --file --plugin --type --since --until --follow --anchor --when --reason',
  // What an author uses. A mocked plugin sends nothing.
  '--mock --name --write --sbom',
  // How a runner is named and reached, and what limits it.
  '--everything',
  '--effect',
  '--name --state --cell --nkey --credentials --ca --max-calls',
  '--time-zone --json --verbose --once --watch --format --output --previous --unused-after --fail-on --exceptions',
  // Where and how a model is, and a server of ours.
  '--user --resume --model-name --protocol --key-env --system --script --agent',
  '--port --public-url --vertesia --organization --approvals --view-token --answer-token --admin-token --console',
]
  .join(' ')
  .split(' ');

const HARMLESS_KEYS = [
  'packageBuilds',
  'packages',
  'timeZone',
  'replicas',
  'isolation',
  'credentials',
  '$schema',
  'lockFile',
  'audit',
  'identity',
  'notices',
  'recent',
  'vertesia',
];
