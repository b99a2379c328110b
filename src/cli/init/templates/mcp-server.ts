import {
  compilerFile,
  DESCRIPTION,
  HOST,
  packageFile,
  readmeFile,
  SETTINGS_FILE,
  testFile,
  URL_TEXT,
  type Template,
} from '../project.js';

/** A program that speaks MCP on its standard streams. */
export const mcp: Template = {
  title: 'an MCP server: a program that any client can start',
  files: (names) => ({
    'src/server.js': `#!/usr/bin/env node
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { z } from 'zod';

const server = new McpServer({ name: '${names.name}', version: '0.1.0' });

server.registerTool(
  'temperature',
  {
    description: '${DESCRIPTION}',
    inputSchema: {
      latitude: z.number().min(-90).max(90),
      longitude: z.number().min(-180).max(180),
    },
    annotations: { readOnlyHint: true },
  },
  async ({ latitude, longitude }, { signal }) => {
    const response = await fetch(
      ${URL_TEXT},
      { signal },
    );
    if (!response.ok) throw new Error(\`The forecast failed with status \${response.status}.\`);
    const { current } = await response.json();
    return { content: [{ type: 'text', text: \`\${current.temperature_2m} °C\` }] };
  },
);

await server.connect(new StdioServerTransport());
`,
    'test/temperature.test.mjs': testFile('temperature'),
    'package.json': packageFile(names, {
      bin: './src/server.js',
      keywords: ['mcp-server'],
      dependencies: { '@modelcontextprotocol/sdk': '^1.20.0', zod: '^3.25.0' },
      // The SDK reads the clock.
      bulkhead: { permissions: { network: [HOST], time: true, random: true } },
    }),
    ...SETTINGS_FILE,
    'tsconfig.json': compilerFile([], {
      lib: ['es2023', 'dom', 'dom.iterable', 'dom.asynciterable'],
      allowJs: true,
      checkJs: true,
    }),
    'README.md': readmeFile(
      names,
      'temperature',
      'The server is `src/server.js`, and its permissions are in `package.json`.',
    ),
  }),
};
