import { expect, test } from 'vitest';
import { readPlugins } from '../../../src/formats/discover.js';
import { explainPermissions } from '../../../src/permissions/explain.js';
import { disk } from '../disk.js';

const root = new URL('../../../fixtures/plugins/pandora', import.meta.url).pathname;

test('the fixtures are plugins without a problem', async () => {
  const { plugins, problems } = await readPlugins(disk, [root]);
  expect(problems).toEqual([]);
  expect(plugins.flatMap((found) => found.problems)).toEqual([]);
  expect(plugins.map(({ plugin }) => plugin.id)).toEqual([
    'everyday',
    '@acme/kitchen-sink',
    'lorem',
    'notes',
    '@pandorakit/weather',
  ]);
});

test('what the weather plugin asks for is said in a sentence for each kind', async () => {
  const { plugins } = await readPlugins(disk, [`${root}/weather`]);
  const declared = plugins[0]?.plugin.entries[0]?.declared;
  expect(declared === undefined ? [] : explainPermissions(declared)).toEqual([
    'Clock: none.',
    'Random numbers: none.',
    'Storage: none.',
    'Read the environment variable OPENWEATHER_API_KEY.',
    'Files: none.',
    'Connect to api.openweathermap.org, over https or cleartext http, which anyone on the way can read and change.',
    'Powers of the host: none.',
  ]);
});
