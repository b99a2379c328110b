import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { isRecord } from '../../../sandbox/wire/json.js';
import type { Json } from '../../../sandbox/wire/messages.js';
import type { CatalogTool } from '../../catalog/catalog.js';
import type { CallResult } from '../../engine/types/result.js';
import type { ErrorCode } from '../../errors.js';
import { textOf } from '../../plugin/answer.js';
import type { CliCapabilities } from '../capabilities.js';
import type { Expectation } from './plugins.js';

/** One attack of a hostile plugin: a call of one of its tools. */
export interface Attack {
  readonly plugin: string;
  /** The tool's name in the catalog. */
  readonly tool: string;
  readonly name: string;
  readonly input: Readonly<Record<string, Json>>;
}

/** The places of secrets. Hostile plugins know them and must not reach them. */
export interface AttackTargets {
  readonly secretUrl: string;
  readonly secretFile: string;
  readonly secretVariable: string;
}

/** The harmless tool of a hostile plugin, which shows that the plugin still runs. */
export const HARMLESS = 'breathe';

/**
 * The attacks of hostile plugins: one for each value of a tool's input `attempt`, else one for the
 * tool. A tool gets the targets that its input names.
 */
export function attacksOf(tools: readonly CatalogTool[], targets: AttackTargets): Attack[] {
  return tools
    .filter(({ tool }) => tool !== HARMLESS)
    .flatMap(({ plugin, name, tool, inputSchema }) => {
      const properties = property(inputSchema, 'properties');
      const named = Object.fromEntries(
        Object.entries(targets).filter(([key]) => property(properties, key) !== undefined),
      );
      const values = property(property(properties, 'attempt'), 'enum');
      const names = Array.isArray(values)
        ? values.filter((value) => typeof value === 'string')
        : undefined;
      return names === undefined
        ? [{ plugin, tool: name, name: tool, input: named }]
        : names.map((attempt) => ({
            plugin,
            tool: name,
            name: attempt,
            input: { attempt, ...named },
          }));
    });
}

function property(value: Json | undefined, key: string): Json | undefined {
  return isRecord(value) ? value[key] : undefined;
}

export interface Verdict {
  readonly passed: boolean;
  /** What blocked the attack, or what it got. */
  readonly evidence: string;
}

/** Failures that mean that the attack did not take place, so nothing was blocked. */
const NOT_TRIED: ReadonlySet<ErrorCode | undefined> = new Set([
  'INVALID_INPUT',
  'TOOL_NOT_FOUND',
  'PLUGIN_INACTIVE',
  'LOAD_FAILED',
  'GUEST_START_FAILED',
  // The target did not exist.
  'NETWORK_FAILED',
  'FILESYSTEM_FAILED',
  'QUARANTINED',
  'BUSY',
  'ENGINE_CLOSED',
  'STOPPED',
] as const);

/**
 * Whether an attack failed: it was blocked, returned `{ got: null }`, or ended as expected. A result
 * that contains a secret always counts as a breach.
 */
export function judge(
  result: CallResult,
  expected: Pick<Expectation, 'codes' | 'gots'>,
  secrets: readonly string[],
): Verdict {
  const text = textOf(result.content);
  if (secrets.some((secret) => text.includes(secret)))
    return { passed: false, evidence: `IT GOT THE SECRET: ${text}` };
  if (result.isError) {
    const { code = 'TOOL_FAILED' } = result;
    const evidence = `${code}: ${text}`;
    if (expected.codes === undefined && expected.gots === undefined) {
      // guard: untried-attack-not-held
      return NOT_TRIED.has(code)
        ? { passed: false, evidence: `NOT TRIED: ${evidence}` }
        : { passed: true, evidence };
    }
    return expected.codes?.includes(code) === true
      ? { passed: true, evidence }
      : { passed: false, evidence: `UNEXPECTED: ${evidence}` };
  }
  return judgeValue(gotOf(result.value), expected);
}

function judgeValue(got: Json, expected: Pick<Expectation, 'codes' | 'gots'>): Verdict {
  if (expected.gots?.some((one) => isDeepStrictEqual(got, one)) === true) {
    return { passed: true, evidence: 'got only what was granted' };
  }
  if (got !== null) return { passed: false, evidence: `IT GOT ${JSON.stringify(got)}` };
  return expected.codes === undefined && expected.gots === undefined
    ? { passed: true, evidence: 'got nothing' }
    : { passed: false, evidence: 'UNEXPECTED: the call succeeded' };
}

/** The result of a tool, or its field `got`. JSON drops a value of `undefined`. */
function gotOf(value: Json | undefined): Json {
  if (!isRecord(value)) return value ?? null;
  return 'got' in value || Object.keys(value).length === 0 ? (value['got'] ?? null) : value;
}

/** A local server that no plugin is granted: a plugin that reaches it has escaped. */
export interface SecretServer extends AsyncDisposable {
  readonly url: string;
  /** The secret that it serves: random, so that a plugin cannot know it from elsewhere. */
  readonly secret: string;
  visits(): number;
}

export async function startSecretServer({
  serve,
}: Pick<CliCapabilities, 'serve'>): Promise<SecretServer> {
  const secret = `secret-${randomUUID()}`;
  let visits = 0;
  const server = await serve(() => {
    visits += 1;
    return { status: 200, body: { secret } };
  });
  return {
    url: `${server.url}/secret`,
    secret,
    visits: () => visits,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
