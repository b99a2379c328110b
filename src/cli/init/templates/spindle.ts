import {
  compilerFile,
  DESCRIPTION,
  HOST,
  json,
  packageFile,
  PARAMETERS,
  readmeFile,
  schemaOf,
  testFile,
  URL_TEXT,
  type Template,
} from '../project.js';

/** A backend that registers its tools. */
export const spindle: Template = {
  title: 'a Lumiverse Spindle extension: tools that register at run time',
  files: (names) => ({
    'spindle.json': json({
      $schema: schemaOf('spindle'),
      version: '0.1.0',
      name: names.name,
      identifier: names.name.replaceAll('-', '_'),
      author: 'you',
      github: `https://github.com/you/${names.name}`,
      homepage: '',
      description: DESCRIPTION,
      permissions: ['tools', 'cors_proxy'],
      bulkhead: { permissions: { network: [HOST] } },
    }),
    'src/backend.ts': `spindle.registerTool({
  name: 'temperature',
  display_name: 'Temperature',
  description: '${DESCRIPTION}',
  parameters: ${PARAMETERS},
});

spindle.on('TOOL_INVOCATION', async ({ toolName, args: { latitude, longitude } }) => {
  if (toolName !== 'temperature') return null;
  const response = await spindle.cors(
    ${URL_TEXT},
  );
  if (response.status !== 200) throw new Error(\`The forecast failed with status \${response.status}.\`);
  const { current } = JSON.parse(response.body);
  return \`\${current.temperature_2m} °C\`;
});
`,
    'test/temperature.test.mjs': testFile('temperature'),
    'package.json': packageFile(names, {}),
    'tsconfig.json': compilerFile(['bulkhead/types/spindle']),
    'README.md': readmeFile(
      names,
      'temperature',
      'The tool is in `src/backend.ts`, and its permissions are in `spindle.json`.',
    ),
  }),
};
