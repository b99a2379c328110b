import { describe, expect, it } from 'vitest';
import { makeRuleBook } from '../../src/approval/rule-book.js';
import { makeMemoryFiles, openApprovalStore } from '../../src/approval/store.js';
import { makeStoredApprovals } from '../../src/approval/stored-approvals.js';
import { makeMemoryStops } from '../memory-stops.js';
import { runFake } from './fake.js';
import { commands } from './grammar.js';
import { STEPS } from './json-scenario.js';
import { outputErrors, outputNames } from './output-schema.js';

const ID = 'apr_1f0c2d3e-0000-4000-8000-000000000000';

function world() {
  const store = openApprovalStore(makeMemoryFiles(), Date.now);
  store.ask({
    approvalId: ID,
    kind: 'call',
    callId: 'call_1',
    plugin: 'notes',
    version: '1.0.0',
    bundle: 'sha512-a',
    tool: 'write',
    id: 'notes:write',
    title: 'Write',
    input: { path: 'a.md' },
    shown: '{}',
    risk: 'medium',
    riskWhy: 'why',
    why: 'why',
    digest: 'd',
    offers: ['deny', 'once'],
    askedAtMs: Date.now(),
    expiresAtMs: Date.now() + 60_000,
  });
  return {
    environment: { HOME: '/home/ada' },
    approvals: makeStoredApprovals(store),
    rules: makeRuleBook(),
    stops: makeMemoryStops(),
  };
}

/** A line for each command whose output the schema describes. */
const LINES: readonly (readonly [name: string, ...lines: readonly string[]])[] = [
  ['stop list', 'stop notes --reason why', 'stop'],
  ['stop target', 'stop --tenant acme'],
  ['stop target', 'stop --everything'],
  ['resume', 'stop notes', 'resume notes'],
  ['rules add', 'rules add allow w:get --bundle sha512-a --when city=Oslo --until 2099-01-01'],
  ['rules add', 'rules add allow * --bundle * --effect GET_api.example.com'],
  ['rules list', 'rules add deny w:get --reason no --tenant t', 'rules list'],
  ['rules remove', 'rules add deny w:get', 'rules remove FIRST'],
  ['approvals', 'approvals'],
  ['approvals answer', `approvals ${ID} once`],
  ['failure', 'resume'],
  ['failure', 'rules remove r-9'],
];

describe('--json', () => {
  it.each(LINES)('prints a %s as docs/cli-output.schema.json says: %j', async (name, ...lines) => {
    const spec = world();
    let text = '';
    for (const line of lines) {
      const words = line
        .split(' ')
        .map((word) =>
          word.replace('GET_', 'GET ').replace('FIRST', spec.rules.list()[0]?.id ?? ''),
        );
      text = (await runFake([...words, '--json'], spec)).stdout.text;
    }
    const printed: unknown = JSON.parse(text);
    expect({ errors: outputErrors(name, printed), printed }).toEqual({ errors: [], printed });
  });

  it('has a test for each output that the schema describes', () => {
    const parts = new Set(['target', 'stop', 'rule']);
    const described = outputNames.filter((name) => !parts.has(name));
    const tested = [
      ...LINES.map(([name]) => name),
      ...STEPS.map(({ output }) => output),
      // Compared by the tests of these commands.
      'fleet anchor',
      'fleet move',
      'fleet status',
      'fleet verify',
      'remotes',
      'runner',
      'selftest',
      'serve',
    ];
    expect(described.toSorted()).toEqual([...new Set(tested)].toSorted());
  });

  it('has a schema for each command with --json', () => {
    // The console starts as serve does.
    const alike: Readonly<Record<string, string>> = { console: 'serve' };
    const without = commands
      .filter(({ command }) => command.options.some(({ long }) => long === '--json'))
      .map(({ path }) => alike[path] ?? path)
      .filter((path) => !outputNames.some((name) => name === path || name.startsWith(`${path} `)));
    expect(without).toEqual([]);
  });
});
