import {
  compilerFile,
  DESCRIPTION,
  HOST,
  json,
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
    'src/server.ts': `#!/usr/bin/env node
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
      bin: './dist/server.js',
      files: ['dist', 'bulkhead.artifact'],
      keywords: ['mcp-server'],
      dependencies: { '@modelcontextprotocol/sdk': '^1.20.0', zod: '^3.25.0' },
      // The SDK reads the clock.
      bulkhead: {
        source: './src/server.ts',
        permissions: { network: [HOST], time: true },
      },
      scripts: {
        build: 'tsc -p tsconfig.build.json',
        prepack: 'npm run build',
        check: 'tsc && bulkhead check .',
        test: 'node --test',
      },
    }),
    ...SETTINGS_FILE,
    'tsconfig.json': compilerFile([], {
      lib: ['es2023', 'dom', 'dom.iterable', 'dom.asynciterable'],
    }),
    // Programs of other clients run the compiled file.
    'tsconfig.build.json': json({
      extends: './tsconfig.json',
      compilerOptions: {
        noEmit: false,
        rewriteRelativeImportExtensions: true,
        rootDir: 'src',
        outDir: 'dist',
      },
    }),
    'README.md': readmeFile(
      names,
      'temperature',
      'The server is `src/server.ts`, and its permissions are in `package.json`. `npm run build` compiles it to `dist/server.js`, which other clients run.',
    ),
  }),
};
