import type { Command } from 'commander';
import { resolve } from 'node:path';
import type { Engine } from '../../engine/engine-api.js';
import type { EngineOptions } from '../../engine/types/options.js';
import type { RunCommand } from '../call.js';
import type { CliCapabilities } from '../capabilities.js';
import {
  type PluginSettings,
  addPluginOptions,
  engineOptions,
  makePluginLog,
} from '../engine-options.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { usageError } from '../failure.js';
import { parsePort } from '../serve/options.js';
import { makeServerLog } from '../serve/log.js';
import { exampleInput } from './call-line.js';
import { shortName } from './complete.js';
import { curlLine, openEndpoint } from './endpoint.js';
import { type LineSource, openLineSource } from './line-source.js';
import { makeLiveCheck } from './live-check.js';
import { openLearner } from './learner.js';
import { type MockedHosts, openMockFile } from './mock-file.js';
import { runLines } from './run-lines.js';
import { exampleLine, openSession } from './session.js';

export interface DevSettings extends PluginSettings {
  readonly mock?: string;
  readonly mcp?: boolean;
  readonly port?: number;
  readonly learn?: boolean;
  readonly write?: boolean;
}

export function addDev(program: Command, run: RunCommand): void {
  const command = program
    .command('dev')
    .description('run a plugin while you write it: reload it at each save, and call its tools')
    .argument('[plugin-dir]', 'directory of the plugin (default: the working directory)')
    .option('--mock <FILE>', 'answer requests of the plugin from this file; send nothing')
    .option('--mcp', 'serve the tools as an MCP server on standard input and output')
    .option(
      '--port <N>',
      'also serve the tools as JSON on this port of 127.0.0.1; 0 picks a free port',
      parsePort,
    );
  command
    .option(
      '--learn',
      'give the plugin what it asks for, and print the least permissions that it used; hosts only with --mock or --allow network:HOST',
    )
    .option('--write', 'with --learn: write these permissions into the manifest');
  addPluginOptions(command)
    .option('--yes', 'approve every call that requires approval')
    .addHelpText('after', HELP)
    .action((directory: string | undefined, settings: DevSettings) =>
      run((capabilities) => runDev(directory ?? '.', settings, capabilities), {
        endsWhenInterrupted: true,
      }),
    );
}

const HELP = `
The plugin gets the permissions that its manifest declares. It gets no variable of your environment:
pass what it needs with --env or --secret.

The file of --mock has an answer for each route, which is sent as JSON:
  {
    "GET https://api.example.com/weather": {"degrees": 7},
    "POST https://api.example.com/*": {"$response": {"status": 503, "body": "later"}}
  }

Examples:
  bulkhead dev
  bulkhead dev ./my-weather --mock hosts.json
  bulkhead dev ./my-weather --env API_KEY=test --port 4180
  bulkhead dev ./my-weather --learn --mock hosts.json
  echo 'temperature latitude=59.9 longitude=10.7' | bulkhead dev ./my-weather
`;

