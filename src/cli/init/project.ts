/** What a template is filled with. */
export interface ProjectNames {
  /** The package's name, also its directory's: `my-weather`. */
  readonly name: string;
  /** The version range or path of Bulkhead in `package.json`. */
  readonly bulkhead: string;
}

/** The files of a new project, by path relative to it. */
export type ProjectFiles = Readonly<Record<string, string>>;

/** A project of one plugin format. */
export interface Template {
  /** In one line, for the choice at the terminal. */
  readonly title: string;
  readonly files: (names: ProjectNames) => ProjectFiles;
}

/** The server that the tool of each template asks. It needs no key. */
export const HOST = 'api.open-meteo.com';

/** The tool's arguments, as the source of a JSON Schema. */
export const PARAMETERS = `{
    type: 'object',
    properties: {
      latitude: { type: 'number', minimum: -90, maximum: 90 },
      longitude: { type: 'number', minimum: -180, maximum: 180 },
    },
    required: ['latitude', 'longitude'],
    additionalProperties: false,
  }`;

export const DESCRIPTION = 'Tells the temperature at a place, in °C.';

/** Where the tool finds the temperature, as source text. */
export const URL_TEXT: string = `\`https://${HOST}/v1/forecast?latitude=\${latitude}&longitude=\${longitude}&current=temperature_2m\``;

/** `package.json`. `own`: the keys of the format. */
export function packageFile({ name, bulkhead }: ProjectNames, own: object): string {
  return json({
    name,
    version: '0.1.0',
    description: DESCRIPTION,
    type: 'module',
    scripts: { check: 'tsc && bulkhead check .', test: 'node --test' },
    ...own,
    devDependencies: { '@types/node': '^20.19.0', bulkhead, typescript: '^5.9.0' },
  });
}

/** `tsconfig.json`. `types`: the ambient types of the plugin system, beside those of Node's modules. */
export function compilerFile(types: readonly string[], own: object = {}): string {
  return json({
    compilerOptions: {
      target: 'es2022',
      module: 'preserve',
      lib: ['es2023'],
      types: [...types, 'node'],
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      allowImportingTsExtensions: true,
      ...own,
    },
    include: ['src', 'tools', 'hooks'],
  });
}

/** npm leaves out these files too. */
export const IGNORE_FILE: ProjectFiles = { '.gitignore': 'node_modules/\ndist/\n*.recording\n' };

/** VS Code: attaches to `bulkhead call … --inspect`. */
export const LAUNCH_FILE: ProjectFiles = {
  '.vscode/launch.json': json({
    version: '0.2.0',
    configurations: [
      {
        name: 'Attach to the plugin',
        type: 'node',
        request: 'attach',
        websocketAddress: '${input:debugger}',
        // The code is on no disk, so the debugger has to read its source map before it runs.
        pauseForSourceMap: true,
        skipFiles: ['<node_internals>/**'],
      },
    ],
    inputs: [
      {
        id: 'debugger',
        type: 'promptString',
        description: 'the address that bulkhead call --inspect prints (ws://…)',
      },
    ],
  }),
};

/** The schema of a format's manifest, for its `$schema`. */
export function schemaOf(format: string): string {
  return `./node_modules/bulkhead/schemas/${format}.schema.json`;
}

/** VS Code: the schema of the key `bulkhead`, since a `package.json` has another schema of its own. */
export const SETTINGS_FILE: ProjectFiles = {
  '.vscode/settings.json': json({
    'json.schemas': [
      {
        fileMatch: ['/package.json'],
        url: './node_modules/bulkhead/schemas/package.schema.json',
      },
    ],
  }),
};

/** A test of the tool, for Node's own test runner. `refused`: what the plugin gets in place of its grant. */
export function testFile(tool: string): string {
  return `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertDenies, loadPlugin } from 'bulkhead/testing';

const input = { latitude: 59.9, longitude: 10.7 };

test('the tool tells the temperature', async () => {
  const plugin = await loadPlugin('.', {
    fetch: { 'https://${HOST}/v1/forecast': { current: { temperature_2m: 7.5 } } },
  });
  try {
    const called = await plugin.call('${tool}', input);
    assert.match(called.text, /7\\.5/);
    assert.equal(new URL(called.sent[0].url).searchParams.get('latitude'), '59.9');
  } finally {
    await plugin.close();
  }
});

test('the tool fails without its permission', async () => {
  const plugin = await loadPlugin('.', { revoke: ['network'] });
  try {
    const called = await plugin.call('${tool}', input);
    assert.equal(called.isError, true);
    assertDenies(called, 'network', '${HOST}');
  } finally {
    await plugin.close();
  }
});
`;
}

/** `place`: one sentence about the files. */
export function readmeFile({ name }: ProjectNames, tool: string, place: string): string {
  return `# ${name}

${place}
Its test is in \`test/\`.

\`\`\`sh
npm install
npm test         # calls the tool in a real guest, with a mocked host
npm run check    # the types, and what can be known without calling it
npx bulkhead dev # reloads at each save, and calls the tool at a prompt
npx bulkhead call . ${tool} --input '{"latitude":59.9,"longitude":10.7}'
\`\`\`
`;
}

export function json(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
