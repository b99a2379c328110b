import { expect, it } from 'vitest';
import { NOW } from './builders.js';
import { reportOn } from './report-on.js';

it('a dry run counts as no call, use or denial in the report', async () => {
  const at = { atMs: NOW - 1_000, plugin: 'one' };
  const call = (id: string, more: object = {}) => [
    { ...at, type: 'call-started', call: id, tool: 't', bundle: 'b', risk: 'low', ...more },
    { ...at, type: 'capability-used', call: id, permission: 'storage', wanted: 'write a.md' },
    { ...at, type: 'capability-denied', call: id, permission: 'network', wanted: `GET ${id}` },
    { ...at, type: 'call-ended', call: id, tool: 't', outcome: 'error', durationMs: 1 },
  ];
  const report = await reportOn({}, [...call('dry', { mode: 'dry-run' }), ...call('real')]);
  const [plugin] = report.plugins;
  expect(plugin?.tools.map(({ calls }) => calls)).toEqual([1]);
  expect(JSON.stringify(plugin)).toContain('GET real');
  expect(JSON.stringify(plugin)).not.toContain('GET dry');
});
