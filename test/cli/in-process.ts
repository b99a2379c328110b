import { join } from 'node:path';
import type { CliCapabilities } from '../../src/cli/capabilities.js';
import { packagedPlugins } from '../../src/cli/packaged-plugins.js';
import { runCli } from '../../src/cli/run.js';
import { systemCapabilities } from '../../src/cli/system-capabilities.js';
import { openPackageStore, storeDirectoryOf } from '../../src/npm/store.js';
import { ROOT } from '../architecture/sources.js';
import { makeSink, stream } from './sinks.js';
import type { Ended } from './spawned.js';

export interface InProcessOptions {
  readonly stdin?: string;
  readonly cwd?: string;
  /** The home of the user; its configuration and data are in it. */
  readonly home?: string;
  /** Whether its output goes to a terminal. Default: no. */
  readonly terminal?: boolean;
}

/**
 * Runs one command line with the capabilities of this process, except its streams: what a process of
 * `bulkhead` does, without its start, which takes longer than most commands. Not for two at once.
 */
export async function run(
  args: readonly string[],
  { stdin = '', cwd = process.cwd(), home, terminal = false }: InProcessOptions = {},
): Promise<Ended> {
  const stdout = makeSink(terminal);
  const stderr = makeSink(terminal);
  const leaveDirectory = enter(cwd);
  const restoreVariables = setVariables(home === undefined ? {} : variablesOf(home));
  try {
    const code = await runCli(args, '0.0.0', {
      ...(capabilities ??= ofThisProcess()),
      // The store of this home, not of the first one.
      packages: openPackageStore({
        directory: storeDirectoryOf({ environment: process.env }),
        environment: process.env,
        systems: packagedPlugins,
      }),
      stdin: stream(stdin),
      stdout,
      stderr,
      fixtures: join(ROOT, 'fixtures'),
    });
    return { code, stdout: stdout.text, stderr: stderr.text };
  } finally {
    restoreVariables();
    leaveDirectory();
  }
}

let capabilities: CliCapabilities | undefined;

/** Made once, because each listens to the streams of this process. They ask no person. */
function ofThisProcess(): CliCapabilities {
  const {
    ask: _,
    prompts: _prompts,
    openPrompt: _openPrompt,
    ...others
  } = systemCapabilities(new AbortController().signal, '0.0.0');
  return others;
}

function variablesOf(home: string): Readonly<Record<string, string>> {
  return {
    HOME: home,
    USER: 'ada',
    XDG_CONFIG_HOME: join(home, '.config'),
    XDG_DATA_HOME: join(home, '.local', 'share'),
  };
}

function enter(directory: string): () => void {
  const before = process.cwd();
  process.chdir(directory);
  return () => process.chdir(before);
}

function setVariables(variables: Readonly<Record<string, string>>): () => void {
  const before = Object.keys(variables).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, variables);
  return () => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  };
}
