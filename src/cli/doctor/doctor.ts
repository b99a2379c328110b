import type { Command } from 'commander';
import type { Guarantee } from '../../guests/walls/guarantees.js';
import { WALL_NAMES, type WallName } from '../../guests/walls/wall-names.js';
import { visible } from '../../visible.js';
import { collect } from '../arguments.js';
import type { RunCommand } from '../call.js';
import type { CliCapabilities } from '../capabilities.js';
import { optionWithValues } from '../completion/with-values.js';
import { EXIT, type ExitCode, exitCodeOf } from '../exit-codes.js';
import { usageError } from '../failure.js';
import { type Paint, makePaint, print } from '../output.js';
import { readConfigFile } from '../serve/config-file.js';
import { findOpenDoors } from './open-doors.js';
import { type KernelSetting, type TrialRun, readKernelSettings, tryPlugin } from './machine.js';
import { describeCommands } from './remotes.js';
import { describeSharing } from './sharing.js';

export interface DoctorSettings {
  readonly json?: boolean;
  readonly paranoid?: boolean;
  readonly require?: readonly string[];
  readonly config?: string;
}

/** Walls that stand wherever Bulkhead runs as it should. */
const ESSENTIAL: ReadonlySet<WallName> = new Set([
  'compartment',
  'scuttled',
  'process',
  'permission-model',
  'heap-limit',
] as const);

export function addDoctor(program: Command, run: RunCommand): void {
  program
    .command('doctor')
    .description(
      'show which sandbox walls are active on this machine, and how to get the missing ones',
    )
    .addOption(
      optionWithValues(
        '--require <WALL>',
        'exit with 2 if this wall is missing; repeatable',
        WALL_NAMES,
      ).argParser(collect),
    )
    .option('--paranoid', 'also use the walls that slow plugins down')
    .option(
      '--config <FILE>',
      'configuration of the server to check (default: bulkhead.config.json, if it exists)',
    )
    .option('--json', 'print one line of JSON')
    .action((settings: DoctorSettings) =>
      run((capabilities) => runDoctor(settings, program.version() ?? '', capabilities)),
    );
}

/**
 * Runs a plugin on this machine and looks at what stands around it. Exits with 0 where plugins run
 * and no wall is missing that they need or that was required.
 */
export async function runDoctor(
  settings: DoctorSettings,
  version: string,
  capabilities: CliCapabilities,
): Promise<ExitCode> {
  const { machine, stdout } = capabilities;
  const { require = [], paranoid = false } = settings;
  const run = await tryPlugin(capabilities, { walls: { paranoid } });
  const walls = run.works ? run.walls : [];
  const unknown = require.find((name) => !walls.some(({ wall }) => wall === name));
  if (run.works && unknown !== undefined) {
    const names = walls.map(({ wall }) => wall).join(', ');
    throw usageError('--require', `${unknown} is not a wall; the walls are ${names}`);
  }
  const missing = walls.filter(
    ({ wall, active }) => !active && (ESSENTIAL.has(wall) || require.includes(wall)),
  );
  const kernel = await readKernelSettings(capabilities);
  const config = await readConfigFile(settings, capabilities);
  const sharing = describeSharing(config);
  const [openDoors, remotes, install = null] = await Promise.all([
    findOpenDoors(settings, config, capabilities),
    describeCommands(config),
    capabilities.walls.install(),
  ]);
  const found = { openDoors, sharing, remotes };
  const report: Report = { version, machine, run, kernel, missing, install, ...found };
  await print(
    settings,
    { stdout },
    { ok: run.works && missing.length === 0, ...report },
    formatReport(report, makePaint(stdout.colour)),
  );
  if (!run.works) return exitCodeOf(run.failure.code);
  return missing.length === 0 ? EXIT.ok : EXIT.findings;
}

/** The facts about this machine. */
export interface Report {
  readonly version: string;
  readonly machine: CliCapabilities['machine'];
  readonly run: TrialRun;
  readonly kernel: readonly KernelSetting[];
  /** Missing walls that are required, by `--require` or because no sandbox works without them. */
  readonly missing: readonly Guarantee[];
  /** The command that installs what would build missing walls. `null`: no package would. */
  readonly install: string | null;
  /** Endpoints of this machine that callers may use without a token, as sentences. */
  readonly openDoors: readonly string[];
  /** What the configuration says about shared processes, as sentences. */
  readonly sharing: readonly string[];
  /** How the configured servers that are commands of this machine are confined, as sentences. */
  readonly remotes: readonly string[];
}

