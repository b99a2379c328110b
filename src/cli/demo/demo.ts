import type { Command } from 'commander';
import { join } from 'node:path';
import type { Engine } from '../../agent/agent.js';
import type { EngineOptions } from '../../engine/types/options.js';
import type { PluginStatus } from '../../engine/types/status.js';
import { isBulkheadError } from '../../errors.js';
import type { Guarantee } from '../../guests/walls/guarantees.js';
import type { Permissions } from '../../permissions/kind.js';
import { textOf } from '../../plugin/answer.js';
import { reportFormats } from '../../report/formats.js';
import { makeReport } from '../../report/make-report.js';
import { jsonLines, visible, visibleLines } from '../../visible.js';
import { chooseApprover } from '../approve.js';
import { DEFAULT_LOG } from '../audit.js';
import type { RunCommand } from '../call.js';
import type { CliCapabilities } from '../capabilities.js';
import { silentLogger } from '../engine-options.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { failureOf, usageError } from '../failure.js';
import { type SecretServer, attacksOf, judge, startSecretServer } from '../hostile/attacks.js';
import { round } from '../invoke.js';
import { type Paint, formatTable, makePaint } from '../output.js';
import { errorBlock } from '../report-failure.js';
import {
  WEATHER_HOST,
  answerWeather,
  callExamples,
  exampleDirectories,
  formatExample,
  variables,
} from './examples.js';

export interface DemoSettings {
  readonly once?: boolean;
}

export function addDemo(program: Command, run: RunCommand): void {
  program
    .command('demo')
    .description('call the example plugins, and run a hostile plugin that tries to break out')
    .option('--once', 'exit when the demo is done; do not prompt for calls')
    .action((settings: DemoSettings) => run((capabilities) => runDemo(settings, capabilities)));
}

/**
 * Shows that plugins work with their grants, and that a hostile plugin gets nothing. Exits with 0 only
 * if both are true.
 */
export async function runDemo(
  settings: DemoSettings,
  capabilities: CliCapabilities,
): Promise<ExitCode> {
  const { stdout, fixtures } = capabilities;
  const paint = makePaint(stdout.colour);
  const printLine = (text: string): Promise<void> => stdout.write(`${text}\n`);

  await using weather = await capabilities.serve(answerWeather);
  await using secretServer = await startSecretServer(capabilities);
  const approve = chooseApprover(false, capabilities);
  const opened = await openWithLog(
    {
      plugins: exampleDirectories.map((directory) => join(fixtures, directory)),
      grant: 'declared',
      env: variables,
      network: { overrides: [{ host: WEATHER_HOST, url: weather.url }] },
      logger: silentLogger,
      ...(approve === undefined || settings.once === true ? {} : { approve }),
    },
    capabilities,
  );
  await using engine = opened.engine;

  await printLine(formatPlugins(engine, paint));
  const examples = await callExamples(engine);
  for (const example of examples) await printLine(formatExample(example, paint));

  const attacks = await runAttacks(engine, secretServer);
  await printLine(formatAttacks(attacks, secretServer.visits(), paint));
  await printLine(formatWalls(await engine.guarantees(), paint));

  await printLine(await writeEvidence(opened, capabilities, paint));

  const unmet = [
    ...engine.plugins().filter(({ state }) => state !== 'active'),
    ...examples.filter(({ asExpected }) => !asExpected),
    ...attacks.filter(({ blocked }) => !blocked),
  ];
  const proved = unmet.length === 0 && attacks.length > 0 && secretServer.visits() === 0;
  await printLine(
    proved
      ? paint('green', 'Everything worked as expected.')
      : paint('red', 'NOT as expected: see above.'),
  );

  if (capabilities.ask !== undefined && settings.once !== true)
    await promptForCalls(engine, capabilities);
  return proved ? EXIT.ok : EXIT.findings;
}

function formatPlugins(engine: Engine, paint: Paint): string {
  const rows = engine
    .plugins()
    .map((status) => [
      `  ${visible(status.id)}`,
      status.format ?? '?',
      String(status.tools.length),
      summarize(status.entries.map(({ effective }) => effective)),
      formatState(status),
    ]);
  const [heading, ...lines] = formatTable([
    ['  plugin', 'format', 'tools', 'permissions', 'state'],
    ...rows,
  ]).split('\n');
  return `\n${paint('dim', heading ?? '')}\n${lines.join('\n')}`;
}

function formatState({ state, problems }: PluginStatus): string {
  return [state, ...problems.map(({ code, message }) => `${code} ${visible(message)}`)].join(': ');
}

function formatAttacks(attacks: readonly AttackOutcome[], visits: number, paint: Paint): string {
  const blocked = attacks.filter((attack) => attack.blocked).length;
  const all = blocked === attacks.length && visits === 0;
  return [
    '',
    ...attacks.map((attack) => formatAttack(attack, paint)),
    paint(all ? 'green' : 'red', `  attacks ${blocked}/${attacks.length} blocked`),
    '',
  ].join('\n');
}

function wordOf({ active, unused }: Pick<Guarantee, 'active' | 'unused'>): string {
  if (active) return 'active';
  return unused ? 'unused' : 'MISSING';
}

function formatWalls(guarantees: readonly Guarantee[], paint: Paint): string {
  const rows = guarantees.map(({ wall, active, unused, evidence }) => [
    `  ${wall}`,
    wordOf({ active, unused }),
    evidence,
  ]);
  return `${paint('dim', '  sandbox walls on this machine')}\n${formatTable(rows)}`;
}

