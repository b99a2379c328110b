import type { Command } from 'commander';
import { basename, join, resolve } from 'node:path';
import { visible } from '../../visible.js';
import type { RunCommand } from '../call.js';
import type { CliCapabilities } from '../capabilities.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { reasonOf, usageError } from '../failure.js';
import { print } from '../output.js';
import { IGNORE_FILE, LAUNCH_FILE, type Template } from './project.js';
import { templates } from './templates.js';
import { optionWithValues } from '../completion/with-values.js';

interface InitSettings {
  readonly format?: string;
  readonly json?: boolean;
}

const FORMATS = Object.keys(templates);

export function addInit(program: Command, run: RunCommand): void {
  program
    .command('init')
    .description('make a new plugin, with a tool, its permission and a test')
    .argument('[directory]', 'a new or empty directory; its name becomes the name of the plugin')
    .addOption(optionWithValues('--format <FORMAT>', FORMATS.join(', '), FORMATS))
    .option('--json', 'print one line of JSON')
    .action((directory: string | undefined, settings: InitSettings) =>
      run((capabilities) => runInit(directory, settings, capabilities)),
    );
}

async function runInit(
  given: string | undefined,
  settings: InitSettings,
  capabilities: CliCapabilities,
): Promise<ExitCode> {
  const directory = given ?? (await askDirectory(capabilities));
  const name = basename(resolve(directory));
  const problem = nameProblem(name);
  if (problem !== undefined) throw usageError('directory', problem);
  const format = settings.format ?? (await askFormat(capabilities));
  const template = templateOf(format);
  const files = {
    ...template.files({ name, bulkhead: await dependencyOn(capabilities) }),
    ...LAUNCH_FILE,
    ...IGNORE_FILE,
  };
  await capabilities.makeProject(directory, files).catch((error: unknown) => {
    throw usageError(
      'directory',
      `The plugin was not made in ${visible(directory)}: ${reasonOf(error)}. Name a new or empty directory.`,
    );
  });
  await print(
    settings,
    capabilities,
    { ok: true, directory, format, name, files: Object.keys(files) },
    `${Object.keys(files)
      .map((path) => `made ${visible(join(directory, path))}`)
      .join('\n')}

Next:
  cd ${visible(directory)}
  npm install
  npm test
  npx bulkhead dev
`,
  );
  return EXIT.ok;
}

function nameProblem(name: string): string | undefined {
  if (/^[a-z][a-z0-9-]{0,63}$/.test(name)) return undefined;
  return `A plugin cannot be named ${visible(name)}. Name its directory with small letters, digits and hyphens, e.g. my-weather.`;
}

function templateOf(format: string): Template {
  const template = Object.hasOwn(templates, format) ? templates[format] : undefined;
  if (template !== undefined) return template;
  throw usageError(
    '--format',
    `--format is ${visible(format)}: write one of ${FORMATS.join(', ')}`,
  );
}

async function askDirectory({ prompts, interrupted }: CliCapabilities): Promise<string> {
  if (prompts === undefined) {
    throw usageError('directory', 'Name the directory of the new plugin: bulkhead init my-weather');
  }
  const question = {
    message: 'Directory of the new plugin?',
    example: 'my-weather',
    check: (line: string) =>
      line === '' ? 'Name a directory, e.g. my-weather.' : nameProblem(basename(resolve(line))),
  };
  return prompts.text(question, interrupted);
}

async function askFormat({ prompts, interrupted }: CliCapabilities): Promise<string> {
  if (prompts === undefined) {
    throw usageError('--format', `Name the format of the plugin: --format ${FORMATS.join('|')}`);
  }
  const options = Object.entries(templates).map(([value, { title }]) => ({ value, hint: title }));
  return prompts.choose({ message: 'Format of the plugin?', options }, interrupted);
}

/** A clone of Bulkhead is named by its path, because the registry may not have its version. */
async function dependencyOn({ fixtures, realPath, version }: CliCapabilities): Promise<string> {
  const root = await realPath(join(fixtures, '..'));
  return /[\\/]node_modules[\\/]/.test(root) ? `^${version}` : `file:${root}`;
}
