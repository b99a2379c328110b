import type { CatalogTool, Engine, PluginStatus } from '../../index.js';
import { attemptsOf, type Attempt, HARMLESS } from '../hostile/attempts.js';
import type { Expectation, Expectations } from '../hostile/expectations.js';
import { judge, type Judgement } from '../hostile/judge.js';
import type { Vault } from '../hostile/vault.js';
import type { Villain } from '../hostile/villains.js';
import { round } from '../invoke.js';

/** One thing that was tried on this installation, and what came of it. */
export interface Trial extends Judgement {
  readonly category: string;
  readonly plugin: string;
  readonly name: string;
  readonly durationMs: number;
}

/** One trial that is to be made. */
export interface Planned {
  readonly plugin: string;
  readonly name: string;
  readonly run: () => Promise<Trial>;
}

export interface Range {
  readonly engine: Engine;
  readonly vault: Vault;
  /** A file that no plugin was granted. */
  readonly secretFile: string;
  /** A variable that no plugin was granted. */
  readonly secretVariable: string;
  /** What is in the file, in the variable, and on the server. */
  readonly secrets: readonly string[];
  /** A call of a plugin that has nothing to do with it; whether it got its answer. */
  readonly bystander: () => Promise<boolean>;
  readonly now: () => number;
}

/** Enough for what comes to an end, and soon over for what does not. */
const TIMEOUT_MS = 2_000;

/** Plans all that a hostile plugin can try; where it cannot be called, whether that is as it has to be. */
export function planTrials(
  { name: plugin, directory, expectations }: Villain,
  plugins: readonly PluginStatus[],
  range: Range,
): readonly Planned[] {
  const status = plugins.find((one) => one.directory === directory);
  const tools = status?.tools ?? [];
  if (expectations.refused !== undefined || tools.length === 0) {
    const trial = judgeLoading(plugin, status, expectations, range);
    return [{ plugin, name: trial.name, run: () => Promise.resolve(trial) }];
  }
  const { vault, secretFile, secretVariable } = range;
  const bait = { secretUrl: vault.url, secretFile, secretVariable };
  const harmless = tools.find(({ tool }) => tool === HARMLESS);
  return attemptsOf(tools, bait).map((attempt) => ({
    plugin,
    name: attempt.name,
    run: () => tryOne(attempt, expectationOf(attempt, expectations), harmless, range),
  }));
}

function expectationOf({ name }: Attempt, { attempts, all }: Expectations): Expectation {
  return attempts.get(name) ?? all;
}

function judgeLoading(
  plugin: string,
  status: PluginStatus | undefined,
  { all: { category }, refused }: Expectations,
  { secrets }: Range,
): Trial {
  const about = { category, plugin, name: 'to be loaded', durationMs: 0 };
  if (status === undefined)
    return { ...about, held: false, evidence: 'NOT TRIED: no plugin there' };
  const { state, problems, tools } = status;
  const told = problems.map(({ code, message }) => `${code}: ${message}`).join('; ');
  if (secrets.some((secret) => told.includes(secret))) {
    return { ...about, held: false, evidence: `IT GOT THE SECRET: ${told}` };
  }
  const asExpected =
    refused !== undefined &&
    tools.length === 0 &&
    (refused.length === 0 || problems.some(({ code }) => refused.includes(code)));
  return asExpected
    ? { ...about, held: true, evidence: told === '' ? 'it offers nothing' : told }
    : {
        ...about,
        held: false,
        evidence: `OTHERWISE THAN EXPECTED: it is ${state}. ${told}`.trim(),
      };
}

async function tryOne(
  { plugin, tool, name, input }: Attempt,
  expected: Expectation,
  harmless: CatalogTool | undefined,
  range: Range,
): Promise<Trial> {
  const { engine, vault, now } = range;
  const { category, timeoutMs = TIMEOUT_MS } = expected;
  const [began, visits] = [now(), vault.visits()];
  const [result, bystander] = await Promise.all([
    engine.call(tool, { ...expected.input, ...input }, { timeoutMs }),
    range.bystander(),
  ]);
  const judgement = judge(result, expected, range.secrets);
  const durationMs = round(now() - began);
  const about = { category, plugin, name, durationMs };
  if (!judgement.held) return { ...about, ...judgement };
  if (vault.visits() !== visits) {
    return { ...about, held: false, evidence: 'IT REACHED A SERVER THAT IT WAS NOT GRANTED' };
  }
  if (!bystander) {
    return { ...about, held: false, evidence: 'ANOTHER PLUGIN GOT NO ANSWER MEANWHILE' };
  }
  if (harmless !== undefined && (await engine.call(harmless.name, {})).isError) {
    return { ...about, held: false, evidence: 'ITS NEXT CALL DID NOT SUCCEED' };
  }
  return { ...about, ...judgement };
}
