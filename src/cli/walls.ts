import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { Guarantee } from '../guests/walls/guarantees.js';
import { NO_WALL_EXIT } from '../guests/walls/launcher.js';
import type { WallPlan } from '../guests/walls/plan.js';
import { collect } from './arguments.js';
import type { RunCommand } from './call.js';
import type { CliCapabilities } from './capabilities.js';
import { formatWall } from './doctor/doctor.js';
import { silentLogger } from './engine-options.js';
import { EXIT } from './exit-codes.js';
import { usageError } from './failure.js';
import { formatTable, makePaint, print } from './output.js';

export interface WallSettings {
  readonly show?: readonly string[];
  readonly json?: boolean;
}

const HELP_AFTER = `
A command after -- runs behind exactly the walls of a guest on this machine, and its status is the
status of this command. It sees node, its libraries, the guest's script and the paths of --show:

  bulkhead walls --show /usr -- python3 -c "$(cat attack.py)"
`;

export function addWalls(program: Command, run: RunCommand): void {
  program
    .command('walls')
    .description('show the walls around a guest, or run a program behind them')
    .argument('[command...]', 'after --: the program and its arguments')
    .option('--show <PATH>', 'let the program see this path, too, read-only; repeatable', collect)
    .option('--json', 'print one line of JSON')
    .addHelpText('after', HELP_AFTER)
    .action((command: string[], settings: WallSettings) =>
      run((capabilities) => runWalls(command, settings, capabilities)),
    );
}

/** Lists the walls, or runs the command behind them. */
export async function runWalls(
  command: readonly string[],
  settings: WallSettings,
  capabilities: CliCapabilities,
): Promise<number> {
  const { show = [] } = settings;
  if (command.length > 0) {
    if (settings.json === true) {
      throw usageError('--json', '--json lists the walls: leave out the program');
    }
    return runCommand(command, show, capabilities);
  }
  if (show.length > 0) {
    throw usageError('--show', '--show needs a program: add -- and the program');
  }
  const { createEngine, stdout, walls } = capabilities;
  const [plan, guarantees] = await Promise.all([
    walls.plan(),
    (async () => {
      await using engine = await createEngine({
        plugins: [],
        limits: { pool: 0 },
        logger: silentLogger,
      });
      // The engine closes when this function returns.
      return await engine.guarantees();
    })(),
  ]);
  await print(
    settings,
    { stdout },
    { ok: true, ...plan, walls: guarantees },
    formatWalls(plan, guarantees, makePaint(stdout.colour)),
  );
  return EXIT.ok;
}

async function runCommand(
  [name = '', ...args]: readonly string[],
  show: readonly string[],
  { walls, environment, stderr }: CliCapabilities,
): Promise<number> {
  const paths = show.map((path) => resolve(path));
  if (paths.includes('/')) {
    throw usageError(
      '--show',
      '--show takes a path below /, because / would remove the wall around files',
    );
  }
  const absent = paths.find((path) => walls.find(path, '', []) === undefined);
  if (absent !== undefined) throw usageError('--show', `--show ${absent}: there is no such path`);
  const file = walls.find(name, environment['PATH'] ?? '', paths);
  if (file === undefined)
    throw usageError('arguments', `there is no program ${name}; name it by its path`);
  const code = await walls.run([file, ...args], paths);
  if (code === NO_WALL_EXIT) {
    await stderr.write(
      `The status is ${code}. If ${file} did not start because it or its libraries are hidden, show them: --show /usr\n`,
    );
  }
  return code;
}

function formatWalls(
  { builder, namespaces, ownRoot, landlock, systemCallFilter, ownUser }: WallPlan,
  guarantees: readonly Guarantee[],
  paint: ReturnType<typeof makePaint>,
): string {
  const files = ownRoot ? 'a root of its own' : 'the whole file system';
  const rows = [
    ['built by', BUILDERS[builder]],
    ['namespaces', namespaces.join(' ') || 'none'],
    ['file system', landlock > 0 ? `${files}; Landlock, version ${landlock}` : files],
    ['system calls', systemCallFilter ? 'filtered' : 'not filtered'],
    [
      'user',
      ownUser === undefined
        ? "the host's"
        : `one of ${ownUser.first} to ${ownUser.first + ownUser.count - 1}`,
    ],
  ];
  return [
    formatTable(rows).trimEnd(),
    '',
    ...guarantees.flatMap((guarantee) => formatWall(guarantee, paint)),
    '',
  ].join('\n');
}

const BUILDERS: Readonly<Record<WallPlan['builder'], string>> = {
  perl: 'perl',
  bwrap: 'bubblewrap',
  chain: 'sh and util-linux',
  none: 'nothing: only Node and the compartment are walls here',
};
