import { join } from 'node:path';
import type { Command } from 'commander';
import type { Engine, Guarantee, PluginStatus } from '../../index.js';
import { chooseApprover } from '../approve.js';
import type { RunCommand } from '../call.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { openVault } from '../hostile/vault.js';
import { makePaint, type Paint } from '../paint.js';
import type { CliPowers } from '../powers.js';
import { formatTable } from '../table.js';
import { visible } from '../visible.js';
import { type Attack, tellAttack, tryAttacks } from './attacks.js';
import { leaveEvidence, openWithLog } from './evidence.js';
import { callExamples, exampleDirectories, tellExample, variables } from './examples.js';
import { takeCalls } from './prompt.js';
import { summarize } from './summary.js';
import { answerWeather, WEATHER_HOST } from './weather-server.js';

export interface DemoSettings {
  readonly once?: boolean;
}

export function addDemo(program: Command, run: RunCommand): void {
  program
    .command('demo')
    .description('load the example plugins, call them, and let a hostile one try to break out')
    .option('--once', 'end when it is done, also at a terminal')
    .action((settings: DemoSettings) => run((powers) => runDemo(settings, powers)));
}

/**
 * Shows on this machine what is claimed: plugins work with what they were granted, and a hostile
 * one gets nothing. Exits with 0 only where all of it was so.
 */
export async function runDemo(settings: DemoSettings, powers: CliPowers): Promise<ExitCode> {
  const { stdout, fixtures } = powers;
  const paint = makePaint(stdout.colour);
  const say = (text: string): Promise<void> => stdout.write(`${text}\n`);

  await using weather = await powers.serve(answerWeather);
  await using vault = await openVault(powers);
  const approve = chooseApprover(false, powers);
  const opened = await openWithLog(
    {
      plugins: exampleDirectories.map((directory) => join(fixtures, directory)),
      grant: 'declared',
      env: variables,
      network: { overrides: [{ host: WEATHER_HOST, url: weather.url }] },
      logger: silence,
      ...(approve === undefined || settings.once === true ? {} : { approve }),
    },
    powers,
  );
  await using engine = opened.engine;

  await say(tellPlugins(engine, paint));
  const examples = await callExamples(engine);
  for (const example of examples) await say(tellExample(example, paint));

  const attacks = await tryAttacks(engine, vault);
  await say(tellAttacks(attacks, vault.visits(), paint));
  await say(tellWalls(await engine.guarantees(), paint));

  await say(await leaveEvidence(opened, powers, paint));

  const unmet = [
    ...engine.plugins().filter(({ state }) => state !== 'active'),
    ...examples.filter(({ asExpected }) => !asExpected),
    ...attacks.filter(({ blocked }) => !blocked),
  ];
  const proved = unmet.length === 0 && attacks.length > 0 && vault.visits() === 0;
  await say(
    proved ? paint('green', 'All as claimed.') : paint('red', 'NOT as claimed: see above.'),
  );

  if (powers.ask !== undefined && settings.once !== true) await takeCalls(engine, powers);
  return proved ? EXIT.ok : EXIT.findings;
}

const silence = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

function tellPlugins(engine: Engine, paint: Paint): string {
  const rows = engine
    .plugins()
    .map((status) => [
      `  ${visible(status.id)}`,
      status.format ?? '?',
      String(status.tools.length),
      summarize(status.entries.map(({ effective }) => effective)),
      tellState(status),
    ]);
  const [heading, ...lines] = formatTable([
    ['  plugin', 'format', 'tools', 'permissions', 'state'],
    ...rows,
  ]).split('\n');
  return `\n${paint('dim', heading ?? '')}\n${lines.join('\n')}`;
}

function tellState({ state, problems }: PluginStatus): string {
  return [state, ...problems.map(({ code, message }) => `${code} ${visible(message)}`)].join(': ');
}

function tellAttacks(attacks: readonly Attack[], visits: number, paint: Paint): string {
  const blocked = attacks.filter((attack) => attack.blocked).length;
  const all = blocked === attacks.length && visits === 0;
  return [
    '',
    ...attacks.map((attack) => tellAttack(attack, paint)),
    paint(all ? 'green' : 'red', `  attacks ${blocked}/${attacks.length} blocked`),
    '',
  ].join('\n');
}

function wordOf({ stands, unused }: Pick<Guarantee, 'stands' | 'unused'>): string {
  if (stands) return 'stands';
  return unused ? 'unused' : 'ABSENT';
}

function tellWalls(guarantees: readonly Guarantee[], paint: Paint): string {
  const rows = guarantees.map(({ wall, stands, unused, evidence }) => [
    `  ${wall}`,
    wordOf({ stands, unused }),
    evidence,
  ]);
  return `${paint('dim', '  what was proved about this machine')}\n${formatTable(rows)}`;
}
