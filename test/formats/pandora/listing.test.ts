import { NO_PERMISSIONS } from '../../../src/permissions/permissions.js';
import { describe, expect, test } from 'vitest';
import { decideActivation } from '../../../src/formats/pandora/activation.js';
import { listPlugin, type PandoraListing } from '../../../src/formats/pandora/listing.js';
import { readContributions } from '../../../src/formats/pandora/contributions.js';
import { readPandora } from '../../../src/formats/pandora/read.js';
import type { JsonObject } from '../../../sandbox/wire/messages.js';
import { disk } from '../disk.js';

const root = new URL('../../../fixtures/plugins/pandora/', import.meta.url).pathname;
const { plugin } = await readPandora(disk, `${root}kitchen-sink`);
const [search, files] = plugin.entries;

const tool = (id: string): object => ({
  id,
  name: id,
  description: id,
  executable: true,
  annotations: { readOnlyHint: true },
});

const offer = (entry: typeof search, answer: unknown): ReturnType<typeof readContributions> => {
  if (entry === undefined) throw new Error('the fixture has two tool entries');
  return readContributions(answer, {
    plugin,
    entry,
    granted: NO_PERMISSIONS,
    maxTimeoutMs: 60_000,
  });
};

const contributions = {
  tools: offer(search, {
    tools: [{ tool: tool('pick') }],
    resolved: {
      tools: [{ tool: { ...tool('search'), timeout: 10_000 } }],
      alerts: [{ level: 'info', message: 'Using the fast backend' }],
    },
  }),
  'tools.1': offer(files, { tools: [{ tool: tool('recipe') }] }),
};

const list = (config: JsonObject | undefined, env: Record<string, string> = {}): PandoraListing =>
  listPlugin({
    plugin,
    activation: decideActivation(plugin, config, (name) => env[name]),
    config,
    contributions,
  });

test('identity is what the manifest says', () => {
  expect(list(undefined)).toMatchObject({
    id: '@acme/kitchen-sink',
    name: 'Kitchen sink',
    description: 'Every field that a manifest can have',
    author: 'Acme',
    icon: 'sink',
    version: '2.1.0',
    homepage: 'https://acme.example/kitchen-sink',
    repository: 'https://git.acme.example/kitchen-sink',
    license: 'Apache-2.0',
  });
});

describe('state', () => {
  test('of a plugin that is not configured', () => {
    expect(list(undefined)).toMatchObject({
      enabled: false,
      config: null,
      envConfigured: false,
      envVars: [
        { name: 'ACME_API_KEY', required: true, configured: false },
        { name: 'ACME_REGION', required: false, configured: false },
      ],
      validationErrors: [],
    });
  });

  test('of one that is ready', () => {
    const listing = list({ enabled: true, backend: 'fast' }, { ACME_API_KEY: 'k' });
    expect(listing).toMatchObject({ enabled: true, envConfigured: true, validationErrors: [] });
    expect(listing.configFields.map(({ key }) => key)).toEqual([
      'backend',
      'limit',
      'signature',
      'token',
    ]);
  });

  test('of one that is configured wrongly', () => {
    const { enabled, validationErrors } = list({ backend: 'slow' });
    expect(enabled).toBe(true);
    expect(validationErrors).toEqual(['backend: must be one of "fast", "thorough"']);
  });

  test('passwords are not shown, and values of variables are nowhere', () => {
    const listing = list({ backend: 'fast', token: 'hunter2' }, { ACME_API_KEY: 'secret' });
    expect(listing.config).toEqual({ backend: 'fast', token: '********' });
    expect(JSON.stringify(listing)).not.toMatch(/hunter2|secret/);
  });
});

describe('what it provides', () => {
  const { tools, agents, channels } = list({ backend: 'fast' }).provides;

  test('all tools of all entries, the resolved ones too', () => {
    expect(tools?.toolIds).toEqual([
      '@acme/kitchen-sink:pick',
      '@acme/kitchen-sink:search',
      '@acme/kitchen-sink:recipe',
    ]);
    expect(tools?.tools[1]).toEqual({
      id: '@acme/kitchen-sink:search',
      name: 'search',
      description: 'search',
      permissions: {
        time: true,
        network: ['https://search.acme.example', '*.cdn.acme.example', 'api.acme.example:8443'],
        env: ['ACME_API_KEY', 'ACME_REGION'],
        random: true,
      },
      sandbox: 'compartment',
      annotations: { readOnlyHint: true },
      timeout: 10_000,
    });
  });

  test('alerts', () => {
    expect(tools?.alerts).toEqual([{ level: 'info', message: 'Using the fast backend' }]);
  });

  test('in one line what several entries ask for', () => {
    expect(tools?.permissions).toMatchObject({ time: true, fs: ['data'] });
    expect(tools).toMatchObject({ sandbox: 'compartment', requireApproval: true });
  });

  test('agents, as far as their entries were read, and channels, which are not run', () => {
    expect(agents).toEqual({ agentIds: [], agents: [], alerts: [] });
    expect(channels).toMatchObject({ channelIds: [], alerts: [{ level: 'info' }] });
  });
});
