import type { Command } from 'commander';
import { dirname, join, resolve } from 'node:path';
import type { RunCommand } from './call.js';
import type { CliCapabilities } from './capabilities.js';
import { usageError } from './failure.js';

interface TestSettings {
  readonly record?: boolean;
  readonly watch?: boolean;
  readonly name?: string;
}

export function addTest(program: Command, run: RunCommand): void {
  program
    .command('test')
    .description("run a plugin's tests with Node's test runner")
    .argument('[plugin-dir]', 'directory of the plugin (default: the working directory)')
    .option(
      '--record',
      'send the requests of tests with a cassette, and write their cassettes again',
    )
    .option('--watch', 'run the tests again after each save')
    .option('--name <PATTERN>', 'run only the tests whose names match')
    .addHelpText('after', HELP)
    .action((directory: string | undefined, settings: TestSettings) =>
      run((capabilities) => runTest(directory ?? '.', settings, capabilities)),
    );
}

const HELP = `
The tests are files such as test/weather.test.mjs, as \`bulkhead init\` makes them. They load the plugin
with \`loadPlugin\` of bulkhead/testing, which builds it. Tests run without a sandbox.
Exits with 0 if all tests pass, and with 1 if one fails.

Examples:
  bulkhead test
  bulkhead test ./my-weather --watch
  bulkhead test ./my-weather --record
`;

/** Runs the tests, and answers the exit code of Node. */
export async function runTest(
  directory: string,
  { record = false, watch = false, name }: TestSettings,
  { listDirectory, runNode, environment }: CliCapabilities,
): Promise<number> {
  await listDirectory(directory).catch(() => {
    throw usageError(
      'plugin-dir',
      `There is no directory ${directory}. Name the plugin's directory.`,
    );
  });
  if (!(await isInstalled(resolve(directory), { listDirectory }))) {
    throw usageError(
      'plugin-dir',
      `The tests of ${resolve(directory)} cannot import bulkhead/testing. Run npm install there.`,
    );
  }
  // Node leaves out files if it believes that it runs inside another test.
  const { NODE_TEST_CONTEXT: _, ...variables } = environment;
  return runNode(
    [
      '--test',
      ...(watch ? ['--watch'] : []),
      ...(name === undefined ? [] : ['--test-name-pattern', name]),
    ],
    {
      directory,
      environment: { ...variables, ...(record ? { BULKHEAD_CASSETTES: 'record' } : {}) },
    },
  );
}

/** Whether a module in the directory can import this package, from there or from a workspace above. */
async function isInstalled(
  directory: string,
  capabilities: Pick<CliCapabilities, 'listDirectory'>,
): Promise<boolean> {
  const found = await capabilities.listDirectory(join(directory, 'node_modules', 'bulkhead')).then(
    () => true,
    () => false,
  );
  const parent = dirname(directory);
  return found || (parent !== directory && isInstalled(parent, capabilities));
}
