import { textOf, type CallResult, type Engine, type Json } from '../../index.js';
import { round } from '../invoke.js';
import type { Paint } from '../paint.js';
import { visible } from '../visible.js';
import { TEMPERATURE } from './weather-server.js';

/** Well-behaved plugins, relative to the fixtures. */
export const controlDirectories: readonly string[] = [
  'plugins/pandora/weather',
  'plugins/pandora/notes',
  'plugins/pandora/lorem',
];

/** And a hostile one. */
export const exampleDirectories: readonly string[] = [
  ...controlDirectories,
  'hostile/escape-artist',
];

/** What the host has in its environment, of which each plugin gets what it declared. */
export const variables: Readonly<Record<string, string>> = {
  OPENWEATHER_API_KEY: 'demo',
  ESCAPE_ARTIST_GREETING: 'hello',
  PATH: 'a variable that nobody was granted',
  HOME: 'another one',
};

interface Example {
  readonly tool: string;
  readonly input: Json;
  /** What has to be somewhere in the result. */
  readonly expected: string;
}

const examples: readonly Example[] = [
  { tool: '@pandorakit/weather:weather', input: { city: 'Oslo' }, expected: String(TEMPERATURE) },
  { tool: 'notes:read', input: { file: 'passport.md' }, expected: 'passport' },
  { tool: 'lorem:lorem', input: { count: 6, width: 30 }, expected: 'lorem ipsum' },
];

export interface ExampleOutcome extends Example {
  readonly result: CallResult;
  readonly asExpected: boolean;
}

export async function callExamples(engine: Engine): Promise<ExampleOutcome[]> {
  const outcomes: ExampleOutcome[] = [];
  for (const example of examples) {
    const result = await engine.call(example.tool, example.input);
    const text = JSON.stringify(result.value ?? null);
    outcomes.push({
      ...example,
      result,
      asExpected: !result.isError && text.toLowerCase().includes(example.expected),
    });
  }
  return outcomes;
}

const MAX_SHOWN = 100;

export function tellExample(
  { tool, input, result, asExpected }: ExampleOutcome,
  paint: Paint,
): string {
  const call = `${tool} ${JSON.stringify(input)}`.padEnd(44);
  const state = asExpected ? paint('green', 'ok') : paint('red', result.code ?? 'unexpected');
  const said = textOf(result.content);
  const shown = said.length > MAX_SHOWN ? `${said.slice(0, MAX_SHOWN)}…` : said;
  return `  call ${call}  ${state}  ${round(result.durationMs)} ms\n       ${paint('dim', visible(shown))}`;
}
