import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { EXIT } from '../../src/cli/exit-codes.js';
import { readText } from '../architecture/sources.js';
import { fillProgram, makeProgram } from '../../src/cli/run.js';
import { commands, program } from './grammar.js';
import { runFake } from './fake.js';

describe.each(commands)('bulkhead $path', ({ path, command }) => {
  it('has a page of help on standard output, with exit code 0', async () => {
    const { code, stdout, stderr } = await runFake([...path.split(' '), '--help']);
    expect({ code, stderr: stderr.text }).toEqual({ code: 0, stderr: '' });
    expect(stdout.text).toMatch(new RegExp(`^Usage: bulkhead ${path} .*\n\n[a-z]`));
  });

  it('describes the command and each of its options and arguments', () => {
    expect(command.description()).toMatch(/^[a-z]/);
    for (const { flags, description } of command.options) {
      expect({ flags, description }).toEqual({ flags, description: expect.stringMatching(/^\S/) });
    }
    for (const argument of command.registeredArguments) {
      expect({ [argument.name()]: argument.description }).toEqual({
        [argument.name()]: expect.stringMatching(/^\S/),
      });
    }
  });

  it('rejects an unknown option', async () => {
    const { code, stderr } = await runFake([...path.split(' '), '--no-such-option']);
    expect(code).toBe(EXIT.usage);
    expect(stderr.text).toContain("unknown option '--no-such-option'");
    expect(stderr.text).toContain('fix ');
  });
});

describe('the command line usage', () => {
  it.each([
    [['update', '--yes'], '--accept (also accept wider permissions)'],
    [['hook', 'pre-model-call', '.', '--input', '{}'], '--context <JSON>'],
    [['call', '.', 'x', '--data={}'], '--input <JSON>'],
    [['add', '-g', 'npm:x'], '--user ('],
    [['call', '.', '--network', 'example.com'], '--allow <PERMISSION>'],
  ])('says which option is meant: %j', async (argv, meant) => {
    const { code, stderr } = await runFake(argv);
    expect(code).toBe(EXIT.usage);
    expect(stderr.text.replace(/\s+/g, ' ')).toContain(`Write: ${meant}`);
  });

  it.each(program.commands.map((command) => command.name()))(
    'of %s needs only the code of its own module',
    async (name) => {
      const alone = makeProgram('1.2.3', () => undefined);
      await fillProgram(alone, () => Promise.resolve(), name);
      const names = alone.commands.map((command) => command.name());
      expect(names).toContain(name);
      // The script of `completion` lists all commands.
      if (name !== 'completion') expect(names.length).toBeLessThan(5);
    },
  );

  it.each([
    [['rules'], 'rules needs a subcommand: list, add, remove, test'],
    [['rules', 'forget'], 'unknown command'],
    [['forget'], "unknown command 'forget'"],
    [['help', 'forget'], "unknown command 'forget'"],
    [['call'], "missing required argument 'plugin-dir'"],
    [['tools'], 'Name the directory of a plugin, or a lock file with --lock.'],
    [['doctor', 'more'], '`bulkhead doctor` takes no argument, and does not take more'],
  ])('exits with 1 for %j and names what is missing', async (argv, cause) => {
    const { code, stdout, stderr } = await runFake(argv);
    expect({ code, stdout: stdout.text }).toEqual({ code: EXIT.usage, stdout: '' });
    expect(stderr.text).toContain(cause);
  });

  it.each([
    [['forget'], 'bulkhead --help'],
    [['call'], 'bulkhead call --help'],
    [['keys', 'new'], 'bulkhead keys new --help'],
    [['call', 'a', 'b', '--input', '{'], 'bulkhead call --help'],
  ])('says for %j which page of help to read', async (argv, page) => {
    const { stderr } = await runFake(argv);
    expect(stderr.text).toContain(`fix     Read \`${page}\`.`);
  });

  it.each([
    [['console', './plugins'], 'bulkhead console --plugins ./plugins'],
    [['serve', 'a', 'b c'], "bulkhead serve --plugins a 'b c'"],
    [['chat', './plugins'], 'bulkhead chat --plugins ./plugins'],
    [['call', 'a', 'run', '{"q":1}'], `bulkhead call a run --input '{"q":1}'`],
    [['console', 'my.config.json'], 'bulkhead console --config my.config.json'],
    [['list', 'bulkhead.lock.json'], 'bulkhead list --lock bulkhead.lock.json'],
    [['audit', 'verify', 'audit.jsonl'], 'bulkhead audit verify --file audit.jsonl'],
    [['why', 'call_1', 'audit.db'], 'bulkhead why call_1 --file audit.db'],
    [['doctor', 'bulkhead.config.json'], 'bulkhead doctor --config bulkhead.config.json'],
  ])('says for %j how to write it', async (argv, command) => {
    const { code, stderr } = await runFake(argv);
    expect(code).toBe(EXIT.usage);
    expect(stderr.text).toContain(`fix     Write: ${command}\n`);
  });

  it('reports an error as one line of JSON with --json', async () => {
    const { code, stdout } = await runFake(['rules', '--json']);
    expect(code).toBe(EXIT.usage);
    expect(JSON.parse(stdout.text)).toMatchObject({
      ok: false,
      error: { code: 'INVALID_OPTIONS' },
    });
  });

  it('offers --json for every command that reads', () => {
    const without = commands.filter(
      ({ command }) => !command.options.some(({ long }) => long === '--json'),
    );
    // For people: a prompt, a test report and a tour. For shells: a script. The others speak MCP.
    expect(without.map(({ path }) => path)).toEqual([
      'dev',
      'test',
      'demo',
      'mcp',
      'run',
      'completion',
    ]);
  });

  it('names every exit code in the help, and in the README those of a command that ran', () => {
    const [, codes = ''] = /Exit codes: (.*)/s.exec(pageOf(program)) ?? [];
    const named = [...codes.matchAll(/\b(\d+) [a-z]/g)].map(([, code]) => Number(code));
    expect(named).toEqual(Object.values(EXIT));
    const [, sentence = ''] = /Exit codes: (0 ok.*?)\.\s/s.exec(readText('README.md')) ?? [];
    expect([...sentence.matchAll(/\b(\d+) /g)].map(([, code]) => Number(code))).toEqual(
      Object.values(EXIT),
    );
  });

  it('names every command in the README', () => {
    const readme = readText('README.md');
    const unnamed = program.commands
      .map((command) => command.name())
      .filter((name) => !new RegExp(`\`(bulkhead )?${name}\\b`).test(readme));
    expect(unnamed).toEqual([]);
  });
});

/** A page of help, with what stands below it. */
function pageOf(command: Command): string {
  let page = '';
  command.configureOutput({ writeOut: (text) => (page += text) }).outputHelp();
  return page;
}