/** Serves a plugin in development until the input ends, the MCP client leaves, or Ctrl+C. */
export async function runDev(
  directory: string,
  settings: DevSettings,
  capabilities: CliCapabilities,
): Promise<ExitCode> {
  if (settings.lock !== undefined) {
    throw usageError(
      '--lock',
      '--lock runs accepted code, and dev runs code that changes. Leave out --lock, or use `bulkhead call`.',
    );
  }
  if (settings.write === true && settings.learn !== true) {
    throw usageError('--write', '--write writes what --learn learned. Add --learn.');
  }
  await capabilities.listDirectory(directory).catch(() => {
    throw usageError(
      'plugin-dir',
      `There is no directory ${directory}. Make a plugin: bulkhead init`,
    );
  });
  const lines = settings.mcp === true ? undefined : openLineSource(capabilities);
  const shown = lines === undefined ? withoutOutput(capabilities) : atPrompt(lines, capabilities);
  const { stdout: out } = shown;
  const mocks = settings.mock === undefined ? undefined : await openMockFile(settings.mock, shown);
  const learner =
    settings.learn === true ? await openLearner(directory, settings, mocks, shown) : undefined;
  const options = await optionsFor(directory, settings, mocks, shown);
  const release = capabilities.keepBundlers();
  const engine: Engine = await (learner?.createEngine(options) ??
    capabilities.createEngine(options));
  const session = openSession(
    {
      directory,
      engine,
      given: namesWithValues(options.env),
      files: settings.mock === undefined ? [] : [resolve(settings.mock)],
      beforeReload: async () =>
        (await mocks?.reload()) === true ? [`answers of ${settings.mock}`] : [],
      check: learner === undefined ? makeLiveCheck(directory, shown) : undefined,
      out,
    },
    shown,
  );
  const endpoint =
    settings.port === undefined
      ? undefined
      : await openEndpoint(engine, { directory, port: settings.port }, capabilities);
  try {
    await session.start();
    if (endpoint !== undefined) {
      const [tool] = engine.catalog.list();
      const input = JSON.stringify(tool === undefined ? {} : exampleInput(tool.inputSchema));
      await out.write(
        `endpoint  ${curlLine(endpoint, tool === undefined ? 'NAME' : shortName(tool), input)}\n`,
      );
    }
    if (lines === undefined) await serveMcp(engine, capabilities);
    else {
      await out.write(lines.hint(exampleLine(engine.plugins())));
      await runLines({ engine, directory, lines, session, ...learner }, shown);
    }
    await learner?.finish(engine);
    return EXIT.ok;
  } finally {
    lines?.close();
    await session.close();
    await endpoint?.close();
    await engine.close();
    release();
  }
}

/** Standard output carries only MCP, and standard input has no answers of a person. */
function withoutOutput(capabilities: CliCapabilities): CliCapabilities {
  const { ask: _, ...others } = capabilities;
  return { ...others, stdout: capabilities.stderr };
}

function atPrompt(lines: LineSource, capabilities: CliCapabilities): CliCapabilities {
  return {
    ...capabilities,
    stdout: lines.wrap(capabilities.stdout),
    stderr: lines.wrap(capabilities.stderr),
    ...(lines.ask === undefined ? {} : { ask: lines.ask }),
  };
}

async function optionsFor(
  directory: string,
  settings: DevSettings,
  mocks: MockedHosts | undefined,
  capabilities: CliCapabilities,
): Promise<EngineOptions> {
  const { allow: _, ...others } = settings;
  const options = await engineOptions(
    [directory],
    settings.learn === true ? others : settings,
    capabilities,
  );
  return {
    ...options,
    // A secret is passed by its name. Other variables of the author are not the plugin's.
    // guard: dev-without-own-variables
    env: { ...named(Object.keys(settings.secret ?? {}), capabilities), ...settings.env },
    network: { ...options.network, ...(mocks === undefined ? {} : { answer: mocks.answer }) },
    // A standby guest makes a reload fast.
    limits: { ...options.limits, pool: 1 },
    // The session shows why a reload failed.
    logger: makePluginLog(capabilities.stderr, false),
  };
}

function namesWithValues(env: EngineOptions['env'] = {}): ReadonlySet<string> {
  return new Set(Object.keys(env).filter((name) => env[name] !== undefined));
}

function named(
  names: readonly string[],
  { environment }: Pick<CliCapabilities, 'environment'>,
): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(names.map((name) => [name, environment[name]]));
}

/** Serves MCP until the client disconnects. Clients hear of changed tools. */
async function serveMcp(
  engine: Engine,
  { stderr, interrupted }: Pick<CliCapabilities, 'stderr' | 'interrupted'>,
): Promise<void> {
  const logger = makeServerLog(stderr, () => new Date());
  const { serveMcpStdio } = await import('../../adapters/mcp.js');
  const stdio = await serveMcpStdio(engine, {
    onError: ({ message }) => logger.info({ why: message }, 'mcp'),
  });
  const end = (): void => void stdio.close();
  interrupted.addEventListener('abort', end, { once: true });
  if (interrupted.aborted) end();
  await stdio.closed;
}
