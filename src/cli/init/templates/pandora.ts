import {
  compilerFile,
  DESCRIPTION,
  HOST,
  json,
  packageFile,
  PARAMETERS,
  readmeFile,
  schemaOf,
  type Template,
  testFile,
  URL_TEXT,
} from '../project.js';

/** Tools in an array, and a manifest. */
export const pandora: Template = {
  title: 'a Pandora plugin: tools in an array',
  files: (names) => ({
    'pandora.manifest.json': json({
      $schema: schemaOf('pandora'),
      manifestVersion: 1,
      id: names.name,
      name: names.name,
      description: DESCRIPTION,
      version: '0.1.0',
      pandora: '>=1.0.0',
      provides: { tools: { entry: './src/index.ts', permissions: { network: [HOST] } } },
    }),
    'src/index.ts': `import type { Tool } from '@pandorakit/sdk/tools';

const temperature: Tool = {
  id: 'temperature',
  name: 'Temperature',
  description: '${DESCRIPTION}',
  annotations: { readOnlyHint: true },
  parameters: ${PARAMETERS},
  async execute({ latitude, longitude }: { latitude: number; longitude: number }, { signal }) {
    const response = await fetch(
      ${URL_TEXT},
      { signal },
    );
    if (!response.ok) throw new Error(\`The forecast failed with status \${response.status}.\`);
    const { current } = await response.json();
    return \`\${current.temperature_2m} °C\`;
  },
};

export const tools = [temperature];
`,
    'test/temperature.test.mjs': testFile('temperature'),
    'package.json': packageFile(names, {}),
    'tsconfig.json': compilerFile(['bulkhead/types/pandora'], {
      lib: ['es2023', 'dom', 'dom.iterable', 'dom.asynciterable'],
    }),
    'README.md': readmeFile(
      names,
      'temperature',
      'The tool is in `src/index.ts`, and its permissions are in `pandora.manifest.json`.',
    ),
  }),
};
