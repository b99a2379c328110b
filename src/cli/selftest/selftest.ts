import type { Command } from 'commander';
import { join } from 'node:path';
import type { Engine } from '../../agent/agent.js';
import { textOf } from '../../plugin/answer.js';
import { jsonLine, visible } from '../../visible.js';
import type { RunCommand } from '../call.js';
import type { CliCapabilities, TextSink } from '../capabilities.js';
import {
  WEATHER_HOST,
  answerWeather,
  callExamples,
  honestDirectories,
  variables,
} from '../demo/examples.js';
import { silentLogger } from '../engine-options.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { type SecretServer, startSecretServer } from '../hostile/attacks.js';
import { BUNDLED_SECRET, SECRET_FILE, readHostilePlugins } from '../hostile/plugins.js';
import { round } from '../invoke.js';
import { type Paint, formatTable, makePaint } from '../output.js';
import { type Check, planChecks } from './checks.js';

export interface SelftestSettings {
  readonly json?: boolean;
  readonly verbose?: boolean;
}

export function addSelftest(program: Command, run: RunCommand): void {
  program
    .command('selftest')
    .description(
      'run hostile plugins against this installation, and check that every attack is blocked',
    )
    .option('--verbose', 'list every check, also those that passed')
    .option('--json', 'print one line of JSON')
    .action((settings: SelftestSettings) =>
      run((capabilities) => runSelftest(settings, capabilities)),
    );
}

/**
 * Runs the attacks of every hostile plugin of the package, and well-behaved plugins beside them. Exits
 * with 0 only if every attack was blocked and every well-behaved plugin worked.
 */
export async function runSelftest(
  settings: SelftestSettings,
  capabilities: CliCapabilities,
): Promise<ExitCode> {
  const startedMs = capabilities.now();
  await using secretServer = await startSecretServer(capabilities);
  const checks = await runChecks(secretServer, capabilities);
  const passed = checks.filter((check) => check.passed).length;
  const ok = passed === checks.length && !capabilities.interrupted.aborted;
  const durationMs = round(capabilities.now() - startedMs);
  if (settings.json === true) {
    const categories = byCategory(checks);
    await capabilities.stdout.write(
      jsonLine({ ok, total: checks.length, passed, durationMs, categories, checks }),
    );
  } else {
    const paint = makePaint(capabilities.stdout.colour);
    const shown = settings.verbose === true ? checks : checks.filter((check) => !check.passed);
    await capabilities.stdout.write(
      [
        ...shown.map((check) => formatCheck(check, paint)),
        formatCategories(checks, paint),
        paint(ok ? 'green' : 'red', `${passed} of ${checks.length} checks passed`),
        ` in ${Math.round(durationMs / 1000)} s.\n`,
      ].join(''),
    );
  }
  return ok ? EXIT.ok : EXIT.findings;
}

/** A variable of the host that no plugin is granted. */
const SECRET_VARIABLE = 'SELFTEST_SECRET';

async function runChecks(
  secretServer: SecretServer,
  capabilities: CliCapabilities,
): Promise<readonly Check[]> {
  const { fixtures, now, interrupted } = capabilities;
  await using server = await capabilities.serve(answer);
  const hostile = await readHostilePlugins(capabilities);
  const served = [WEATHER_HOST, ...hostile.flatMap(({ expectations }) => expectations.serves)];
  await using engine = await capabilities.createEngine({
    plugins: [
      ...hostile.map(({ directory }) => directory),
      ...honestDirectories.map((directory) => join(fixtures, directory)),
    ],
    grant: 'declared',
    env: { ...variables, [SECRET_VARIABLE]: secretServer.secret },
    network: { overrides: [...new Set(served)].map((host) => ({ host, url: server.url })) },
    logger: silentLogger,
    limits: {
      loadTimeoutMs: 5_000,
      // Hostile plugins crash on purpose, so quarantine is off.
      maxCrashes: 1_000_000,
    },
  });
  const secretFile = join(fixtures, SECRET_FILE);
  const context = {
    engine,
    secretServer,
    secretFile,
    secrets: [
      secretServer.secret,
      BUNDLED_SECRET,
      (await capabilities.readFile(secretFile)).trim(),
    ],
    secretVariable: SECRET_VARIABLE,
    otherPlugin: () => callOtherPlugin(engine),
    now,
  };
  const checks = await checkHonestPlugins(engine);
  const planned = hostile.flatMap((plugin) => planChecks(plugin, engine.plugins(), context));
  const progress = makeProgress(capabilities.stderr);
  for (const [index, { plugin, name, run }] of planned.entries()) {
    if (interrupted.aborted) break;
    await progress.show(index, planned.length, `${plugin}: ${name}`);
    checks.push(await run());
  }
  await progress.clear();
  return checks;
}

