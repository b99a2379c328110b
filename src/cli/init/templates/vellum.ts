import {
  compilerFile,
  DESCRIPTION,
  HOST,
  packageFile,
  PARAMETERS,
  readmeFile,
  SETTINGS_FILE,
  type Template,
  testFile,
  URL_TEXT,
} from '../project.js';

/** A file for each tool. */
export const vellum: Template = {
  title: 'a Vellum plugin: a file for each tool and hook',
  files: (names) => ({
    'tools/temperature.ts': `import type { ToolContext, ToolExecutionResult } from '@vellumai/plugin-api';

export default {
  description: '${DESCRIPTION}',
  defaultRiskLevel: 'low' as const,
  input_schema: ${PARAMETERS},
  async execute(
    { latitude, longitude }: { latitude: number; longitude: number },
    { signal }: ToolContext,
  ): Promise<ToolExecutionResult> {
    const response = await fetch(
      ${URL_TEXT},
      { signal },
    );
    if (!response.ok) throw new Error(\`The forecast failed with status \${response.status}.\`);
    const { current } = await response.json();
    return { content: \`\${current.temperature_2m} °C\`, isError: false };
  },
};
`,
    'test/temperature.test.mjs': testFile('temperature'),
    'package.json': packageFile(names, {
      peerDependencies: { '@vellumai/plugin-api': '^0.8.0' },
      peerDependenciesMeta: { '@vellumai/plugin-api': { optional: true } },
      bulkhead: { permissions: { network: [HOST] } },
    }),
    ...SETTINGS_FILE,
    'tsconfig.json': compilerFile(['bulkhead/types/vellum'], {
      lib: ['es2023', 'dom', 'dom.iterable', 'dom.asynciterable'],
    }),
    'README.md': readmeFile(
      names,
      'temperature',
      'The tool is in `tools/temperature.ts`, and its permissions are in `package.json`.',
    ),
  }),
};