/** The report as text: the machine, the walls and the missing ones. */
export function formatReport(report: Report, paint: Paint): string {
  const { run } = report;
  const lines = [
    paint('bold', 'this machine'),
    ...formatMachine(report),
    ...formatRun(report, paint),
    ...formatWallLine(report, paint),
    ...report.openDoors.map((door) => field('server', paint('yellow', visible(door)))),
    ...report.sharing.map((line) => field('guests', visible(line))),
    ...report.remotes.map((line) => field('remote', visible(line))),
    ...(run.works ? ['', paint('bold', 'sandbox walls'), ''] : []),
    ...(run.works ? run.walls.flatMap((guarantee) => formatWall(guarantee, paint)) : []),
    ...formatSummary(report, paint),
  ];
  return `${lines.join('\n')}\n`;
}

function formatMachine({ version, machine, kernel }: Report): string[] {
  const { node, v8, platform, arch, processors, memoryBytes, superuser } = machine;
  const gib = (memoryBytes / 1024 ** 3).toFixed(1);
  return [
    field('bulkhead', version),
    field('node', `${node}, V8 ${v8}`),
    field('system', `${platform} ${machine.kernel}, ${arch}, ${processors} processors, ${gib} GiB`),
    field('user', superuser ? 'root' : 'not root'),
    ...kernel
      .filter(({ problem }) => problem !== undefined)
      .map(({ file, value, problem }) => field('kernel', `${file} is ${value}: ${problem ?? ''}`)),
  ];
}

function formatRun({ run }: Report, paint: Paint): string[] {
  if (!run.works) {
    const { code, message } = run.failure;
    return [field('plugins', `${paint('red', 'do not run')}: ${code} ${visible(message)}`)];
  }
  const { firstCallMs, callMs, caches } = run;
  return [
    field('plugins', `run: first result after ${firstCallMs} ms, the next after ${callMs} ms`),
    field(
      'cache',
      caches
        ? 'works: each plugin is built and inspected once'
        : 'NOT WRITABLE: each start builds and inspects every plugin again',
    ),
  ];
}

/** The walls in one line: what is missing, and the command that installs it. */
function formatWallLine({ run, install }: Report, paint: Paint): string[] {
  if (!run.works) return [];
  const used = run.walls.filter(({ unused }) => !unused);
  const lacking = used.filter(({ active }) => !active).map(({ wall }) => wall);
  if (lacking.length === 0) return [field('walls', `all ${used.length} are active`)];
  const get =
    install === null ? 'each says below how to get it' : `install what builds them: ${install}`;
  const text = `${lacking.length} of ${used.length} are missing: ${lacking.join(', ')}; ${get}`;
  return [field('walls', paint('yellow', text))];
}

function field(name: string, text: string): string {
  return `  ${name.padEnd(9)} ${text}`;
}

/**
 * ```
 *   active   no-network
 *            Code that escaped the compartment and Node still finds no network …
 *            evidence: a program behind the same walls could not connect …
 * ```
 */
export function formatWall(
  { wall, active, unused, meaning, evidence, remedy }: Guarantee,
  paint: Paint,
): string[] {
  const word = active
    ? paint('green', 'active ')
    : unused
      ? paint('dim', 'unused ')
      : paint('red', 'MISSING');
  return [
    `  ${word}  ${paint('bold', wall)}`,
    `           ${meaning}`,
    `           ${paint('dim', `evidence: ${evidence}`)}`,
    ...(remedy === undefined ? [] : [`           ${paint('yellow', `fix: ${remedy}`)}`]),
  ];
}

function formatSummary({ run, missing }: Report, paint: Paint): string[] {
  if (!run.works) return ['', paint('red', 'Plugins do not run on this machine.')];
  const { length } = run.walls.filter(({ active }) => active);
  const used = run.walls.filter(({ unused }) => !unused).length;
  const summary = `${length} of ${used} walls are active.`;
  return missing.length === 0
    ? ['', paint('green', summary), 'To test them with hostile plugins: bulkhead selftest']
    : ['', paint('red', `${summary} Missing: ${missing.map(({ wall }) => wall).join(', ')}.`)];
}
