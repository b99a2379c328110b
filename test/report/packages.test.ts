import { expect, it } from 'vitest';
import { reportFormats } from '../../src/report/formats.js';
import { renderMarkdown } from '../../src/report/markdown.js';
import { reportOn } from './report-on.js';

const packages = {
  'node_modules/a': { version: '1.0.0', integrity: 'sha512-a' },
  'node_modules/b': {
    version: '2.0.0',
    integrity: 'sha512-b',
    granted: { time: true, network: ['api.example.com'] },
  },
  'node_modules/c': { integrity: 'sha512-c', together: true },
};

it('the report shows the packages of a locked plugin with what they hold, those with permissions first', async () => {
  const report = await reportOn({}, [], { lock: { plugins: { one: { bundles: {}, packages } } } });
  expect(report.plugins[0]?.packages).toEqual([
    { path: 'node_modules/c', version: null, granted: [], together: true, denied: 0 },
    {
      path: 'node_modules/b',
      version: '2.0.0',
      granted: ['time', 'network api.example.com'],
      together: false,
      denied: 0,
    },
    { path: 'node_modules/a', version: '1.0.0', granted: [], together: false, denied: 0 },
  ]);
  const page = reportFormats.html.render(report);
  expect(page).toContain('time, network api.example.com');
  expect(page).toContain('all that the plugin may do');
  expect(page).toContain('1 package with nothing.');
  expect(renderMarkdown(report)).toContain('modules/c |  | all that the plugin may do | 0 |');
});
