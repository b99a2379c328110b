import { describe, expect, test } from 'vitest';
import { readPlugins } from '../../../src/formats/discover.js';
import { explainPermissions } from '../../../src/permissions/permissions.js';
import { disk } from '../disk.js';

const root = new URL('../../../fixtures/plugins/pandora', import.meta.url).pathname;

describe('the Pandora fixtures', () => {
  test('are plugins without a problem', async () => {
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

  test('have a sentence for each permission of the weather plugin', async () => {
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
});