const PLUGIN = 'escape-artist';

/** Deadline of attacks that may never end. */
const TIMEOUT_MS = 2_000;

export interface AttackOutcome {
  readonly name: string;
  readonly blocked: boolean;
  /** What blocked the attack, or what it got. */
  readonly evidence: string;
}

/** Runs every attack of the hostile plugin. */
export async function runAttacks(
  engine: Engine,
  { url, secret }: SecretServer,
): Promise<AttackOutcome[]> {
  const targets = { secretUrl: url, secretFile: '/etc/passwd', secretVariable: 'PATH' };
  const tools = engine.catalog.list().filter(({ plugin }) => plugin === PLUGIN);
  const attacks: AttackOutcome[] = [];
  for (const { tool, name, input } of attacksOf(tools, targets)) {
    const { passed, evidence } = judge(
      await engine.call(tool, input, { timeoutMs: TIMEOUT_MS }),
      {},
      [secret],
    );
    attacks.push({ name, blocked: passed, evidence });
  }
  return attacks;
}

export function formatAttack({ name, blocked, evidence }: AttackOutcome, paint: Paint): string {
  const word = blocked ? paint('green', 'blocked') : paint('red', 'ESCAPED');
  return `  ${word}  ${visible(name)}\n           ${paint('dim', visible(evidence))}`;
}

/** Opens the demo's engine; without an audit log if the log cannot be written. */
export async function openWithLog(
  options: EngineOptions,
  capabilities: Pick<CliCapabilities, 'createEngine'>,
): Promise<{ readonly engine: Engine; readonly logProblem: string | undefined }> {
  try {
    return {
      engine: await capabilities.createEngine({ ...options, audit: { file: DEFAULT_LOG } }),
      logProblem: undefined,
    };
  } catch (error) {
    if (!isBulkheadError(error, 'AUDIT_FAILED')) throw error;
    return { engine: await capabilities.createEngine(options), logProblem: error.message };
  }
}

/** Writes the report of the demo; returns the paths of the report and the log. */
export async function writeEvidence(
  { engine, logProblem }: Awaited<ReturnType<typeof openWithLog>>,
  { wallClock, writeFile }: Pick<CliCapabilities, 'wallClock' | 'writeFile'>,
  paint: Paint,
): Promise<string> {
  if (logProblem !== undefined)
    return `  audit  ${paint('yellow', 'none')}: ${visible(logProblem)}`;
  const verdict = await engine.audit.verify();
  const notes = verdict.ok ? [] : [verdict.message];
  const report = await makeReport({
    plugins: engine.plugins(),
    records: engine.audit.query(),
    log: { file: DEFAULT_LOG, sound: verdict.ok, notes },
    nowMs: wallClock(),
  });
  const { file, render } = reportFormats.html;
  const path = join(DEFAULT_LOG, '..', file);
  await writeFile(path, render(report));
  const chain = verdict.ok ? paint('green', 'chain ok') : paint('red', 'chain BROKEN');
  return `  audit  ./${DEFAULT_LOG} (${chain})    report  ./${path}`;
}

/** The permissions as a cell of a table. */
export function summarize(granted: readonly Permissions[]): string {
  const words = granted.flatMap(({ time, random, storage, network, env, fs, powers }) => [
    ...(network.length === 0 ? [] : [`network ${network.join(' ')}`]),
    ...(fs.length === 0 ? [] : [`fs ${fs.join(' ')} (read)`]),
    ...(env.length === 0 ? [] : [`env ${env.join(' ')}`]),
    ...(time ? ['time'] : []),
    ...(random ? ['random'] : []),
    ...(storage ? ['storage'] : []),
    ...(powers.length === 0 ? [] : [`powers ${powers.join(' ')}`]),
  ]);
  return words.length === 0 ? 'none' : visible(words.join(', '));
}

/** At a terminal, the operator can call the plugins until an empty line. */
export async function promptForCalls(engine: Engine, capabilities: CliCapabilities): Promise<void> {
  const { ask, interrupted, stdout, stderr } = capabilities;
  if (ask === undefined) return;
  const tools = engine.catalog.list().map(({ name }) => name);
  await stdout.write(`Call a tool yourself (${tools.join(', ')}); an empty line ends the demo.\n`);
  while (!interrupted.aborted) {
    const line = (await ask('> ', interrupted)).trim();
    if (line === '') return;
    try {
      await stdout.write(await callLine(line, engine, capabilities));
    } catch (error) {
      await stderr.write(await errorBlock(failureOf(error), undefined, capabilities));
    }
  }
}

/** `tool {"input": …}` */
async function callLine(
  line: string,
  engine: Engine,
  { stdout, interrupted }: CliCapabilities,
): Promise<string> {
  const [tool = '', ...rest] = line.split(' ');
  const result = await engine.call(tool, parseInput(rest.join(' ')), { signal: interrupted });
  const paint = makePaint(stdout.colour);
  const text = result.isError ? textOf(result.content) : jsonLines(result.value ?? null);
  const state = result.isError ? paint('red', result.code ?? 'TOOL_FAILED') : paint('green', 'ok');
  return `${visibleLines(text)}\n${state}  ${round(result.durationMs)} ms\n`;
}

function parseInput(text: string): unknown {
  if (text.trim() === '') return {};
  try {
    return JSON.parse(text);
  } catch {
    throw usageError('input', `the input after the tool must be JSON, e.g. {"city": "Oslo"}`);
  }
}
