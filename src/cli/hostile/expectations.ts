import { join } from 'node:path';
import type { Json } from '../../index.js';
import { isJsonObject } from '../arguments.js';
import type { CliPowers } from '../powers.js';

/** What has to come of one attempt, where that is not simply nothing. */
export interface Expectation {
  readonly category: string;
  /** It ends with one of these codes. */
  readonly codes?: readonly string[];
  /** It returns exactly this, which is no more than it was granted. */
  readonly got?: Json;
  /** What the tool is called with besides its baits. */
  readonly input?: Readonly<Record<string, Json>>;
  readonly timeoutMs?: number;
}

/** What a hostile plugin says of itself in `expect.json`, beside its manifest. */
export interface Expectations {
  /** Of each attempt, as far as nothing else is said of it. */
  readonly all: Expectation;
  /** Hosts that have to be there for what it tries. */
  readonly serves: readonly string[];
  /** It must offer no tool, for one of these reasons where any is named. Absent where it has to. */
  readonly refused?: readonly string[];
  readonly attempts: ReadonlyMap<string, Expectation>;
}

/** A plugin that says nothing is a category of its own, and all that it tries has to come to nothing. */
export async function readExpectations(
  plugin: string,
  directory: string,
  { readFile }: Pick<CliPowers, 'readFile'>,
): Promise<Expectations> {
  const file = join(directory, 'expect.json');
  const text = await readFile(file).catch(() => '{}');
  return parseExpectations(JSON.parse(text), plugin, file);
}

export function parseExpectations(value: unknown, plugin: string, file: string): Expectations {
  const said = asObject(value, file);
  const all = parseExpectation(said, { category: plugin });
  const refused = textsOf(said['refused']);
  return {
    all,
    serves: textsOf(said['serves']) ?? [],
    ...(refused === undefined ? {} : { refused }),
    attempts: new Map(
      Object.entries(asObject(said['attempts'] ?? {}, file)).map(
        ([name, one]) => [name, parseExpectation(asObject(one, file), all)] as const,
      ),
    ),
  };
}

/** What is not said of one attempt is as it is for all. */
function parseExpectation(said: Readonly<Record<string, Json>>, all: Expectation): Expectation {
  const codes = textsOf(said['codes']);
  const { category, got, input, timeoutMs } = said;
  return {
    ...all,
    ...(typeof category === 'string' ? { category } : {}),
    ...(codes === undefined ? {} : { codes }),
    ...(got === undefined ? {} : { got }),
    ...(isJsonObject(input) ? { input } : {}),
    ...(typeof timeoutMs === 'number' ? { timeoutMs } : {}),
  };
}

function asObject(value: unknown, file: string): Readonly<Record<string, Json>> {
  if (isJsonObject(value)) return value;
  throw new TypeError(`${file} is not what an expectation is: an object of objects`);
}

function textsOf(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) ? value.filter((text) => typeof text === 'string') : undefined;
}
