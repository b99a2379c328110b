import { join } from 'node:path';
import type { Command } from 'commander';
import type { RunCommand } from '../call.js';
import { controlDirectories, variables } from '../demo/examples.js';
import { answerWeather, WEATHER_HOST } from '../demo/weather-server.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { openVault, type Vault } from '../hostile/vault.js';
import { BUNDLED_SECRET, readVillains, SECRET_FILE } from '../hostile/villains.js';
import { round } from '../invoke.js';
import { makePaint } from '../paint.js';
import type { CliPowers } from '../powers.js';
import { jsonLine } from '../visible.js';
import { callBystander, callControls } from './controls.js';
import { makeProgress } from './progress.js';
import { byCategory, tellCategories, tellTrial } from './tell.js';
import { planTrials, type Trial } from './trials.js';

export interface SelftestSettings {
  readonly json?: boolean;
  readonly verbose?: boolean;
}

export function addSelftest(program: Command, run: RunCommand): void {
  program
    .command('selftest')
    .description('let hostile plugins attack this installation, and show what came of it')
    .option('--verbose', 'tell of each attempt, also of those that came to nothing')
    .option('--json', 'print one line of JSON')
    .action((settings: SelftestSettings) => run((powers) => runSelftest(settings, powers)));
}

/**
 * Lets every hostile plugin of the package try all it can on this machine, and well-behaved ones work
 * beside them. Exits with 0 only where nothing was got and everything worked.
 */
export async function runSelftest(
  settings: SelftestSettings,
  powers: CliPowers,
): Promise<ExitCode> {
  const startedMs = powers.now();
  await using vault = await openVault(powers);
  const trials = await makeTrials(vault, powers);
  const held = trials.filter((trial) => trial.held).length;
  const ok = held === trials.length && !powers.interrupted.aborted;
  const durationMs = round(powers.now() - startedMs);
  if (settings.json === true) {
    const categories = byCategory(trials);
    await powers.stdout.write(
      jsonLine({ ok, tried: trials.length, held, durationMs, categories, trials }),
    );
  } else {
    const paint = makePaint(powers.stdout.colour);
    const told = settings.verbose === true ? trials : trials.filter((trial) => !trial.held);
    await powers.stdout.write(
      [
        ...told.map((trial) => tellTrial(trial, paint)),
        tellCategories(trials, paint),
        paint(ok ? 'green' : 'red', `${held} of ${trials.length} held`),
        ` in ${Math.round(durationMs / 1000)} s.\n`,
      ].join(''),
    );
  }
  return ok ? EXIT.ok : EXIT.findings;
}

/** A variable that the host has and no plugin is granted. */
const SECRET_VARIABLE = 'SELFTEST_SECRET';

async function makeTrials(vault: Vault, powers: CliPowers): Promise<readonly Trial[]> {
  const { fixtures, now, interrupted } = powers;
  await using server = await powers.serve(answer);
  const villains = await readVillains(powers);
  const served = [WEATHER_HOST, ...villains.flatMap(({ expectations }) => expectations.serves)];
  await using engine = await powers.createEngine({
    plugins: [
      ...villains.map(({ directory }) => directory),
      ...controlDirectories.map((directory) => join(fixtures, directory)),
    ],
    grant: 'declared',
    env: { ...variables, [SECRET_VARIABLE]: vault.secret },
    network: { overrides: [...new Set(served)].map((host) => ({ host, url: server.url })) },
    logger: silence,
    limits: {
      loadTimeoutMs: 5_000,
      // Whoever is here to crash may do so again and again.
      maxCrashes: 1_000_000,
    },
  });
  const secretFile = join(fixtures, SECRET_FILE);
  const range = {
    engine,
    vault,
    secretFile,
    secrets: [vault.secret, BUNDLED_SECRET, (await powers.readFile(secretFile)).trim()],
    secretVariable: SECRET_VARIABLE,
    bystander: () => callBystander(engine),
    now,
  };
  const trials = await callControls(engine);
  const planned = villains.flatMap((villain) => planTrials(villain, engine.plugins(), range));
  const progress = makeProgress(powers.stderr);
  for (const [index, { plugin, name, run }] of planned.entries()) {
    if (interrupted.aborted) break;
    await progress.show(index, planned.length, `${plugin}: ${name}`);
    trials.push(await run());
  }
  await progress.clear();
  return trials;
}

/** Answers for every host that somebody here was granted. */
function answer(path: string): { readonly status: number; readonly body: unknown } {
  return path.startsWith('/data/') ? answerWeather(path) : { status: 200, body: { path } };
}

const silence = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
