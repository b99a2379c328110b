import { mkdirSync, realpathSync, symlinkSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readPlugins } from '../../../src/formats/discover.js';
import { makeDirectory } from '../../engine/plugin-on-disk.js';
import { makeVellum } from '../../engine/vellum-on-disk.js';
import { disk } from '../disk.js';

describe('V-L9: a link among installed plugins', () => {
  const root = realpathSync(makeDirectory());
  const all = `${root}/all`;
  mkdirSync(`${all}/kept`, { recursive: true });
  mkdirSync(`${root}/foreign`);
  makeVellum({ name: 'kept', tools: { a: '' } }, `${all}/kept`);
  makeVellum({ name: 'foreign', tools: { a: '' } }, `${root}/foreign`);
  symlinkSync('kept', `${all}/alias`);
  symlinkSync('../foreign', `${all}/foreign`);
  symlinkSync('.', `${all}/itself`);

  it.each([[all], [`${all}/*`]])(
    'that leads out is none of them, and one that stays is what it leads to (%#)',
    async (path) => {
      const { plugins, problems } = await readPlugins(disk, [path]);
      expect(plugins.map(({ plugin }) => plugin.id)).toEqual(['kept']);
      expect(problems).toMatchObject([
        { directory: `${all}/foreign`, error: { code: 'OUTSIDE_PLUGIN' } },
      ]);
    },
  );

  it('may lead anywhere if the operator names it', async () => {
    const { plugins } = await readPlugins(disk, [`${all}/foreign`]);
    expect(plugins.map(({ plugin }) => plugin.id)).toEqual(['foreign']);
  });
});
