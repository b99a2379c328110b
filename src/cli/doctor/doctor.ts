import type { Command } from 'commander';
import type { WallName } from '../../index.js';
import { collect } from '../arguments.js';
import type { RunCommand } from '../call.js';
import { EXIT, type ExitCode, exitCodeOf } from '../exit-codes.js';
import { usageError } from '../failure.js';
import { makePaint } from '../paint.js';
import type { CliPowers } from '../powers.js';
import { jsonLine } from '../visible.js';
import { readKernelSettings } from './kernel.js';
import { type Report, tellReport } from './tell.js';
import { tryPlugin } from './trial-run.js';

export interface DoctorSettings {
  readonly json?: boolean;
  readonly paranoid?: boolean;
  readonly require?: readonly string[];
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
      'show what this machine has to put round a plugin, what is missing, and how to get it',
    )
    .option('--require <WALL>', 'fail where that wall does not stand; may be repeated', collect)
    .option('--paranoid', 'put up the walls that cost much, too')
    .option('--json', 'print one line of JSON')
    .action((settings: DoctorSettings) =>
      run((powers) => runDoctor(settings, program.version() ?? '', powers)),
    );
}

/**
 * Runs a plugin on this machine and looks at what stands around it. Exits with 0 where plugins run
 * and no wall is missing that they need or that was required.
 */
export async function runDoctor(
  settings: DoctorSettings,
  version: string,
  powers: CliPowers,
): Promise<ExitCode> {
  const { machine, stdout } = powers;
  const { require = [], paranoid = false } = settings;
  const run = await tryPlugin(powers, { walls: { paranoid } });
  const walls = run.works ? run.walls : [];
  const unknown = require.find((name) => !walls.some(({ wall }) => wall === name));
  if (run.works && unknown !== undefined) {
    const names = walls.map(({ wall }) => wall).join(', ');
    throw usageError('--require', `there is no wall ${unknown}; there are ${names}`);
  }
  const missing = walls.filter(
    ({ wall, stands }) => !stands && (ESSENTIAL.has(wall) || require.includes(wall)),
  );
  const kernel = await readKernelSettings(powers);
  const report: Report = { version, machine, run, kernel, missing };
  await stdout.write(
    settings.json === true
      ? jsonLine({ ok: run.works && missing.length === 0, ...report })
      : tellReport(report, makePaint(stdout.colour)),
  );
  if (!run.works) return exitCodeOf(run.failure.code);
  return missing.length === 0 ? EXIT.ok : EXIT.findings;
}
