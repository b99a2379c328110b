import { describe, expect, it } from 'vitest';
import { readPlugin } from '../../../src/formats/discover.js';
import { readAnswer } from '../../../src/formats/vellum/answer.js';
import { VELLUM_LIMITS } from '../../../src/formats/vellum/limits.js';
import { readTool } from '../../../src/formats/vellum/tool.js';
import { NO_PERMISSIONS } from '../../../src/permissions/permissions.js';
import { makeMemory } from '../memory.js';

const { maxManifestBytes, maxInstallMetaBytes, maxSurfaces } = VELLUM_LIMITS;
const packageText = (more = ''): string =>
  JSON.stringify({ name: 'p', peerDependencies: { '@vellumai/plugin-api': '*' }, more });

describe('the Vellum reader', () => {
  it('does not read a package.json above its cap', async () => {
    const files = {
      '/p/package.json': packageText('x'.repeat(maxManifestBytes)),
      '/p/tools/a.ts': '',
    };
    await expect(readPlugin(makeMemory(files), '/p')).rejects.toThrow('too large');
  });

  it('ignores an install-meta.json above its cap', async () => {
    const meta = JSON.stringify({ installedAt: 5, more: 'x'.repeat(maxInstallMetaBytes) });
    const files = {
      '/p/package.json': packageText(),
      '/p/tools/a.ts': '',
      '/p/install-meta.json': meta,
    };
    expect((await readPlugin(makeMemory(files), '/p')).plugin.installedAtMs).toBeUndefined();
  });

  it('drops and reports files above their cap', async () => {
    const names = Array.from({ length: maxSurfaces + 2 }, (_, n) => `/p/tools/t${1000 + n}.ts`);
    const files = {
      '/p/package.json': packageText(),
      ...Object.fromEntries(names.map((name) => [name, ''])),
    };
    const { plugin, problems } = await readPlugin(makeMemory(files), '/p');
    expect(plugin.entries[0]?.surfaces).toHaveLength(maxSurfaces);
    expect(problems).toHaveLength(2);
  });

  it('cuts a description to its cap', () => {
    const { description } = readTool(
      { description: 'x'.repeat(VELLUM_LIMITS.maxDescriptionText + 5) },
      {
        plugin: { id: 'p' },
        entry: {
          key: 'plugin',
          surface: 'tools',
          file: 'package.json',
          dialect: 'vellum',
          confinement: 'compartment',
          declared: NO_PERMISSIONS,
          requireApproval: false,
        },
        granted: NO_PERMISSIONS,
        maxTimeoutMs: 1_000,
        stem: 'a',
        report: () => {},
      },
    );
    expect(description).toBe(`${'x'.repeat(VELLUM_LIMITS.maxDescriptionText)}…`);
  });

  it('cuts blocks and a status to their caps', () => {
    const block = { type: 'text', text: 'x' };
    const answer = readAnswer({
      content: 'a',
      status: 's'.repeat(500),
      contentBlocks: Array.from({ length: 500 }, () => block),
    });
    expect(answer.content).toHaveLength(VELLUM_LIMITS.maxContentBlocks);
    expect(answer.status).toBe(`${'s'.repeat(VELLUM_LIMITS.maxStatusText)}…`);
  });
});
