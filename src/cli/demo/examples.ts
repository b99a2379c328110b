import type { Json } from '../../../sandbox/wire/messages.js';
import type { Engine } from '../../agent/agent.js';
import type { CallResult } from '../../engine/types/result.js';
import { textOf } from '../../plugin/answer.js';
import { round } from '../invoke.js';
import { type Paint, shorten } from '../output.js';

/** The host that the weather plugin declares; a local server replaces it. */
export const WEATHER_HOST = 'api.openweathermap.org';

/** The temperature of every city. */
export const TEMPERATURE = 7.3;

/** Well-behaved plugins, relative to the fixtures. */
export const honestDirectories: readonly string[] = [
  'plugins/pandora/weather',
  'plugins/pandora/notes',
  'plugins/pandora/lorem',
];

/** The same with a hostile plugin. */
export const exampleDirectories: readonly string[] = [
  ...honestDirectories,
  'hostile/escape-artist',
];

/** The host's environment; each plugin gets only the variables that it declares. */
export const variables: Readonly<Record<string, string>> = {
  OPENWEATHER_API_KEY: 'demo',
  ESCAPE_ARTIST_GREETING: 'hello',
  PATH: 'a variable that no plugin is granted',
  HOME: 'another such variable',
};

interface Example {
  readonly tool: string;
  readonly input: Json;
  /** A text that the result must contain. */
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

export function formatExample(
  { tool, input, result, asExpected }: ExampleOutcome,
  paint: Paint,
): string {
  const call = `${tool} ${JSON.stringify(input)}`.padEnd(44);
  const state = asExpected ? paint('green', 'ok') : paint('red', result.code ?? 'unexpected');
  const shown = shorten(textOf(result.content), MAX_SHOWN);
  return `  call ${call}  ${state}  ${round(result.durationMs)} ms\n       ${paint('dim', shown)}`;
}

/** Answers like the real service. */
export function answerWeather(path: string): { status: number; body: unknown } {
  const { pathname, searchParams } = new URL(path, 'http://weather.invalid');
  const city = searchParams.get('q');
  if (pathname !== '/data/2.5/weather' || city === null) {
    return { status: 404, body: { cod: '404', message: 'city not found' } };
  }
  if (searchParams.get('appid') === null) {
    return { status: 401, body: { cod: 401, message: 'Invalid API key.' } };
  }
  return {
    status: 200,
    body: {
      name: city,
      main: { temp: TEMPERATURE, feels_like: 4.1, humidity: 71 },
      weather: [{ id: 803, main: 'Clouds', description: 'broken clouds' }],
      wind: { speed: 4.6, deg: 220 },
    },
  };
}