/** Answers for every granted host. */
function answer(path: string): { readonly status: number; readonly body: unknown } {
  return path.startsWith('/data/') ? answerWeather(path) : { status: 200, body: { path } };
}

/** A quick tool of a well-behaved plugin. */
const OTHER_TOOL = 'lorem:lorem';
const LONG_TIMEOUT_MS = 20_000;

/** Calls well-behaved plugins, which must work. */
export async function checkHonestPlugins(engine: Engine): Promise<Check[]> {
  const outcomes = await callExamples(engine);
  return outcomes.map(({ tool, result, asExpected }) => {
    const { code, content, durationMs } = result;
    const text = textOf(content);
    return {
      category: 'well-behaved plugins',
      plugin: tool.slice(0, tool.lastIndexOf(':')),
      name: tool,
      passed: asExpected,
      evidence: asExpected ? 'works' : `FAILED: ${code ?? ''} ${text}`,
      durationMs: round(durationMs),
    };
  });
}

export async function callOtherPlugin(engine: Engine): Promise<boolean> {
  const { isError } = await engine.call(OTHER_TOOL, { count: 1 }, { timeoutMs: LONG_TIMEOUT_MS });
  return !isError;
}

export interface Category {
  readonly category: string;
  readonly total: number;
  readonly passed: number;
}

/** The counts by category, in the order of the first check of each. */
export function byCategory(checks: readonly Check[]): readonly Category[] {
  return [...new Set(checks.map(({ category }) => category))].map((category) => {
    const own = checks.filter((check) => check.category === category);
    return { category, total: own.length, passed: own.filter(({ passed }) => passed).length };
  });
}

export function formatCategories(checks: readonly Check[], paint: Paint): string {
  const rows = byCategory(checks).map(({ category, total, passed }) => [
    `  ${visible(category)}`,
    `${passed}/${total}`,
    passed === total ? 'passed' : 'FAILED',
  ]);
  const [heading = '', ...lines] = formatTable([['  CATEGORY', 'PASSED', ''], ...rows]).split('\n');
  return [paint('dim', heading), ...lines].join('\n');
}

export function formatCheck({ plugin, name, passed, evidence }: Check, paint: Paint): string {
  const word = passed ? paint('green', 'passed') : paint('red', 'FAILED');
  return `  ${word}  ${visible(plugin)}: ${visible(name)}\n          ${paint('dim', visible(evidence))}\n`;
}

/** A progress bar on a terminal; elsewhere it writes nothing. */
export interface Progress {
  show(done: number, total: number, what: string): Promise<void>;
  /** Removes the bar. */
  clear(): Promise<void>;
}

const BAR_WIDTH = 30;
/** Fits into one line of most terminals; a wrapped bar could not be cleared. */
const LINE_WIDTH = 78;
const CLEAR_LINE = '\r\u001b[K';

export function makeProgress(sink: TextSink): Progress {
  if (!sink.isTerminal) return { show: () => Promise.resolve(), clear: () => Promise.resolve() };
  return {
    show: (done, total, what) => {
      const filled = total === 0 ? 0 : Math.floor((done / total) * BAR_WIDTH);
      const bar = `${'█'.repeat(filled)}${'░'.repeat(BAR_WIDTH - filled)}`;
      const line = `${bar} ${done}/${total} ${visible(what)}`;
      return sink.write(`${CLEAR_LINE}${line.slice(0, LINE_WIDTH)}`);
    },
    clear: () => sink.write(CLEAR_LINE),
  };
}
