import type { Guarantee } from '../../index.js';
import type { Paint } from '../paint.js';
import type { CliPowers } from '../powers.js';
import { visible } from '../visible.js';
import type { KernelSetting } from './kernel.js';
import type { TrialRun } from './trial-run.js';

/** What there is to know of this machine. */
export interface Report {
  readonly version: string;
  readonly machine: CliPowers['machine'];
  readonly run: TrialRun;
  readonly kernel: readonly KernelSetting[];
  /** Walls that are missed: those that were required, and those without which nothing is confined. */
  readonly missing: readonly Guarantee[];
}

/** The report for people: this machine, the walls, and what is left to do. */
export function tellReport(report: Report, paint: Paint): string {
  const { run } = report;
  const lines = [
    paint('bold', 'this machine'),
    ...tellMachine(report),
    ...tellRun(report, paint),
    ...(run.works ? ['', paint('bold', 'walls round a plugin'), ''] : []),
    ...(run.works ? run.walls.flatMap((guarantee) => tellWall(guarantee, paint)) : []),
    ...tellVerdict(report, paint),
  ];
  return `${lines.join('\n')}\n`;
}

function tellMachine({ version, machine, kernel }: Report): string[] {
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

function tellRun({ run }: Report, paint: Paint): string[] {
  if (!run.works) {
    const { code, message } = run.failure;
    return [field('plugins', `${paint('red', 'do not run')}: ${code} ${visible(message)}`)];
  }
  const { firstCallMs, callMs, keeps } = run;
  return [
    field('plugins', `run: first result after ${firstCallMs} ms, the next after ${callMs} ms`),
    field(
      'cache',
      keeps
        ? 'works: plugins are built and asked once'
        : 'CANNOT BE WRITTEN: each start builds and asks anew',
    ),
  ];
}

function field(name: string, text: string): string {
  return `  ${name.padEnd(9)} ${text}`;
}

/**
 * ```
 *   stands  no-network
 *           Code that escaped the compartment and Node still finds no network …
 *           seen: a program behind the same walls could not connect …
 * ```
 */
function tellWall(
  { wall, stands, unused, meaning, evidence, remedy }: Guarantee,
  paint: Paint,
): string[] {
  const word = stands
    ? paint('green', 'stands')
    : unused
      ? paint('dim', 'unused')
      : paint('red', 'ABSENT');
  return [
    `  ${word}  ${paint('bold', wall)}`,
    `          ${meaning}`,
    `          ${paint('dim', `seen: ${evidence}`)}`,
    ...(remedy === undefined ? [] : [`          ${paint('yellow', `to get it: ${remedy}`)}`]),
  ];
}

function tellVerdict({ run, missing }: Report, paint: Paint): string[] {
  if (!run.works) return ['', paint('red', 'Plugins do not run on this machine.')];
  const { length } = run.walls.filter(({ stands }) => stands);
  const used = run.walls.filter(({ unused }) => !unused).length;
  const told = `${length} of ${used} walls stand.`;
  return missing.length === 0
    ? ['', paint('green', told), 'To have them attacked: bulkhead selftest']
    : ['', paint('red', `${told} Missing: ${missing.map(({ wall }) => wall).join(', ')}.`)];
}
