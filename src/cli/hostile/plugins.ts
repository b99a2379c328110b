import { basename, join } from 'node:path';
import { isRecord } from '../../../sandbox/wire/json.js';
import type { Json } from '../../../sandbox/wire/messages.js';
import type { CliCapabilities } from '../capabilities.js';

/** A hostile plugin of the package. */
export interface HostilePlugin {
  /** The name of its directory, which names its attack. */
  readonly name: string;
  readonly directory: string;
  readonly expectations: Expectations;
}

/** A file that no hostile plugin is granted; relative to the fixtures. */
export const SECRET_FILE = 'hostile/bait.txt';

/** The content of another such file, which plugins try to bundle. */
export const BUNDLED_SECRET = 'CANARY-OF-THE-HOST';

/** Reads every directory of hostile plugins. */
export async function readHostilePlugins(
  capabilities: Pick<CliCapabilities, 'fixtures' | 'listDirectory' | 'readFile' | 'realPath'>,
): Promise<readonly HostilePlugin[]> {
  const parent = join(capabilities.fixtures, 'hostile');
  const names = (await capabilities.listDirectory(parent)).filter((name) => !name.includes('.'));
  return Promise.all(
    names.toSorted().map(async (name) => {
      const directory = await capabilities.realPath(join(parent, name));
      const expectations = await readExpectations(basename(directory), directory, capabilities);
      return { name, directory, expectations };
    }),
  );
}

/** The expected outcome of one attack, if it may get something or must fail in a certain way. */
export interface Expectation {
  readonly category: string;
  /** The call fails with one of these codes. */
  readonly codes?: readonly string[];
  /** The call returns exactly one of these values, all of them granted. */
  readonly gots?: readonly Json[];
  /** More input for the call. */
  readonly input?: Readonly<Record<string, Json>>;
  readonly timeoutMs?: number;
}

/** The contents of `expect.json` of a hostile plugin. */
export interface Expectations {
  /** The default for each attack. */
  readonly all: Expectation;
  /** Hosts that must be served for its attacks. */
  readonly serves: readonly string[];
  /** The plugin must fail to load with one of these codes; empty: with any code. */
  readonly refused?: readonly string[];
  /** The attacks to run; absent: all. */
  readonly only?: readonly string[];
  readonly attempts: ReadonlyMap<string, Expectation>;
}

/** Without an `expect.json`, the plugin is a category of its own and all its attacks must fail. */
export async function readExpectations(
  plugin: string,
  directory: string,
  { readFile }: Pick<CliCapabilities, 'readFile'>,
): Promise<Expectations> {
  const file = join(directory, 'expect.json');
  const text = await readFile(file).catch(() => '{}');
  return parseExpectations(JSON.parse(text), plugin, file);
}

export function parseExpectations(value: Json, plugin: string, file: string): Expectations {
  const said = asObject(value, file);
  const all = parseExpectation(said, { category: plugin });
  const refused = textsOf(said['refused']);
  const only = textsOf(said['only']);
  return {
    all,
    serves: textsOf(said['serves']) ?? [],
    ...(refused === undefined ? {} : { refused }),
    ...(only === undefined ? {} : { only }),
    attempts: new Map(
      Object.entries(asObject(said['attempts'] ?? {}, file)).map(
        ([name, one]) => [name, parseExpectation(asObject(one, file), all)] as const,
      ),
    ),
  };
}

/** Fields without a value come from the default. */
function parseExpectation(said: Readonly<Record<string, Json>>, all: Expectation): Expectation {
  const codes = textsOf(said['codes']);
  const { category, got, gotOneOf, input, timeoutMs } = said;
  const gots = Array.isArray(gotOneOf) ? gotOneOf : got === undefined ? undefined : [got];
  return {
    ...all,
    ...(typeof category === 'string' ? { category } : {}),
    ...(codes === undefined ? {} : { codes }),
    ...(gots === undefined ? {} : { gots }),
    ...(isRecord(input) ? { input } : {}),
    ...(typeof timeoutMs === 'number' ? { timeoutMs } : {}),
  };
}

function asObject(value: Json, file: string): Readonly<Record<string, Json>> {
  if (isRecord(value)) return value;
  throw new TypeError(`${file} must be an object of objects`);
}

function textsOf(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) ? value.filter((text) => typeof text === 'string') : undefined;
}
