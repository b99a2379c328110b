/** The host that the weather plugin declares, served here instead. */
export const WEATHER_HOST = 'api.openweathermap.org';

/** What it is in that city today, every day. */
export const TEMPERATURE = 7.3;

/** Answers as the real service does, as far as the plugin asks it. */
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
