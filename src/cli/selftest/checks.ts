import type { Json } from '../../../sandbox/wire/messages.js';
import type { Engine } from '../../agent/agent.js';
import type { CatalogTool } from '../../catalog/catalog.js';
import type { PluginStatus } from '../../engine/types/status.js';
import {
  type Attack,
  type AttackTargets,
  HARMLESS,
  type SecretServer,
  type Verdict,
  attacksOf,
  judge,
} from '../hostile/attacks.js';
import type { Expectation, Expectations, HostilePlugin } from '../hostile/plugins.js';
import { round } from '../invoke.js';

/** One check of this installation, with its outcome. */
export interface Check extends Verdict {
  readonly category: string;
  readonly plugin: string;
  readonly name: string;
  readonly durationMs: number;
}

/** A check that has not run yet. */
export interface Planned {
  readonly plugin: string;
  readonly name: string;
  readonly run: () => Promise<Check>;
}

export interface CheckContext {
  readonly engine: Engine;
  readonly secretServer: SecretServer;
  /** A file that no plugin is granted. */
  readonly secretFile: string;
  /** A variable that no plugin is granted. */
  readonly secretVariable: string;
  /** The contents of the file, the variable and the server. */
  readonly secrets: readonly string[];
  /** Calls another plugin; whether that call succeeded. */
  readonly otherPlugin: () => Promise<boolean>;
  readonly now: () => number;
}

/** Deadline of attacks that may never end. */
const TIMEOUT_MS = 2_000;
const LONG_TIMEOUT_MS = 20_000;

/** Plans the attacks of a hostile plugin; if it offers no tool, one check that this is expected. */
export function planChecks(
  { name: plugin, directory, expectations }: HostilePlugin,
  plugins: readonly PluginStatus[],
  context: CheckContext,
): readonly Planned[] {
  const status = plugins.find((one) => one.directory === directory);
  // Some directories are programs for other tests, not plugins.
  if (status === undefined) return [];
  const { tools } = status;
  if (expectations.refused !== undefined || tools.length === 0) {
    const check = judgeLoading(plugin, status, expectations, context);
    return [{ plugin, name: check.name, run: () => Promise.resolve(check) }];
  }
  const harmless = tools.find(({ tool }) => tool === HARMLESS);
  return attacksOf(tools, targetsOf(context))
    .filter(({ name }) => expectations.only?.includes(name) ?? true)
    .map((attempt) => ({
      plugin,
      name: attempt.name,
      run: () => tryOne(attempt, expectationOf(attempt, expectations), harmless, context),
    }));
}

function expectationOf({ name }: Attack, { attempts, all }: Expectations): Expectation {
  return attempts.get(name) ?? all;
}

function judgeLoading(
  plugin: string,
  { state, problems, tools }: PluginStatus,
  { all: { category }, refused }: Expectations,
  { secrets }: CheckContext,
): Check {
  const about = { category, plugin, name: 'load', durationMs: 0 };
  const reasons = problems.map(({ code, message }) => `${code}: ${message}`).join('; ');
  if (secrets.some((secret) => reasons.includes(secret))) {
    return { ...about, passed: false, evidence: `IT GOT THE SECRET: ${reasons}` };
  }
  const asExpected =
    refused !== undefined &&
    tools.length === 0 &&
    (refused.length === 0 || problems.some(({ code }) => refused.includes(code)));
  return asExpected
    ? { ...about, passed: true, evidence: reasons === '' ? 'offers no tool' : reasons }
    : {
        ...about,
        passed: false,
        evidence: `UNEXPECTED: the plugin is ${state}. ${reasons}`.trim(),
      };
}

async function tryOne(
  { plugin, tool, name, input }: Attack,
  expected: Expectation,
  harmless: CatalogTool | undefined,
  context: CheckContext,
): Promise<Check> {
  const { engine, secretServer, now } = context;
  const { category } = expected;
  const timeoutMs = timeoutOf(expected);
  const [began, visits] = [now(), secretServer.visits()];
  const [result, otherPlugin] = await Promise.all([
    engine.call(tool, { ...withTargets(expected.input ?? {}, context), ...input }, { timeoutMs }),
    context.otherPlugin(),
  ]);
  const judgement = judge(result, expected, context.secrets);
  const durationMs = round(now() - began);
  const about = { category, plugin, name, durationMs };
  if (!judgement.passed) return { ...about, ...judgement };
  if (secretServer.visits() !== visits) {
    return { ...about, passed: false, evidence: 'IT REACHED A SERVER THAT IS NOT GRANTED' };
  }
  if (!otherPlugin) {
    return { ...about, passed: false, evidence: 'A CALL OF ANOTHER PLUGIN FAILED MEANWHILE' };
  }
  if (harmless !== undefined && !(await isAvailableAgain(engine, harmless))) {
    return { ...about, passed: false, evidence: 'ITS NEXT CALLS FAILED' };
  }
  return { ...about, ...judgement };
}

/** A guest that hangs after its answer may fail the next call, but not the one after it. */
async function isAvailableAgain(engine: Engine, { name }: CatalogTool): Promise<boolean> {
  const next = await engine.call(name, {}, { timeoutMs: TIMEOUT_MS });
  if (!next.isError) return true;
  return !(await engine.call(name, {}, { timeoutMs: LONG_TIMEOUT_MS })).isError;
}

/** A call that must end gets a long deadline, so that a busy machine does not fail it. */
function timeoutOf({ codes, gots, timeoutMs = TIMEOUT_MS }: Expectation): number {
  const ends = gots !== undefined || codes?.includes('DEADLINE_EXCEEDED') === false;
  return ends ? LONG_TIMEOUT_MS : timeoutMs;
}

/** Replaces names of targets in an expected input, such as `$secretUrl`. */
function withTargets(
  input: Readonly<Record<string, Json>>,
  context: CheckContext,
): Record<string, Json> {
  const targets = new Map(
    Object.entries(targetsOf(context)).map(([name, target]) => [`$${name}`, target]),
  );
  const fill = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(fill);
    return typeof value === 'string' ? (targets.get(value) ?? value) : value;
  };
  return Object.fromEntries(Object.entries(input).map(([key, value]) => [key, fill(value)]));
}

function targetsOf({ secretServer, secretFile, secretVariable }: CheckContext): AttackTargets {
  return { secretUrl: secretServer.url, secretFile, secretVariable };
}
